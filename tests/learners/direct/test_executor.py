"""Cancelled ascents: what they leave, and what goes on from there."""

from __future__ import annotations

import numpy as np

from rankmax.backends.training_data import LocalData
from rankmax.data.synthetic import planted_linear
from rankmax.learners.direct.direct_training import AscentId, Training
from rankmax.learners.direct.executor import run_ascents
from rankmax.learners.direct.training_progress import TrainingLog
from rankmax.metrics import AP
from rankmax.optimizers.cancellation import Cancellation
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.journal import Entry, Journal
from rankmax.optimizers.optimizer import Ascent
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.spaces import Euclidean

TRAINING = Training(
    data=LocalData(planted_linear(8, 6, 3, noise=0.5, seed=1).data, Normalization.named("none")),
    normalization=Normalization.named("none"),
    metric=AP(),
    space=Euclidean(),
    optimizer=CoordinateAscent(),
    query_weights=np.ones(8),
    seed=0,
)


def ascended(cancellation: Cancellation | None, entries: list[Entry], write: list[Entry]) -> Ascent:
    return TRAINING.ascend(AscentId(1), journal=Journal(entries, write.append), cancellation=cancellation)


def test_a_time_limit_leaves_the_start_and_a_journal_to_go_on_from() -> None:
    recorded: list[Entry] = []
    stopped = ascended(Cancellation(0.0), [], recorded)
    assert stopped.stopped_by == "seconds"
    assert stopped.weights.tolist() == [1 / 3] * 3
    rest: list[Entry] = []
    resumed = ascended(None, recorded, rest)
    whole: list[Entry] = []
    at_once = ascended(None, [], whole)
    assert resumed.weights.tolist() == at_once.weights.tolist()
    assert resumed.stopped_by == "converged"
    assert [(e.kind, e.asked, e.values) for e in recorded + rest] == [(e.kind, e.asked, e.values) for e in whole]


def test_a_cancelled_training_begins_the_first_ascent_alone() -> None:
    log, cancellation = TrainingLog([AscentId(0), AscentId(1)], None), Cancellation()
    cancellation.cancel()
    run_ascents(TRAINING, log, None, cancellation, n_jobs=1)
    assert list(log.ascents) == [AscentId(0)]
    assert log.stopped_by == "interrupted"


def test_what_a_journal_holds_is_replayed_before_a_cancellation_counts() -> None:
    whole: list[Entry] = []
    complete = ascended(None, [], whole)
    again = ascended(Cancellation(0.0), whole, [])
    assert again.weights.tolist() == complete.weights.tolist()
