"""Vespa's compiler of schemas and its evaluators of rank profiles, as its own servers run them, from Maven Central.

There is no content node, whose matching and first phase are C++: the features of documents come from a table, and the
first phase is computed by the evaluator that stateless containers use. The global phase is Java in Vespa, too.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.maven import JAVA_SOURCES, NotInstalledError, copy_jars, java_of_this_machine

VERSION = "8.700.24"
_WHOLE = ("config-model", "container-search", "container-dev", "model-evaluation")
_ALONE = ("config-model-api", "config-provisioning", "model-integration")  # the last would bring a runtime of 100 MB


def install(folder: Path) -> str:
    """Install the libraries; return what there is, or why there is nothing. What is there is left as it is.

    Parameters
    ----------
    folder : Path
    """
    try:
        if not is_installed(folder):
            java_of_this_machine()
            whole, alone = ([f"com.yahoo.vespa:{name}:{VERSION}" for name in names] for names in (_WHOLE, _ALONE))
            copy_jars([*whole, "org.eclipse.jetty:jetty-util:12.0.16"], folder / "lib", alone)
            (folder / "vespa.json").write_text(json.dumps({"version": VERSION}))
    except NotInstalledError as error:
        return f"Vespa's libraries are not installed: {error}"
    return f"Vespa {VERSION}, its compiler and evaluators without a content node"


def is_installed(folder: Path) -> bool:
    """Return whether the libraries are installed.

    Parameters
    ----------
    folder : Path
    """
    return (folder / "vespa.json").exists()


@dataclass(frozen=True)
class Job:
    """Documents to rank by a rank profile.

    Attributes
    ----------
    schema : str
        Text of the schema.
    profile : str
    features : list of str
        Rank features, such as ``attribute(clicks)``.
    rows : list of (query, document, values of the features)
    """

    schema: str
    profile: str
    features: list[str]
    rows: list[tuple[str, str, list[float]]]


def ranked(folder: Path, jobs: Sequence[Job]) -> list[dict[str, list[tuple[str, float]]]]:
    """Return documents and scores for each query, best first, for each job; all run in one process.

    Parameters
    ----------
    folder : Path
        Where the libraries are installed.
    jobs : sequence of Job
    """
    with tempfile.TemporaryDirectory(prefix="vespa-") as name:
        arguments: list[str] = []
        outputs = []
        for number, job in enumerate(jobs):
            schema, table, rankings = (Path(name, f"{number}.{end}") for end in ("sd", "table.tsv", "rankings.tsv"))
            schema.write_text(job.schema)
            lines = ["\t".join(job.features), *("\t".join([q, d, *map(repr, values)]) for q, d, values in job.rows)]
            table.write_text("\n".join(lines) + "\n")
            arguments += [str(schema), job.profile, str(table), str(rankings)]
            outputs.append(rankings)
        source = str(JAVA_SOURCES / "VespaRanker.java")
        command = [java_of_this_machine(), "-Xmx700m", "-cp", f"{folder / 'lib'}/*", source, *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode or not all(path.exists() for path in outputs):
            raise RuntimeError(f"Vespa failed: {done.stderr[-2000:]}")
        return [_read(path) for path in outputs]


def _read(path: Path) -> dict[str, list[tuple[str, float]]]:
    found: dict[str, list[tuple[str, float]]] = {}
    for line in path.read_text().splitlines():
        query, document, score = line.split("\t")
        found.setdefault(query, []).append((document, float(score)))
    return found
