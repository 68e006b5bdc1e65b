from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from oracles.docstrings import few_docstrings
from rankmax.cli import cli
from rankmax.errors import UnknownNameError
from rankmax.papers.registry import PAPERS


def test_list_names_papers_exhibits_and_claims() -> None:
    text = CliRunner().invoke(cli, ["reproduce", "--list"]).output
    found = json.loads(CliRunner().invoke(cli, ["reproduce", "--list", "--json"]).output)
    assert [paper["paper"] for paper in found] == list(PAPERS)
    for paper in found:
        assert paper["reference"] in text
        assert all(name in text for name in paper["exhibits"])
        assert all(says in text for says in paper["claims"].values())


def test_a_table_with_its_verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankmax.datasets.docstrings", few_docstrings)
    command = ["reproduce", "morgan2004", "figure-3", "--small", "--results", str(tmp_path)]
    text = CliRunner().invoke(cli, command, catch_exceptions=False).output
    assert "HOLDS: Weight search yields scores that never fall" in text
    result = json.loads(CliRunner().invoke(cli, [*command, "--json"]).stdout)  # from what is stored
    (exhibit,) = result["exhibits"]
    assert [claim["verdict"] for claim in exhibit["claims"]] == ["holds"]
    assert exhibit["settings"]["seed"] == 7
    assert (tmp_path / "morgan2004" / "growth-small.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["morgan2004", "--runs", "."], "--runs and --qrels"),
        (["morgan2004", "--small", "--corpus", "."], "--small runs on the embedded"),
    ],
)
def test_options_that_do_not_go_together(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(cli, ["reproduce", *arguments])
    assert result.exit_code == 2
    assert message in result.output


def test_unknown_papers_are_refused() -> None:
    assert isinstance(CliRunner().invoke(cli, ["reproduce", "nobody1999"]).exception, UnknownNameError)
