"""Solr with its learning to rank module: the released server, embedded in a small program, from Maven Central."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engines.maven import JAVA_SOURCES, NotInstalledError, copy_jars, java_of_this_machine
from engines.server import free_port, running

VERSION = "8.11.4"  # the last whose solr-ltr every repository has
_CORE = {
    "core.properties": "name=runs\n",
    "conf/schema.xml": """<schema name="runs" version="1.6">
  <fieldType name="string" class="solr.StrField"/>
  <fieldType name="number" class="solr.FloatPointField" docValues="true"/>
  <fieldType name="text" class="solr.TextField">
    <analyzer><tokenizer class="solr.StandardTokenizerFactory"/><filter class="solr.LowerCaseFilterFactory"/></analyzer>
  </fieldType>
  <field name="id" type="string" indexed="true" stored="true"/>
  <field name="query" type="string" indexed="true" stored="true"/>
  <field name="document" type="string" indexed="true" stored="true"/>
  <dynamicField name="score_*" type="number" indexed="true" stored="true"/>
  <dynamicField name="text_*" type="text" indexed="true" stored="false"/>
  <uniqueKey>id</uniqueKey>
</schema>
""",
    "conf/solrconfig.xml": f"""<config>
  <luceneMatchVersion>{VERSION}</luceneMatchVersion>
  <schemaFactory class="ClassicIndexSchemaFactory"/>
  <updateHandler class="solr.DirectUpdateHandler2"/>
  <requestHandler name="/select" class="solr.SearchHandler"/>
  <requestHandler name="/query" class="solr.SearchHandler"/>
  <queryParser name="ltr" class="org.apache.solr.ltr.search.LTRQParserPlugin"/>
</config>
""",
}


def install(folder: Path) -> str:
    """Install Solr; return what there is, or why there is nothing. What is there is left as it is.

    Parameters
    ----------
    folder : Path
    """
    try:
        if not is_installed(folder):
            java_of_this_machine()
            names = ("solr-core", "solr-ltr")
            copy_jars((f"org.apache.solr:{name}:{VERSION}" for name in names), folder / "lib")
            (folder / "solr.json").write_text(json.dumps({"version": VERSION}))
    except NotInstalledError as error:
        return f"Solr is not installed: {error}"
    return f"Solr {VERSION} with learning to rank"


def is_installed(folder: Path) -> bool:
    """Return whether Solr is installed.

    Parameters
    ----------
    folder : Path
    """
    return (folder / "solr.json").exists()


@contextmanager
def start(folder: Path) -> Iterator[str]:
    """Start a server with one empty core, and stop it at the end; yield the core's address.

    The core has fields `id`, `query` and `document`, numbers whose names begin with ``score_``, and texts with
    ``text_``.

    Parameters
    ----------
    folder : Path
        Where it is installed.
    """
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="solr-") as home:
        Path(home, "solr.xml").write_text("<solr/>")
        for name, content in _CORE.items():
            path = Path(home, "runs", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        source = str(JAVA_SOURCES / "SolrServer.java")
        command = [java_of_this_machine(), "-Xmx700m", "-cp", f"{folder / 'lib'}/*", source, home, str(port)]
        address = f"http://127.0.0.1:{port}/solr/runs"
        with running(command, Path(home, "output.log"), f"{address}/select?q=*:*"):
            yield address
