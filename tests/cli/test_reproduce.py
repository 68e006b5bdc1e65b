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
        (["morgan2004", "--trials", "3"], "--trials is for papers with random trials"),
        (["yue2007", "--methods", ","], "--methods names none; choose from SVM-map"),
    ],
)
def test_options_that_do_not_go_together(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(cli, ["reproduce", *arguments])
    assert result.exit_code == 2
    assert message in result.output


def test_some_methods_and_few_trials(tmp_path: Path) -> None:
    queries = [f"q{n}" for n in range(16)]
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 d1 1\n" for q in queries))
    for name, scores in (("good", (3, 2, 1)), ("bad", (1, 1, 2))):
        lines = [f"{q} Q0 d{d} 1 {score} x\n" for q in queries for d, score in enumerate(scores, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    command = ["reproduce", "yue2007", "table-10", "--runs", str(tmp_path), "--qrels", str(tmp_path / "qrels.txt")]
    command += ["--methods", "svm-map,SVM-ROC", "--trials", "1", "--bins", "4", "--results", str(tmp_path / "results")]
    result = json.loads(CliRunner().invoke(cli, [*command, "--json"], catch_exceptions=False).stdout)
    (exhibit,) = result["exhibits"]
    assert exhibit["settings"]["methods"] == ["SVM-map", "SVM-roc"]
    verdicts = {claim["claim"]: claim["verdict"] for claim in exhibit["claims"]}
    assert verdicts["beats-classification-table-10"] == "not tested"
    assert verdicts["beats-roc-table-10"] in {"inconclusive", "does not hold", "holds"}


def test_unknown_papers_are_refused() -> None:
    wrong = CliRunner().invoke(cli, ["reproduce", "yue2007", "--methods", "SVM-mpa"])
    assert isinstance(wrong.exception, UnknownNameError)
    assert "SVM-map" in str(wrong.exception)
    assert isinstance(CliRunner().invoke(cli, ["reproduce", "nobody1999"]).exception, UnknownNameError)
