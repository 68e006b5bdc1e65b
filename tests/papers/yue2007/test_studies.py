from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rankmax.papers.run_sets import RunSet
from rankmax.papers.setup import Setup
from rankmax.papers.store import StoredStudy
from rankmax.papers.yue2007.studies import BASE, CHOSEN, SUBMISSIONS


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


def test_without_runs_there_is_nothing_to_do(tmp_path: Path) -> None:
    assert list(SUBMISSIONS.steps(Setup((), (), (), tmp_path))) == []
