from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from oracles.docstrings import few_docstrings
from rankmax.workflows.demo import demonstration


def test_demo_compares_reports_and_its_commands_work(rankmax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demonstration, "docstrings", few_docstrings)
    done = rankmax("demo", "-o", "here")
    assert done.status == 0
    assert done.err == ""
    for metric in ("AP", "nDCG@10"):
        table = done.out.split(f"{metric}, ranking", 1)[1].split("\n\n")[0]
        for system in ("language model (baseline)", "BM25", "bag of words", "proximity", "fields"):
            assert f"\n {system} " in table
    assert (tmp_path / "here" / "report.html").exists()
    commands = [line.split("rankmax ", 1)[1] for line in done.out.splitlines() if line.startswith("  rankmax ")]
    assert len(commands) >= 5
    for command in commands:
        assert rankmax(*shlex.split(command)).status == 0, command


def test_output_that_cannot_be_a_folder(rankmax, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = rankmax("demo", "-o", "file/inside")
    assert done.status == 2
    assert re.search(r"file/inside: cannot write: \S+/file is a file", done.err)
