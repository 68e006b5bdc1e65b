"""Linear models learned by direct maximization of a metric."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from typing import ClassVar, Self

import numpy as np

from rankmax._arrays import F64
from rankmax._version import __version__
from rankmax.backends.backend import Backend
from rankmax.backends.registry import opened
from rankmax.backends.training_data import TrainingData, require_local
from rankmax.data.dataset import RankingDataset
from rankmax.data.mixed_judgments import MixedJudgments
from rankmax.errors import InvalidParameterError
from rankmax.formats.shards import Shards
from rankmax.learners.declared_options import Option
from rankmax.learners.direct.direct_training import AscentId, Training
from rankmax.learners.direct.executor import run_ascents
from rankmax.learners.direct.point_selection import Validation, best_of, choose_by_bag
from rankmax.learners.direct.preference import probability_better
from rankmax.learners.direct.training_progress import TrainingCallback, TrainingLog
from rankmax.learners.direct.weight_averaging import average_weights
from rankmax.learners.learner import LinearLearner, MetricLearner, QueryWeightedLearner, QueryWeights
from rankmax.learners.presets import LINEAR_RANKER
from rankmax.learners.query_samples import weights_by_query
from rankmax.line_search.objective import Objective
from rankmax.metrics.metric import Metric
from rankmax.models import LinearModel, Provenance, TrainingRecord
from rankmax.models.provenance import Parameter
from rankmax.optimizers.cancellation import Cancellation
from rankmax.optimizers.expected_metric_ascent import ExpectedMetricAscent
from rankmax.optimizers.iterated_ascent import IteratedAscent
from rankmax.optimizers.journal_file import JournalFile
from rankmax.optimizers.optimizer import Optimizer
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.spaces import AugmentedSimplex, ParameterSpace, space_named

EXACT_OPTIMIZER: Optimizer = IteratedAscent()
"""The optimizer of a training without smoothing."""

DEFAULT_SMOOTHING = 0.5
"""The default noise of a weight, in standard deviations of the scores."""

_SHRINKAGE, _SHRINKAGE_WITHOUT_SMOOTHING = 0.75, 0.5
_CHANGES_NO_WEIGHT = ("n_jobs", "backend")
_N_RESTARTS = 10  # without smoothing, as in Metzler & Croft 2007
_N_CYCLES = 2
_CLEARLY_BETTER = 0.977  # by two standard errors: the best of many features is better by chance, too
_PRIOR = 40.0  # queries; these are chosen by cross-validation (docs/benchmarks/expected-metric.md)


class LinearRanker(QueryWeightedLearner, MetricLearner, LinearLearner):
    r"""Find the weights w that maximize a metric over the training queries, ranking by w^T x.

    Ascends by exact line searches from the minimum of a smooth surrogate: ListNet's cross entropy with two kinds of
    targets, averaged by the probability that each gives the higher metric, and with SVM-map by half the cross-validated
    probability that this does (without smoothing, the better cross entropy).
    Further starts, if any, are uniform weights, then random samples of the space; the best result is kept.

    The best weights for the training queries are not the best for other queries. So each line search maximizes the
    expected metric under Gaussian noise of the weight (`smoothing`), and the result is averaged with the surrogate's
    minimum (`shrinkage`), whose penalty on large weights is stronger the fewer queries there are. For the highest
    metric on the training queries themselves, set `smoothing` and `shrinkage` to 0. There are two more ways to lower
    the variance: validation queries, which select among a few points that the ascents visited; and `n_bags`, which
    averages the weights learned from that many bootstrap samples of the queries.

    The result depends on the data, the parameters and the seed, but not on `n_jobs`, nor on how often training was
    stopped and resumed. (A time limit stops training wherever it is.)

    Parameters
    ----------
    metric : str or Metric
        The metric to maximize.
    space : str or ParameterSpace
        "euclidean", "simplex" (nonnegative weights) or "augmented-simplex".
    n_restarts : int, optional
        Number of starts; by default 1, or without smoothing 10, as in the papers, and 1 for each bag.
    n_bags : int
        Number of bootstrap samples of the queries to average over; with 0, learn from all queries at once.
    shrinkage : float, optional
        Share of the surrogate's minimum in the weights, from 0 to 1, after both are scaled to equal spread of the
        scores; by default 0.75, or 0.5 without smoothing. The share is reduced if the surrogate is so poor that a
        single feature would rank the training queries clearly better than the average does (by two standard errors
        of the mean difference), and where validation queries clearly prefer a smaller one. (If that feature is
        clearly better at every share, it is the result.)
    smoothing : float, optional
        Standard deviation of the noise of a weight, in standard deviations of the scores within queries; 0 maximizes
        the metric itself. By default 0.5, or 0 if an optimizer is given.
    optimizer : Optimizer, optional
        By default :class:`~rankmax.optimizers.expected_metric_ascent.ExpectedMetricAscent`, or without smoothing
        :class:`~rankmax.optimizers.iterated_ascent.IteratedAscent`.
    normalization : str or Normalization
        Applied within each query before fitting, and again when predicting.
    seed : int
        Nonnegative random seed, for sampled starts, bootstrap samples and the optimizer.
    n_jobs : int
        Number of processes for the ascents; with 1, everything runs in this process. Scripts that use more must do so
        below ``if __name__ == "__main__":``.
    time_limit : float, optional
        Time limit in seconds, after which training stops with the best weights so far.
    backend : str or Backend, optional
        Backend for sharded data: "local", "dask:local", "dask://host:port", or a running
        :class:`~rankmax.backends.backend.Backend`. It reads the data, which is then given as
        :class:`~rankmax.formats.shards.Shards`. The weights do not depend on it.

    Attributes
    ----------
    coef_ : array of float64, shape (n_features,)
    model_ : LinearModel
    ascents_ : list of Ascent
        One ascent per start, with its history; the ascents of a bag are adjacent.
    value_ : float
        The metric on the training queries.
    validation_value_ : float or None
        The metric on the validation queries, if there are any.
    stopped_by_ : str
        "converged" (also if the optimizer's own budget ran out), "seconds" or "interrupted".

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> problem = planted_linear(30, 10, 3, seed=1)
    >>> ranker = LinearRanker("AP", n_restarts=2).fit_dataset(problem.data)
    >>> ranker.value_ > 0.99
    True

    References
    ----------
    Metzler & Croft 2007, section 4; Morgan, Greiff & Henderson 2004, section 3. Breiman 1996, Bagging predictors.
    """

    options: ClassVar[tuple[Option, ...]] = LINEAR_RANKER.options

    def __init__(
        self,
        metric: str | Metric = "nDCG@10",
        space: str | ParameterSpace = "euclidean",
        n_restarts: int | None = None,
        n_bags: int = 0,
        shrinkage: float | None = None,
        smoothing: float | None = None,
        optimizer: Optimizer | None = None,
        normalization: str | Normalization = "none",
        seed: int = 0,
        n_jobs: int = 1,
        time_limit: float | None = None,
        backend: str | Backend | None = None,
    ) -> None:
        self.metric = metric
        self.space = space
        self.n_restarts = n_restarts
        self.n_bags = n_bags
        self.shrinkage = shrinkage
        self.smoothing = smoothing
        self.optimizer = optimizer
        self.normalization = normalization
        self.seed = seed
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.backend = backend

    def fit_dataset(
        self,
        data: RankingDataset | Shards,
        *,
        validation: RankingDataset | None = None,
        query_weights: QueryWeights | None = None,
        callback: TrainingCallback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Learn from a data set. An interrupt (Ctrl-C) stops early with the best weights so far.

        Parameters
        ----------
        data : RankingDataset or Shards
        validation : RankingDataset, optional
            Validation queries: of the start, the middle and the end of each ascent, they select one that is better by
            more than two standard errors than what the training queries decide (for each bag, of its own ascents, by
            more than one). Nothing else is learned from them: as training queries they gain more.
        query_weights : mapping or array-like, optional
            Nonnegative weight of each query: by query id, or in the order of the data. Bootstrap samples draw queries
            with equal probability, and multiply the weights by the counts.
        callback : callable, optional
            Called with a :class:`~rankmax.learners.direct.training_progress.TrainingProgress` after each improvement
            and at the end of each ascent.
        checkpoint : path, optional
            File that records all results. If it exists already, from the same training, recorded results are not
            computed again: an interrupted training is resumed, and a complete one can be given more starts, bags or
            time.
        """
        if self.n_jobs != 1:
            require_local(data, f"n_jobs={self.n_jobs} is not for shards, whose backend distributes the work; use 1")
        if isinstance(space_named(self.space), AugmentedSimplex):
            require_local(data, "the augmented simplex adds a feature, which backends cannot; use another space")
        mixed = data.judgments if isinstance(data, RankingDataset) else None
        emphasis = mixed.emphasis if isinstance(mixed, MixedJudgments) else 1.0
        with opened(data, self.backend, Normalization.named(self.normalization)) as training_data:
            self._fit(training_data, validation, query_weights, emphasis, callback, checkpoint)
        return self

    def _fit(
        self,
        data: TrainingData,
        validation: RankingDataset | None,
        query_weights: QueryWeights | None,
        emphasis: F64 | float,
        callback: TrainingCallback | None,
        checkpoint: str | os.PathLike[str] | None,
    ) -> None:
        given = weights_by_query(query_weights, data)
        training = self._training(data, given * emphasis)
        validated = None if validation is None else Validation(training, validation)
        with self._journal(checkpoint, training) as journal:
            log = TrainingLog(self._planned_ascents(), callback)
            run_ascents(training, log, journal, Cancellation(self.time_limit), n_jobs=self.n_jobs)
        self.ascents_ = list(log.ascents.values())
        self.stopped_by_ = log.stopped_by
        curve: tuple[tuple[int, float], ...] = ()
        bag_values: tuple[float, ...] = ()
        if self.n_bags:
            chosen = choose_by_bag(training, log.ascents, validated)
            bag_values = tuple(bag.point.value for bag in chosen)
            weights = training.space.project(average_weights([bag.point.weights for bag in chosen], training.prepared))
        else:
            best = best_of(self.ascents_) if validated is None else validated.best_of(self.ascents_)
            curve, weights = best.curve(), best.point.weights
        objective = training.objective(training.query_weights)
        weights = self._shrunk(weights, training, objective, validated)
        estimated = objective if isinstance(emphasis, float) else training.objective(given)
        self.value_ = estimated.at(weights).value
        self.validation_value_ = None if validated is None else validated.value(weights)
        self.model_ = LinearModel(
            training.space.restore(weights),
            data.feature_names,
            training.normalization,
            training.metric.name,
            Provenance(
                learner=type(self).__name__,
                parameters=self._described_parameters(),
                seed=self.seed,
                data_hash=data.content_hash,
            ),
            TrainingRecord(
                value=self.value_,
                validation_value=self.validation_value_,
                n_ascents=len(self.ascents_),
                n_lines=sum(ascent.n_lines for ascent in self.ascents_),
                stopped_by=self.stopped_by_,
                curve=curve,
                bag_values=bag_values,
            ),
        )

    @property
    def n_ascents(self) -> int:
        """Number of ascents that fitting makes, unless it is stopped early."""
        return len(self._planned_ascents())

    def _training(self, data: TrainingData, query_weights: F64) -> Training:
        for name, value, least in (
            ("n_restarts", 1 if self.n_restarts is None else self.n_restarts, 1),
            ("n_bags", self.n_bags, 0),
            ("n_jobs", self.n_jobs, 1),
            ("seed", self.seed, 0),
        ):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                sign = "positive" if least else "nonnegative"
                raise InvalidParameterError(f"{name} is {value!r}; expected a {sign} whole number")
        if self.time_limit is not None and not self.time_limit > 0:
            raise InvalidParameterError(f"time_limit is {self.time_limit}; expected a positive number of seconds")
        if not 0 <= self._share_of_surrogate() <= 1:
            raise InvalidParameterError(f"shrinkage is {self.shrinkage}; expected a number from 0 to 1")
        smoothing = self._checked_smoothing()
        smoothed = ExpectedMetricAscent(sigma=smoothing, n_cycles=_N_CYCLES) if smoothing else EXACT_OPTIMIZER
        return Training(
            data=data,
            normalization=Normalization.named(self.normalization),
            metric=self._metric(),
            space=space_named(self.space),
            optimizer=self.optimizer or smoothed,
            query_weights=query_weights,
            seed=int(self.seed),
            prior=_PRIOR if smoothing else 0.0,
        )

    def _shrunk(self, weights: F64, training: Training, objective: Objective, validated: Validation | None) -> F64:
        """Return the weights averaged with the surrogate's; validation queries select the share, up to `shrinkage`."""
        largest_share = self._share_of_surrogate()
        if largest_share == 0:
            return weights
        both = [weights, training.surrogate(objective, training.query_weights)]
        averages = np.array(
            [
                training.space.project(average_weights(both, training.prepared, shares=[1 - share, share]))
                for share in np.linspace(0, largest_share, 5)
            ]
        )
        single, value = training.best_single_feature(objective)
        good = [
            average_value >= value or probability_better(objective, single, average) < _CLEARLY_BETTER
            for average, average_value in zip(averages, objective.values(averages), strict=True)
        ]
        if not any(good):
            return single
        largest = int(np.flatnonzero(good)[-1])
        chosen: F64 = averages[largest if validated is None else validated.select(averages, largest)]
        return chosen

    def _share_of_surrogate(self) -> float:
        if self.shrinkage is not None:
            return self.shrinkage
        return _SHRINKAGE if self._checked_smoothing() else _SHRINKAGE_WITHOUT_SMOOTHING

    def _checked_smoothing(self) -> float:
        if self.smoothing is None:
            return DEFAULT_SMOOTHING if self.optimizer is None else 0.0
        if not 0 <= self.smoothing < np.inf:
            raise InvalidParameterError(f"smoothing is {self.smoothing}; expected a nonnegative number")
        if self.smoothing > 0 and self.optimizer is not None:
            raise InvalidParameterError(
                f"smoothing={self.smoothing} is not for {type(self.optimizer).__name__}, which has its own way along a "
                "line; leave smoothing or the optimizer out"
            )
        return float(self.smoothing)

    def _planned_ascents(self) -> list[AscentId]:
        if not self.n_bags:
            n_starts = 1 if self._checked_smoothing() else _N_RESTARTS
            return [AscentId(start) for start in range(self.n_restarts or n_starts)]
        return [AscentId(start, bag) for bag in range(self.n_bags) for start in range(self.n_restarts or 1)]

    def _journal(
        self, path: str | os.PathLike[str] | None, training: Training
    ) -> AbstractContextManager[JournalFile | None]:
        """Return the journal at `path`, which must come from ascents with the same data, parameters and seed."""
        if path is None:
            return nullcontext()
        parameters = self._described_parameters()
        decisive = {name: parameters[name] for name in ("metric", "space", "normalization", "seed")}
        uniform = bool((training.query_weights == 1).all())
        return JournalFile(
            path,
            {
                **decisive,
                "optimizer": repr(training.optimizer),
                "prior": training.prior,
                "data": training.data.content_hash,
                "query_weights": None if uniform else training.query_weights.tolist(),
                "rankmax": __version__,
            },
        )

    def _described_parameters(self) -> dict[str, Parameter]:
        named = {
            "metric": self.metric if isinstance(self.metric, str) else self.metric.name,
            "space": space_named(self.space).name,
            "optimizer": None if self.optimizer is None else repr(self.optimizer),
            "normalization": Normalization.named(self.normalization).name,
        }
        kept = {name: value for name, value in self.get_params().items() if name not in _CHANGES_NO_WEIGHT}
        return {**kept, **named}
