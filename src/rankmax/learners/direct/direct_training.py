"""A training as a set of ascents, each determined by its number and the seed, wherever and whenever it runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rankmax._arrays import F64, Bool
from rankmax._numerics.bootstrap_counts import counts_in_one_sample
from rankmax.backends.training_data import Part, TrainingData
from rankmax.data.splits import k_folds
from rankmax.learners.direct.margin_fit import fit_margins_over
from rankmax.learners.direct.preference import difference_sums, probability_better, probability_positive
from rankmax.learners.direct.weight_averaging import average_weights
from rankmax.learners.query_samples import tells_apart
from rankmax.line_search.objective import Objective
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.linear_fit import LinearFit, fit_linear_over
from rankmax.losses.surrogate_loss import Surrogate
from rankmax.metrics.metric import Metric
from rankmax.optimizers.cancellation import Cancellation
from rankmax.optimizers.journal import Journal
from rankmax.optimizers.optimizer import Ascent, Callback, Optimizer
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.spaces import ParameterSpace

_N_FOLDS = 3  # more cost time, and gain nothing that shows


@dataclass(frozen=True)
class AscentId:
    """The identity of one ascent of a training.

    Attributes
    ----------
    start : int
        Number of the start: 0 is the surrogate (:meth:`Training.surrogate`), 1 is uniform weights, others are samples
        of the space.
    bag : int, optional
        Number of the bootstrap sample of the queries; None for all queries.
    """

    start: int
    bag: int | None = None

    @property
    def key(self) -> str:
        """The ascent's name in a journal."""
        return f"start {self.start}" if self.bag is None else f"bag {self.bag} start {self.start}"


@dataclass(frozen=True, eq=False)
class Training:
    """Data and settings that the ascents of one training share.

    Attributes
    ----------
    data : TrainingData
    normalization : Normalization
        Normalization of the data, as the model will apply it.
    metric : Metric
    space : ParameterSpace
    optimizer : Optimizer
    query_weights : array of float64, shape (n_queries,)
    seed : int
        Random seed; each ascent has its own random numbers, derived from the seed and its identity.
    prior : float
        Strength of the surrogate's penalty on large weights, as a number of queries: it is divided by the number of
        informative queries, so that with more of these it has less to say. With 0 the penalty is weak, and the same for
        any number of queries.
    """

    data: TrainingData
    normalization: Normalization
    metric: Metric
    space: ParameterSpace
    optimizer: Optimizer
    query_weights: F64
    seed: int
    prior: float = 0.0
    _surrogate_of_all: list[F64] = field(default_factory=list, init=False, repr=False)

    @cached_property
    def prepared(self) -> TrainingData:
        """The data as the space transforms its features."""
        return self.data.prepared(self.space)

    def objective(self, query_weights: F64) -> Objective:
        """Return the metric over the training data with the given query weights.

        Parameters
        ----------
        query_weights : array of float64, shape (n_queries,)
        """
        return self.prepared.objective(self.metric, query_weights)

    def ascend(
        self,
        one: AscentId,
        *,
        callback: Callback | None = None,
        journal: Journal | None = None,
        cancellation: Cancellation | None = None,
    ) -> Ascent:
        """Run one ascent.

        Parameters
        ----------
        one : AscentId
        callback : callable, optional
        journal : Journal, optional
        cancellation : Cancellation, optional
        """
        rng = self._rng(one.bag, one.start)
        weights = self.query_weights if one.bag is None else self.query_weights * self.counts(one.bag)
        objective = self.objective(weights)
        return self.optimizer.maximize(
            objective,
            self.space,
            start=self._start(one.start, objective, weights, rng),
            rng=rng,
            callback=callback,
            journal=journal,
            cancellation=cancellation,
        )

    def surrogate(self, objective: Objective, query_weights: F64) -> F64:
        """Return the average of two smooth surrogates' minima and SVM-map, or without a prior the better surrogate.

        The share of each smooth surrogate is the probability that it is the better one, by the queries that it is
        learned from: the average varies less from sample to sample than whichever happens to be better. SVM-map has
        :attr:`margin_share` of the whole. Exact ascents start from the higher value.

        Parameters
        ----------
        objective : Objective
            The metric over the training data.
        query_weights : array of float64, shape (n_queries,)
            Query weights in the objective and in the surrogates.
        """
        whole = query_weights is self.query_weights
        if whole and self._surrogate_of_all:
            return self._surrogate_of_all[0]
        found = self._smooth_surrogate(objective, query_weights)
        share = self.margin_share if self.prior > 0 else 0.0
        margins = self._margin_surrogate(objective, query_weights) if share > 0 else None
        if margins is not None:
            found = self.space.project(average_weights([found, margins], self.prepared, shares=[1 - share, share]))
        if whole:
            self._surrogate_of_all.append(found)
        return found

    @cached_property
    def margin_share(self) -> float:
        """Share of SVM-map in the surrogate: half the probability that it ranks held-out queries better.

        On queries learned from it would look better wherever it overfits, so both are cross-validated. At most a half:
        the average of both varies less than either.
        """
        informative = np.flatnonzero(self.query_weights * self.telling)
        if informative.size < _N_FOLDS:
            return 0.0
        sums = []
        for fold in k_folds(informative.size, _N_FOLDS, seed=self.seed):
            held = np.zeros(self.data.n_queries, np.bool_)
            held[informative[fold.test]] = True
            learned, held_out = (np.where(held == kept, self.query_weights, 0.0) for kept in (False, True))
            objective = self.objective(learned)
            margins = self._margin_surrogate(objective, learned)
            if margins is None:
                return 0.0
            sums.append(difference_sums(self.objective(held_out), margins, self._smooth_surrogate(objective, learned)))
        return probability_positive(np.sum(sums, axis=0)) / 2

    def _margin_surrogate(self, objective: Objective, query_weights: F64) -> F64 | None:
        weights = fit_margins_over(self._of_own_features(objective, query_weights))
        return None if weights is None else self.space.project(self.space.embed(weights))

    def _smooth_surrogate(self, objective: Objective, query_weights: F64) -> F64:
        fits = [
            self.space.project(self.space.embed(self._fit(loss, objective, query_weights).weights))
            for loss in (CrossEntropy(), ProportionalCrossEntropy())
        ]
        if self.prior == 0:
            return max(fits, key=lambda w: objective.at(w).value)
        share = probability_better(objective, *fits)
        return self.space.project(average_weights(fits, self.prepared, shares=[share, 1 - share]))

    def _of_own_features(self, objective: Objective, query_weights: F64) -> Objective:
        """Return the objective over the data's own features, in which surrogates are linear."""
        return objective if self.prepared is self.data else self.data.objective(self.metric, query_weights)

    def _fit(self, loss: Surrogate, objective: Objective, query_weights: F64) -> LinearFit:
        objective = self._of_own_features(objective, query_weights)
        if self.prior == 0:
            return fit_linear_over(loss, objective)
        n_informative = int(np.count_nonzero(query_weights * self.telling))
        return fit_linear_over(loss, objective, ridge=self.prior / max(n_informative, 1))

    def best_single_feature(self, objective: Objective) -> tuple[F64, float]:
        """Return the weights and the value of the best single feature, in either direction that the space allows.

        Parameters
        ----------
        objective : Objective
            The metric over the training data.
        """
        axes = np.eye(self.data.n_features)
        alone = np.array([self.space.project(self.space.embed(w)) for w in np.concatenate([axes, -axes])])
        values = objective.values(alone)
        best = int(np.argmax(values))
        return alone[best], float(values[best])

    def counts(self, bag: int) -> F64:
        """Return how often each query occurs in a bootstrap sample.

        Parameters
        ----------
        bag : int
        """
        return counts_in_one_sample(self.telling, self._rng(bag))

    @cached_property
    def telling(self) -> F64:
        """1 for each informative query, 0 for others, which bootstrap samples leave out."""
        tells = np.concatenate(self.data.map(_tells_of_part, None, self.metric, self.data.levels))
        telling: F64 = (tells & (self.query_weights > 0)).astype(np.float64)
        return telling

    def _rng(self, bag: int | None, *numbers: int) -> np.random.Generator:
        key = (0 if bag is None else bag + 1, *numbers)
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    def _start(self, number: int, objective: Objective, query_weights: F64, rng: np.random.Generator) -> F64:
        if number == 1:
            return self.space.start(objective.n_features)
        if number > 1:
            return self.space.sample(objective.n_features, rng)
        return self.surrogate(objective, query_weights)


def _tells_of_part(part: Part, metric: Metric, levels: F64) -> Bool:
    return tells_apart(metric, part.with_levels(levels).judgments)
