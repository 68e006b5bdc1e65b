"""The section [check] of project files."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracles.deployed_project import Deployed
from rankmax.errors import DataFormatError, IncompatibleError
from rankmax.workflows.relevance_gate.check_file import CheckFile


def written(tmp_path: Path, text: str) -> CheckFile:
    (tmp_path / "rankmax.toml").write_text(text)
    return CheckFile(tmp_path / "rankmax.toml")


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        'qrels = "q.txt"\ntopics = "t.tsv"\n[check]\nbaseline = "b.tsv"\n'
        'candidate = ["a.run", "new=b.run", "engine:x"]\n'
        'runs = { bm25 = "r/bm25.run" }\nmetrics = ["AP"]\nlevel = 0.01\n',
    )
    assert (file.qrels, file.topics, file.baseline) == (f"{tmp_path}/q.txt", f"{tmp_path}/t.tsv", f"{tmp_path}/b.tsv")
    assert file.candidate == [f"{tmp_path}/a.run", f"new={tmp_path}/b.run", "engine:x"]
    assert file.runs == {"bm25": f"{tmp_path}/r/bm25.run"}
    assert file.rules == {"metrics": ["AP"], "level": 0.01}
    with pytest.raises(IncompatibleError, match="names no engine"):
        _ = file.project


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[check\n", "not a project file"),
        ('qrels = "q.txt"\n', r"no section \[check\]"),
        ('depth = 3\n[check]\nbaseline = "b"\n', "without an engine, there is no 'depth'"),
        ("[check]\nbaseline = 3\n", "baseline"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataFormatError, match=said):
        written(tmp_path, text)


def test_a_project_with_an_engine_may_have_the_section(deployed: Deployed) -> None:
    deployed.path.write_text(deployed.path.read_text() + '\n[check]\nbaseline = "b.tsv"\ncandidate = "engine:bm25"\n')
    file = CheckFile(deployed.path)
    assert file.candidate == "engine:bm25"
    assert set(file.project.retrievers) == {"bm25", "dense"}
