from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from rankmax.errors import IncompatibleError
from rankmax.papers.registry import paper_named
from rankmax.papers.run_sets import RunSet
from rankmax.papers.running import run_study
from rankmax.papers.setup import Setup
from rankmax.papers.store import StoredStudy
from rankmax.papers.yue2007.studies import BASE, CHOSEN, SUBMISSIONS, submissions_memory


def test_the_small_version(small_study: Callable[[str, str], StoredStudy]) -> None:
    stored = small_study("yue2007", "table-6")
    base = stored.values[f"docstrings, {BASE}"]
    assert len(base) == 15
    for method in stored.settings["methods"]:
        assert len(stored.values[f"docstrings, {method}, part 1"]) == 20


def test_submissions_are_learned_from_with_and_without_the_best(tmp_path: Path) -> None:
    queries = [f"q{n}" for n in range(16)]
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 d1 1\n" for q in queries))
    for name, scores in (("good", (3, 2, 1)), ("fair", (2, 2, 1)), ("bad", (1, 1, 2))):
        lines = [f"{q} Q0 d{d} 1 {score} x\n" for q in queries for d, score in enumerate(scores, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    setup = Setup((), (), (RunSet(tmp_path, tmp_path / "qrels.txt"),), tmp_path, small=True)
    steps = dict(SUBMISSIONS.steps(setup))
    name = tmp_path.name
    assert steps[f"{name}, {BASE}"]({})["good"] == [1.0] * 16
    assert steps[f"{name}, {CHOSEN}"]({}) == [1.0] * 16
    assert steps[f"{name} without the best, {CHOSEN}"]({}) == [0.5] * 16
    assert steps[f"{name}, SVM-map, part 1"]({}) == [1.0] * 16
    # Without it nothing tells the relevant document from d2, which stands before it where scores are equal.
    assert steps[f"{name} without the best, SVM-map, part 1"]({}) == [0.5] * 16


def test_memory_grows_with_runs_documents_and_methods(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    for name in "ab":
        lines = [f"q1 Q0 {name}{d} {d + 1} {1000 - d} x\n" for d in range(1000)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    setup = Setup((), (), (RunSet(tmp_path, tmp_path / "qrels.txt"),), tmp_path, methods=("SVM-map",))
    before = submissions_memory(setup)
    n_cells = 2000 * 2
    assert before >= 250_000_000 + 17 * n_cells  # scores twice, and codes
    assert submissions_memory(replace(setup, methods=("SVM-map", "SVM-acc"))) > before
    assert submissions_memory(replace(setup, methods=None)) > before
    assert submissions_memory(replace(setup, methods=("SVM-acc",), bins=500)) > submissions_memory(
        replace(setup, methods=("SVM-acc",))
    )


def test_a_study_that_does_not_fit_is_refused_before_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    for name in "ab":
        (tmp_path / f"{name}.run").write_text("q1 Q0 d1 1 1 x\n")
    monkeypatch.setattr("rankmax.papers.memory.available_memory", lambda: 1_000_000)
    setup = Setup((), (), (RunSet(tmp_path, tmp_path / "qrels.txt"),), tmp_path)
    with pytest.raises(IncompatibleError, match=r"needs about 0\.3 GB of memory, and 0\.0 GB are free"):
        run_study(paper_named("yue2007"), SUBMISSIONS, setup, tmp_path / "results")


def test_trials_methods_and_bins_are_settings(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    for name in "ab":
        (tmp_path / f"{name}.run").write_text("q1 Q0 d1 1 1 x\n")
    setup = Setup((), (), (RunSet(tmp_path, tmp_path / "qrels.txt"),), tmp_path, trials=3, methods=("SVM-roc",), bins=9)
    found = SUBMISSIONS.settings(setup)
    assert (found["trials"], found["methods"], found["bins"]) == (3, ["SVM-roc"], 9)
    assert {name.split(", ")[1] for name, _ in SUBMISSIONS.steps(setup)} == {BASE, CHOSEN, "SVM-roc"}


def test_without_runs_there_is_nothing_to_do(tmp_path: Path) -> None:
    assert list(SUBMISSIONS.steps(Setup((), (), (), tmp_path))) == []
