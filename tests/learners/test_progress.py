"""What a training tells while it runs, and what is left of it when it is stopped."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.learners.progress import Monitor, TrainingProgress
from rankmax.learners.training import Climb
from rankmax.optimizers.base import Ascent, Progress

CLIMBS = [Climb(0), Climb(1), Climb(2)]


def progress(n_lines: int, value: float) -> Progress:
    return Progress(n_lines, value, 0.0, np.array([value]))


def ended(n_lines: int, value: float, stopped_by: str = "converged") -> Ascent:
    return Ascent(np.array([value]), value, (progress(n_lines, value),), n_lines, 0, stopped_by)


def test_lines_add_up_over_ascents_and_the_value_is_the_best() -> None:
    told: list[TrainingProgress] = []
    monitor = Monitor(CLIMBS, told.append)
    monitor.improved(CLIMBS[0], progress(0, 0.5))
    monitor.improved(CLIMBS[1], progress(3, 0.2))
    monitor.improved(CLIMBS[1], progress(7, 0.4))
    monitor.ended(CLIMBS[0], ended(10, 0.5))
    assert [(p.value, p.n_lines, p.n_finished, p.n_ascents) for p in told] == [
        (0.5, 0, 0, 3),
        (0.5, 3, 0, 3),
        (0.5, 7, 0, 3),
        (0.5, 17, 1, 3),
    ]
    assert [(p.climb, p.climb_value, p.climb_lines) for p in told] == [
        (CLIMBS[0], 0.5, 0),
        (CLIMBS[1], 0.2, 3),
        (CLIMBS[1], 0.4, 7),
        (CLIMBS[0], 0.5, 10),
    ]


def test_an_ascent_that_could_not_end_is_kept_as_far_as_it_came() -> None:
    monitor = Monitor(CLIMBS, None)
    monitor.improved(CLIMBS[2], progress(0, 0.1))
    monitor.improved(CLIMBS[2], progress(4, 0.3))
    monitor.ended(CLIMBS[0], ended(10, 0.5))
    assert list(monitor.ascents) == [CLIMBS[0], CLIMBS[2]]
    cut_short = monitor.ascents[CLIMBS[2]]
    assert (cut_short.value, cut_short.n_lines, cut_short.stopped_by) == (0.3, 4, "interrupted")
    assert len(cut_short.history) == 2


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        (["converged", "lines", "converged"], "converged"),
        (["converged", "seconds"], "seconds"),
        (["converged"], "seconds"),  # the others were never begun
        (["converged", "interrupted"], "interrupted"),
    ],
)
def test_what_ended_the_training(reasons: list[str], expected: str) -> None:
    monitor = Monitor(CLIMBS, None)
    for climb, reason in zip(CLIMBS, reasons, strict=False):
        monitor.ended(climb, ended(1, 0.5, reason))
    assert monitor.stopped_by == expected
