from __future__ import annotations

import os
from pathlib import Path

import pytest

from oracles.deployed_project import Deployed
from rankmax.engines.connectors.registry import ENGINES
from rankmax.errors import CannotWriteError, DataFormatError
from rankmax.workflows.deployment.project_file import ProjectFile
from rankmax.workflows.deployment.project_outline import outline, write_outline


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('engine = "opensearch"', 'engine = "lucene"', "engine: unknown engine 'lucene'; known are opensearch"),
        ('index = "docs"', "", "index: opensearch needs the name of an index"),
        ('index = "docs"', 'indx = "docs"', "Object contains unknown field `indx`"),
        ('index = "docs"', 'index = "docs"\nname = "a\\nb"', "name: expected one line"),
        ("depth = 30", "depth = 0", r"Expected `int` >= 1 - at `\$.depth`"),
        ("depth = 30", 'depth = "30"', r"Expected `int`, got `str` - at `\$.depth`"),
        ("depth = 30", "metric = 'nDGC@10'", "metric: unknown metric 'nDGC'"),
        ("retries = 3", "retries = -1", r"at `\$.requests.retries`"),
        ("retries = 3", "retrys = 3", "unknown field `retrys`"),
        ("retries = 3", "per_second = 0", r"at `\$.requests.per_second`"),
        ("[retrievers.bm25]", '[retrievers."../bm25"]', r"retrievers\.'\.\./bm25': a retriever names a file"),
        ("[retrievers.bm25]", '[retrievers."a b"]', "a retriever names a file"),
        ("[retrievers.bm25]", '[retrievers.""]', "a retriever names a file"),
        ("[retrievers.bm25]", "[retrievers.Dense]", "must differ by more than case"),
        (
            "[retrievers.bm25]",
            "[retrievers.dense]",
            r"not a project file \(TOML.*\): Cannot declare",
        ),
        ('"{query}"', '"{qurey}"', r"retrievers\.bm25\.template: has neither \{query\} or \{vector\}"),
        (
            "{ query = {",
            "{ size = 3, from = 2, query = {",
            r"bm25\.template: the template has from, query; expected query",
        ),
        ('vector = { file = "vectors.jsonl" }', "", r"dense\.vector: the template asks for a vector"),
        ('{ file = "vectors.jsonl" }', "{}", r"dense\.vector: give either file or command"),
        ('{ file = "vectors.jsonl" }', '{ file = "a", command = ["b"] }', "give either file or command"),
        ('{ file = "vectors.jsonl" }', "{ command = [] }", r"at `\$.retrievers\[...\].vector.command`"),
        ("'{", "'{{", r"dense\.template: the template is no JSON object"),
        ("depth = 30", "depth = ", r"not a project file \(TOML.*\): Invalid value"),
    ],
)
def test_mistakes_name_the_file_and_the_key(deployed: Deployed, old: str, new: str, words: str) -> None:
    deployed.change(old, new)
    with pytest.raises(DataFormatError, match=words) as error:
        ProjectFile(deployed.path)
    assert error.value.path == str(deployed.path)


def test_a_vector_that_no_template_uses(deployed: Deployed) -> None:
    deployed.change("[retrievers.dense]", 'vector = { file = "vectors.jsonl" }\n[retrievers.dense]')
    with pytest.raises(DataFormatError, match=r"bm25\.vector: the template uses no vector"):
        ProjectFile(deployed.path)


def test_files_that_are_no_projects(tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match=r"no such file; rankmax init ENGINE writes one"):
        ProjectFile(tmp_path / "absent.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(DataFormatError, match="not a project file"):
        ProjectFile(tmp_path / "binary.toml")


def test_missing_topics_and_duplicate_ids(deployed: Deployed) -> None:
    topics = deployed.path.parent / "topics.tsv"
    topics.write_text("q1\ta\nq1\tb\n")
    with pytest.raises(DataFormatError, match=r"topics\.tsv:2: topic 'q1' occurs twice"):
        ProjectFile(deployed.path).topics()
    topics.unlink()
    with pytest.raises(DataFormatError, match=r"topics\.tsv: no such file"):
        ProjectFile(deployed.path).topics()
    deployed.change('qrels = "qrels.txt"', "")
    with pytest.raises(DataFormatError, match="qrels: tuning and confirming need judgments"):
        _ = ProjectFile(deployed.path).qrels


def test_paths_are_relative_to_the_file(deployed: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(os.sep)
    assert len(ProjectFile(deployed.path).topics()) == 12


@pytest.mark.parametrize("engine", ENGINES)
def test_outlines_are_project_files(engine: str, tmp_path: Path) -> None:
    write_outline(engine, tmp_path / "rankmax.toml")
    project = ProjectFile(tmp_path / "rankmax.toml")
    assert project.engine_name == engine
    assert len(project.templates) == 2
    with pytest.raises(CannotWriteError, match="exists already, and is not overwritten"):
        write_outline(engine, tmp_path / "rankmax.toml")
    assert (tmp_path / "rankmax.toml").read_text() == outline(engine)
