"""Deadlines: what they stop, and what is left to go on from."""

from __future__ import annotations

import math

import numpy as np

from rankmax.data.normalise import Normalisation
from rankmax.data.synthetic import planted_linear
from rankmax.learners.running import Deadline, climb_until
from rankmax.learners.training import Climb, Training
from rankmax.metrics import AP
from rankmax.optimizers.base import Ascent
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.journal import Entry
from rankmax.spaces import Euclidean

TRAINING = Training(
    data=planted_linear(8, 6, 3, noise=0.5, seed=1).data,
    normalisation=Normalisation.named("none"),
    metric=AP(),
    space=Euclidean(),
    optimizer=CoordinateAscent(),
    query_weights=np.ones(8),
    seed=0,
)


def climbed(deadline: Deadline, entries: list[Entry], write: list[Entry]) -> Ascent:
    return climb_until(
        deadline, TRAINING, Climb(1), callback=lambda progress: None, entries=entries, write=write.append
    )


def test_no_deadline_never_passes() -> None:
    assert (Deadline(None).seconds_left, Deadline(None).has_passed) == (None, False)
    left = Deadline(1e9).seconds_left
    assert left is not None
    assert math.isclose(left, 1e9, rel_tol=1e-3)


def test_a_passed_deadline_leaves_the_start_and_a_journal_to_go_on_from() -> None:
    recorded: list[Entry] = []
    stopped = climbed(Deadline(0.0), [], recorded)
    assert stopped.stopped_by == "seconds"
    assert stopped.weights.tolist() == [1 / 3] * 3
    rest: list[Entry] = []
    resumed = climbed(Deadline(None), recorded, rest)
    whole: list[Entry] = []
    at_once = climbed(Deadline(None), [], whole)
    assert resumed.weights.tolist() == at_once.weights.tolist()
    assert resumed.stopped_by == "converged"
    assert [(e.kind, e.asked, e.values) for e in recorded + rest] == [(e.kind, e.asked, e.values) for e in whole]
