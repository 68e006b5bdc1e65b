"""What a training tells while it runs, and what is left of it when it is stopped."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.learners.direct.direct_training import AscentId
from rankmax.learners.direct.training_progress import TrainingLog, TrainingProgress
from rankmax.optimizers.optimizer import Ascent, Progress

PLANNED = [AscentId(0), AscentId(1), AscentId(2)]


def progress(n_lines: int, value: float) -> Progress:
    return Progress(n_lines, value, 0.0, np.array([value]))


def ended(n_lines: int, value: float, stopped_by: str = "converged") -> Ascent:
    return Ascent(np.array([value]), value, (progress(n_lines, value),), n_lines, 0, stopped_by)


def test_lines_add_up_over_ascents_and_the_value_is_the_best() -> None:
    told: list[TrainingProgress] = []
    log = TrainingLog(PLANNED, told.append)
    log.improved(PLANNED[0], progress(0, 0.5))
    log.improved(PLANNED[1], progress(3, 0.2))
    log.improved(PLANNED[1], progress(7, 0.4))
    log.ended(PLANNED[0], ended(10, 0.5))
    assert [(p.value, p.n_lines, p.n_finished, p.n_ascents) for p in told] == [
        (0.5, 0, 0, 3),
        (0.5, 3, 0, 3),
        (0.5, 7, 0, 3),
        (0.5, 17, 1, 3),
    ]
    assert [(p.ascent, p.ascent_value, p.ascent_lines) for p in told] == [
        (PLANNED[0], 0.5, 0),
        (PLANNED[1], 0.2, 3),
        (PLANNED[1], 0.4, 7),
        (PLANNED[0], 0.5, 10),
    ]


def test_an_ascent_that_could_not_end_is_kept_as_far_as_it_came() -> None:
    log = TrainingLog(PLANNED, None)
    log.improved(PLANNED[2], progress(0, 0.1))
    log.improved(PLANNED[2], progress(4, 0.3))
    log.ended(PLANNED[0], ended(10, 0.5))
    assert list(log.ascents) == [PLANNED[0], PLANNED[2]]
    cut_short = log.ascents[PLANNED[2]]
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
    log = TrainingLog(PLANNED, None)
    for one, reason in zip(PLANNED, reasons, strict=False):
        log.ended(one, ended(1, 0.5, reason))
    assert log.stopped_by == expected
