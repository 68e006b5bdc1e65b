"""Selection among the points that ascents visited."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.learners.direct.direct_training import AscentId, Training
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.optimizers.optimizer import Ascent, Progress

Judge = Callable[[F64], F64]
"""Returns the value of each weight vector (row); higher is better."""

_LONGEST_CURVE = 200
_STANDARD_ERRORS = 2.0  # with one, ten validation queries do harm (benchmarks/validation_rules.py)
_STANDARD_ERRORS_OF_A_BAG = 1.0  # chance in the choices of single bags averages out
_CANDIDATES = 3  # points of an ascent that validation queries select from: its start, its middle and its end


@dataclass(frozen=True, eq=False)
class Chosen:
    """The selected point of an ascent.

    Attributes
    ----------
    path : tuple of Progress
        From the ascent's start to the point, which is the last.
    """

    path: tuple[Progress, ...]

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
    return Chosen(ascent.history[:end])


class Validation:
    """Validation queries, which select among a few candidates where they clearly tell them apart.

    Few queries cannot tell many candidates apart: the highest of many values on them is mostly chance. So candidates
    are few, and the one that would be taken without validation queries is kept unless another is better by more than
    two standard errors of the mean difference over queries (one for points of a bag's ascents).

    Parameters
    ----------
    training : Training
    validation : RankingDataset
        Features are matched by name and normalized as in training.
    """

    def __init__(self, training: Training, validation: RankingDataset) -> None:
        named = validation.select_features(training.data.feature_names)
        self._data = training.normalization.apply(named)
        self._metric, self._space = training.metric, training.space
        objective = LinearObjective(self._data, training.metric)  # refuses data that the metric cannot judge
        self._counted = np.flatnonzero(objective.query_weights)

    def value(self, weights: F64) -> float:
        """Return the mean of the metric over the queries.

        Parameters
        ----------
        weights : array of float64, shape (n_features,)
        """
        return float(self._by_query(weights[None]).mean())

    def select(self, points: F64, default: int, *, standard_errors: float = _STANDARD_ERRORS) -> int:
        """Return the number of the selected point.

        Parameters
        ----------
        points : array of float64, shape (n_points, n_features)
        default : int
            Number of the point that is selected unless another is clearly better.
        standard_errors : float
            Standard errors of the mean difference by which another point must be better.
        """
        values = self._by_query(points)
        difference = values - values[default]
        gain = difference.mean(axis=1)
        if self._counted.size < 2:
            return default
        error = difference.std(axis=1, ddof=1) / np.sqrt(self._counted.size)
        gain[gain <= standard_errors * error * (1 + 1e-9)] = 0.0  # of a single query's difference, it equals the mean
        best = int(np.argmax(gain))
        return best if gain[best] > 0 else default

    def best_of(self, ascents: Sequence[Ascent], *, standard_errors: float = _STANDARD_ERRORS) -> Chosen:
        """Return the selected one of a few points on the way of each ascent; by default the best end point.

        Parameters
        ----------
        ascents : sequence of Ascent
        standard_errors : float
        """
        highest = max(range(len(ascents)), key=lambda i: ascents[i].value)
        ends = [
            (i, int(end))
            for i, ascent in enumerate(ascents)
            for end in np.unique(np.linspace(1, len(ascent.history), _CANDIDATES).round())
        ]
        points = np.array([ascents[i].history[end - 1].weights for i, end in ends])
        default = ends.index((highest, len(ascents[highest].history)))
        i, end = ends[self.select(points, default, standard_errors=standard_errors)]
        return Chosen(ascents[i].history[:end])

    def _by_query(self, points: F64) -> F64:
        """Return the values, shape (n_points, n_counted_queries)."""
        scores = (self._data.scores(self._space.restore(w)) for w in points)
        values = [evaluate_metrics([self._metric], s, self._data.judgments)[0][self._counted] for s in scores]
        return np.array(values)


def choose_by_bag(
    training: Training, ascents: Mapping[AscentId, Ascent], validation: Validation | None
) -> list[Chosen]:
    """Return the best point of each bag's ascents.

    Parameters
    ----------
    training : Training
    ascents : mapping from AscentId to Ascent
    validation : Validation, optional
        By default each bag's points are judged on the queries that are not in its sample.
    """
    by_bag: dict[int, list[Ascent]] = {}
    for one, ascent in ascents.items():
        if one.bag is not None:
            by_bag.setdefault(one.bag, []).append(ascent)
    if validation is not None:
        return [validation.best_of(found, standard_errors=_STANDARD_ERRORS_OF_A_BAG) for found in by_bag.values()]
    return [best_of(found, _left_out_judge(training, bag)) for bag, found in by_bag.items()]


def _left_out_judge(training: Training, bag: int) -> Judge | None:
    left_out = training.query_weights * training.telling * (training.counts(bag) == 0)
    return training.objective(left_out).values if left_out.any() else None
