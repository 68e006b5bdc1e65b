"""One ascent of a training: decided by its numbers and the seed alone, wherever and whenever it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankmax.arrays import F64, Bool
from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.data.normalise import Normalisation
from rankmax.data.segments import QuerySegments
from rankmax.engines.dataset import EngineDataset
from rankmax.engines.objective import EngineObjective
from rankmax.engines.partition import Partition
from rankmax.errors import InvalidDataError
from rankmax.learners.bagging import bootstrap_counts
from rankmax.lines.base import Objective
from rankmax.lines.objective import LinearObjective
from rankmax.losses.base import Surrogate
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.linear import LinearFit, fit_linear, fit_linear_over
from rankmax.metrics.base import Metric
from rankmax.metrics.evaluate import evaluate_metrics
from rankmax.optimizers.base import Ascent, Callback, Optimizer
from rankmax.optimizers.journal import Journal
from rankmax.spaces import ParameterSpace


@dataclass(frozen=True)
class Climb:
    """Which ascent of a training.

    Attributes
    ----------
    start : int
        0: the better of two surrogates' minima; 1: uniform weights; others: samples of the space.
    bag : int, optional
        Which bootstrap sample of the queries; all queries when left out.
    """

    start: int
    bag: int | None = None

    @property
    def key(self) -> str:
        """Its name in a journal."""
        return f"start {self.start}" if self.bag is None else f"bag {self.bag} start {self.start}"


@dataclass(frozen=True, eq=False)
class Training:
    """What the ascents of one training share.

    Attributes
    ----------
    data : RankingDataset or EngineDataset
        Normalised.
    normalisation : Normalisation
        How.
    metric : Metric
    space : ParameterSpace
    optimizer : Optimizer
    query_weights : array of float64, shape (n_queries,)
    seed : int
        Each ascent has random numbers of its own, made from the seed and its numbers.
    """

    data: RankingDataset | EngineDataset
    normalisation: Normalisation
    metric: Metric
    space: ParameterSpace
    optimizer: Optimizer
    query_weights: F64
    seed: int

    @cached_property
    def prepared(self) -> RankingDataset | EngineDataset:
        """The data whose features the space's weights are for."""
        return self.data if isinstance(self.data, EngineDataset) else self.space.prepare(self.data)

    def objective(self, query_weights: F64) -> Objective:
        """Return the metric over the training data with other weights of queries.

        Parameters
        ----------
        query_weights : array of float64, shape (n_queries,)
        """
        if isinstance(self.prepared, EngineDataset):
            return EngineObjective(self.prepared, self.metric, query_weights=query_weights)
        return LinearObjective(self.prepared, self.metric, query_weights=query_weights)

    def climb(self, climb: Climb, *, callback: Callback | None = None, journal: Journal | None = None) -> Ascent:
        """Run one ascent.

        Parameters
        ----------
        climb : Climb
        callback : callable, optional
        journal : Journal, optional
        """
        rng = self._rng(climb.bag, climb.start)
        weights = self.query_weights if climb.bag is None else self.query_weights * self.counts(climb.bag)
        objective = self.objective(weights)
        start = self._start(climb.start, objective, rng)
        return self.optimizer.maximize(objective, self.space, start=start, rng=rng, callback=callback, journal=journal)

    def surrogate(self, objective: Objective) -> F64:
        """Return the minimum of one of two smooth surrogates, whichever gives the objective the higher value.

        Parameters
        ----------
        objective : Objective
            Over the training data; its weights of queries are the surrogates' too.
        """
        fits = (self._fit(loss, objective).weights for loss in (CrossEntropy(), ProportionalCrossEntropy()))
        return max((self.space.project(self.space.embed(w)) for w in fits), key=lambda w: objective.at(w).value)

    def _fit(self, loss: Surrogate, objective: Objective) -> LinearFit:
        if isinstance(objective, LinearObjective) and isinstance(self.data, RankingDataset):
            return fit_linear(loss, self.data, query_weights=objective.query_weights)
        return fit_linear_over(loss, objective)

    def best_single_feature(self, objective: Objective) -> float:
        """Return the highest value that one feature alone, up or down as far as the space allows, gives the objective.

        Parameters
        ----------
        objective : Objective
            Over the training data.
        """
        axes = np.eye(self.data.n_features)
        alone = [self.space.project(self.space.embed(w)) for w in np.concatenate([axes, -axes])]
        return float(objective.values(np.array(alone)).max())

    def counts(self, bag: int) -> F64:
        """Return how often each query is in a bootstrap sample.

        Parameters
        ----------
        bag : int
        """
        return bootstrap_counts(self.telling, self._rng(bag))

    @cached_property
    def telling(self) -> F64:
        """1 for each query that weights can do well or badly on, 0 for others: only the former are worth drawing."""
        if isinstance(self.data, EngineDataset):
            told = self.data.engine.map(_tells_of_partition, self.data.partitions, self.metric, self.data.levels)
            tells = np.concatenate(told)
        else:
            tells = tells_apart(self.metric, self.data.judgments)
        telling: F64 = (tells & (self.query_weights > 0)).astype(np.float64)
        return telling

    def _rng(self, bag: int | None, *numbers: int) -> np.random.Generator:
        key = (0 if bag is None else bag + 1, *numbers)
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    def _start(self, number: int, objective: Objective, rng: np.random.Generator) -> F64:
        if number == 1:
            return self.space.start(objective.n_features)
        if number > 1:
            return self.space.sample(objective.n_features, rng)
        return self.surrogate(objective)


def tells_apart(metric: Metric, judgments: Judgments) -> Bool:
    """Return, by query, whether weights can do well or badly: it counts, and its documents are not all of one grade.

    Parameters
    ----------
    metric : Metric
    judgments : Judgments

    Examples
    --------
    >>> from rankmax.metrics import AP
    >>> tells_apart(AP(), Judgments.from_grades([0, 1, 1, 1], [0, 2, 4]))
    array([ True, False])
    """
    counted = ~np.isnan(evaluate_metrics([metric], np.zeros(judgments.n_documents), judgments)[0])
    queries, levels = QuerySegments(judgments.query_offsets), judgments.document_levels.astype(np.float64)
    differ = np.zeros(judgments.n_queries, np.bool_)
    lowest, highest = (queries.reduce(end, levels) for end in (np.minimum, np.maximum))
    differ[judgments.documents_by_query > 0] = lowest < highest
    tells: Bool = counted & differ
    return tells


def _tells_of_partition(partition: Partition, metric: Metric, levels: F64) -> Bool:
    return tells_apart(metric, partition.data.judgments.with_levels(levels))


def weights_by_query(given: ArrayLike | Mapping[Any, float] | None, data: RankingDataset | EngineDataset) -> F64:
    """Return the weight of each query of a data set.

    Parameters
    ----------
    given : array-like or mapping, optional
        Numbers in the order of the queries (that of their first rows), or a number for each query id; a mapping may
        have more queries than the data. Equal weights when left out.
    data : RankingDataset or EngineDataset

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0], [0.5]], [1, 0], qid=["b", "a"])
    >>> weights_by_query({"a": 1.0, "b": 3.0, "c": 2.0}, data)
    array([3., 1.])
    """
    if given is None:
        return np.ones(data.n_queries)
    if isinstance(given, Mapping):
        by_id = {str(query): weight for query, weight in given.items()}
        missing = [query for query in data.query_ids if query not in by_id]
        if missing:
            raise InvalidDataError(f"query_weights lack {len(missing)} queries of the data, such as {missing[0]!r}")
        given = [by_id[query] for query in data.query_ids]
    try:
        weights = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise InvalidDataError("query_weights must be numbers") from None
    if weights.shape != (data.n_queries,):
        raise InvalidDataError(
            f"query_weights have shape {weights.shape}; expected ({data.n_queries},), one for each query"
        )
    if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise InvalidDataError("query_weights must be finite numbers from 0, and not all 0")
    return weights
