from __future__ import annotations

from typing import Any

import pytest

from rankmax.papers.registry import paper_named
from rankmax.spaces.lattice import simplex_lattice

PAPER = paper_named("metzler2007")


def found(ends: list[float], *, value: float = 0.5, bound: float = 0.5) -> dict[str, Any]:
    points = simplex_lattice(3, 4) / 4
    return {
        "a: weights": {"weights": [1, 0, 0]},
        "a: surface": (1 - ((points - 1 / 3) ** 2).sum(axis=1)).tolist(),
        "a: optimizers": {"coordinate ascent": {"values": ends}},
        "a: optimum": {"value": value, "bound": bound, "stopped_by": "proven"},
    }


@pytest.mark.parametrize(
    ("ends", "bound", "verdict"),
    [
        ([0.4, 0.499], 0.5, "holds"),
        ([0.4, 0.49], 0.5, "does not hold"),
        ([0.5, 0.5], 0.51, "does not hold"),
    ],
)
def test_the_best_start_is_held_against_what_is_proven(ends: list[float], bound: float, verdict: str) -> None:
    report = PAPER.report(PAPER.exhibit("optimum"), found(ends, bound=bound))
    assert report.findings["easy-to-climb"].verdict == verdict


def test_starts_and_hills_are_counted() -> None:
    report = PAPER.report(PAPER.exhibit("optimum"), found([0.4, 0.499, 0.5]))
    assert report.tables[0].rows == [["a", "0.5000", "0.5000", "0.5000", "0.00%", "2 of 3", "1"]]
