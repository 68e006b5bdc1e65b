"""Choosing among the points that ascents came by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.learners.training import Climb, Training
from rankmax.lines.objective import LinearObjective
from rankmax.optimizers.base import Ascent, Progress

Judge = Callable[[F64], F64]
"""Returns how good each of some weight vectors (rows) is."""

_LONGEST_CURVE = 200


@dataclass(frozen=True, eq=False)
class Chosen:
    """A point of an ascent.

    Attributes
    ----------
    path : tuple of Progress
        From the ascent's start to the point, which is the last.
    judged : float or None
        What the judge said of it.
    """

    path: tuple[Progress, ...]
    judged: float | None = None

    @property
    def point(self) -> Progress:
        """The chosen one."""
        return self.path[-1]

    def curve(self) -> tuple[tuple[int, float], ...]:
        """Return lines searched and value along the path, at most 200 pairs, the first and the last among them."""
        kept = np.unique(np.linspace(0, len(self.path) - 1, _LONGEST_CURVE).round().astype(int))
        return tuple((self.path[i].n_lines, self.path[i].value) for i in kept)


def best_of(ascents: Sequence[Ascent], judge: Judge | None = None) -> Chosen:
    """Return the best end of the ascents, or, with a judge, the best of all points they came by.

    The latter is early stopping: beyond the chosen point an ascent gained on its own queries only. Among points that
    are judged alike the one with the highest value is taken, and of equals the first.

    Parameters
    ----------
    ascents : sequence of Ascent
    judge : callable, optional
    """
    if judge is None:
        return Chosen(max(ascents, key=lambda ascent: ascent.value).history)
    places = [(ascent, end) for ascent in ascents for end in range(1, len(ascent.history) + 1)]
    points = [ascent.history[end - 1] for ascent, end in places]
    judged = judge(np.array([point.weights for point in points]))
    best = max(range(len(points)), key=lambda i: (judged[i], points[i].value))
    ascent, end = places[best]
    return Chosen(ascent.history[:end], float(judged[best]))


def validation_judge(training: Training, validation: RankingDataset) -> Judge:
    """Return a judge that evaluates the training's metric on other queries.

    Parameters
    ----------
    training : Training
    validation : RankingDataset
        Its features are found by name and normalised as the training data were.
    """
    named = validation.select_features(training.data.feature_names)
    objective = LinearObjective(training.normalisation.apply(named), training.metric)
    return lambda points: objective.values([training.space.restore(w) for w in points])


def choose_by_bag(training: Training, ascents: Mapping[Climb, Ascent], judge: Judge | None) -> list[Chosen]:
    """Return the best point of each bag's ascents.

    Parameters
    ----------
    training : Training
    ascents : mapping from Climb to Ascent
    judge : callable, optional
        Without one, each bag's points are judged by the queries that its sample left out.
    """
    by_bag: dict[int, list[Ascent]] = {}
    for climb, ascent in ascents.items():
        if climb.bag is not None:
            by_bag.setdefault(climb.bag, []).append(ascent)
    return [best_of(found, judge or _left_out_judge(training, bag)) for bag, found in by_bag.items()]


def _left_out_judge(training: Training, bag: int) -> Judge | None:
    left_out = training.query_weights * training.telling * (training.counts(bag) == 0)
    return training.objective(left_out).values if left_out.any() else None
