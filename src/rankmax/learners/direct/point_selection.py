"""Selection among the points that ascents visited."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.learners.direct.training import AscentId, Training
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.optimizers.optimizer import Ascent, Progress

Judge = Callable[[F64], F64]
"""Returns the value of each weight vector (row); higher is better."""

_LONGEST_CURVE = 200


@dataclass(frozen=True, eq=False)
class Chosen:
    """The selected point of an ascent.

    Attributes
    ----------
    path : tuple of Progress
        From the ascent's start to the point, which is the last.
    judged : float or None
        The judge's value of the point, if there is a judge.
    """

    path: tuple[Progress, ...]
    judged: float | None = None

    @property
    def point(self) -> Progress:
        """The selected point."""
        return self.path[-1]

    def curve(self) -> tuple[tuple[int, float], ...]:
        """Return pairs of line searches and value along the path: at most 200, including the first and the last."""
        kept = np.unique(np.linspace(0, len(self.path) - 1, _LONGEST_CURVE).round().astype(int))
        return tuple((self.path[i].n_lines, self.path[i].value) for i in kept)


def best_of(ascents: Sequence[Ascent], judge: Judge | None = None) -> Chosen:
    """Return the best end point of the ascents, or, with a judge, the best of all visited points.

    The latter is early stopping: beyond the selected point an ascent gained on its own queries only. Ties in the
    judge's value go to the highest training value, and then to the first point.

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
    """Return a judge that evaluates the training's metric on validation queries.

    Parameters
    ----------
    training : Training
    validation : RankingDataset
        Validation queries; features are matched by name and normalized as in training.
    """
    named = validation.select_features(training.data.feature_names)
    objective = LinearObjective(training.normalization.apply(named), training.metric)
    return lambda points: objective.values([training.space.restore(w) for w in points])


def choose_by_bag(training: Training, ascents: Mapping[AscentId, Ascent], judge: Judge | None) -> list[Chosen]:
    """Return the best point of each bag's ascents.

    Parameters
    ----------
    training : Training
    ascents : mapping from AscentId to Ascent
    judge : callable, optional
        By default each bag's points are judged on the queries that are not in its sample.
    """
    by_bag: dict[int, list[Ascent]] = {}
    for one, ascent in ascents.items():
        if one.bag is not None:
            by_bag.setdefault(one.bag, []).append(ascent)
    return [best_of(found, judge or _left_out_judge(training, bag)) for bag, found in by_bag.items()]


def _left_out_judge(training: Training, bag: int) -> Judge | None:
    left_out = training.query_weights * training.telling * (training.counts(bag) == 0)
    return training.objective(left_out).values if left_out.any() else None
