from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankmax.papers.papers import Exhibit, Paper, Step, Study
from rankmax.papers.reports import Report
from rankmax.papers.running import draw_exhibit, result_file, run_study
from rankmax.papers.setup import Setup
from rankmax.papers.store import StoredStudy


class Counting:
    """A study of three steps that counts what it does, and fails in the last while told to."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.fails = False
        self.study = Study("counting", lambda setup: {"of": 3}, self.steps, "nothing")
        self.exhibit = Exhibit("table-1", "Counts", self.study, lambda values, expected: Report())
        self.paper = Paper("counted2026", (self.exhibit,))

    def steps(self, setup: Setup) -> Iterator[tuple[str, Step]]:
        for name in "abc":
            yield name, lambda values, name=name: self.step(name, dict(values))

    def step(self, name: str, values: dict[str, Any]) -> dict[str, Any]:
        if self.fails and name == "c":
            raise KeyboardInterrupt
        self.done.append(name)
        return {"before": sorted(values)}


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    return Setup((), (), (), tmp_path)


def test_steps_see_what_earlier_ones_found(tmp_path: Path, setup: Setup) -> None:
    counting = Counting()
    stored = run_study(counting.paper, counting.study, setup, tmp_path)
    assert stored.values["c"] == {"before": ["a", "b"]}


def test_an_interrupted_study_goes_on_where_it_was(tmp_path: Path, setup: Setup) -> None:
    counting = Counting()
    counting.fails = True
    with pytest.raises(KeyboardInterrupt):
        run_study(counting.paper, counting.study, setup, tmp_path)
    counting.fails = False
    told: list[tuple[str, int, int]] = []
    run_study(counting.paper, counting.study, setup, tmp_path, tell=lambda *what: told.append(what))
    assert counting.done == ["a", "b", "c"]
    assert told == [("a", 0, 3), ("b", 1, 3), ("c", 2, 3)]


def test_other_settings_and_versions_start_again(tmp_path: Path, setup: Setup) -> None:
    counting = Counting()
    run_study(counting.paper, counting.study, setup, tmp_path)
    run_study(counting.paper, counting.study, replace(setup, seed=8), tmp_path)
    assert counting.done == [*"abc"] * 2
    path = result_file(tmp_path, counting.paper, counting.study, small=False)
    stored = StoredStudy.load(path)
    stored.versions["rankmax"] = "0"
    stored.save(path)
    run_study(counting.paper, counting.study, replace(setup, seed=8), tmp_path)
    assert counting.done == [*"abc"] * 3


def test_small_results_have_files_of_their_own(tmp_path: Path, setup: Setup) -> None:
    counting = Counting()
    for small in (False, True):
        run_study(counting.paper, counting.study, replace(setup, small=small), tmp_path)
    assert sorted(path.name for path in (tmp_path / "counted2026").iterdir()) == [
        "counting-small.json",
        "counting.json",
    ]


def test_only_figures_are_drawn(tmp_path: Path, setup: Setup) -> None:
    counting = Counting()
    stored = run_study(counting.paper, counting.study, setup, tmp_path)
    assert draw_exhibit(counting.exhibit, stored, tmp_path, counting.paper) is None
    figure = replace(counting.exhibit, name="figure-1", draw=lambda values, path: path.write_text(str(len(values))))  # type: ignore[arg-type,return-value]
    drawn = draw_exhibit(figure, stored, tmp_path, counting.paper)
    assert drawn is not None
    assert drawn.read_text() == "3"
