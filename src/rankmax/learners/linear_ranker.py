"""Linear models learned by maximising the metric itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Self

import numpy as np

from rankmax._version import __version__
from rankmax.arrays import F64
from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation
from rankmax.data.shards import Shards
from rankmax.engines.base import Engine
from rankmax.engines.dataset import EngineDataset
from rankmax.engines.named import opened
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.learners.bagging import average_weights
from rankmax.learners.base import LinearLearner, MetricLearner, QueryWeightedLearner, QueryWeights
from rankmax.learners.progress import Monitor, TrainingCallback
from rankmax.learners.running import Deadline
from rankmax.learners.selection import Judge, best_of, choose_by_bag, validation_judge
from rankmax.learners.training import Climb, Training, weights_by_query
from rankmax.learners.workers import run_climbs
from rankmax.lines.base import Objective
from rankmax.metrics.base import Metric
from rankmax.models import LinearModel, Parameter, Provenance, TrainingRecord
from rankmax.optimizers.base import Optimizer
from rankmax.optimizers.iterated_ascent import IteratedAscent
from rankmax.optimizers.journal_file import JournalFile
from rankmax.spaces import AugmentedSimplex, ParameterSpace, space_named

DEFAULT_OPTIMIZER: Optimizer = IteratedAscent()
"""How a ranker climbs unless told otherwise."""

_CHANGES_NO_WEIGHT = ("n_jobs", "engine")
_N_RESTARTS = 10  # as in Metzler & Croft 2007


class LinearRanker(QueryWeightedLearner, MetricLearner, LinearLearner):
    r"""Find the weights w that maximise a metric over the training queries, ranking by w^T x.

    Climbs by exact line searches from several starts, and keeps the best: first the minimum of a smooth surrogate
    (ListNet's cross entropy with two kinds of targets, whichever gives the higher metric), which is usually near a high
    peak, then uniform weights, then samples of the space.

    The best weights for the training queries are not the best for others. So what was found is averaged with the
    surrogate's minimum (`shrinkage`), which in cross-validation mostly served new queries better than the maximum; for
    the highest metric on the training queries themselves, set that to 0. Two more ways to lower variance: give
    validation queries, which then choose among all points that the ascents came by; or `n_bags`, which averages the
    weights learned from that many bootstrap samples of the queries.

    The result depends on the data, the parameters and the seed; not on `n_jobs`, nor on how often training was
    stopped and resumed. (A time limit cuts off what was not reached in time.)

    Parameters
    ----------
    metric : str or Metric
        What to maximise.
    space : str or ParameterSpace
        "euclidean", "simplex" (nonnegative weights) or "augmented-simplex".
    n_restarts : int, optional
        Number of starts: 10 when left out, as in the papers, and 1 for each bag.
    n_bags : int
        Number of bootstrap samples of the queries to learn from and average over; 0: learn from all queries at once.
    shrinkage : float
        Share of the surrogate's minimum in the weights, from 0 to 1, both scaled to equal spread of the scores.
        Validation queries choose a share up to this one. Without them it is less where the surrogate is so far off that
        a single feature would rank the training queries better than the average.
    optimizer : Optimizer, optional
        :class:`~rankmax.optimizers.iterated_ascent.IteratedAscent` when left out.
    normalisation : str or Normalisation
        Applied within each query before fitting, and again when predicting.
    seed : int
        From 0. Of the sampled starts, the bootstrap samples and the optimizer.
    n_jobs : int
        Number of processes to run ascents in; with 1, here. Scripts that use more must do so below
        ``if __name__ == "__main__":``.
    time_limit : float, optional
        Seconds after which the best so far is taken.
    engine : str or Engine, optional
        Where documents lie: "local", "dask:local" or "dask://host:port", or an
        :class:`~rankmax.engines.base.Engine` that is at work. Then data is given as
        :class:`~rankmax.data.shards.Shards`, which are read there. Changes no weight.

    Attributes
    ----------
    coef_ : array of float64, shape (n_features,)
    model_ : LinearModel
    ascents_ : list of Ascent
        One from each start, those of one bag next to each other, with their histories.
    value_ : float
        The metric on the training queries.
    validation_value_ : float or None
        The metric on the validation queries, where there are any.
    stopped_by_ : str
        "converged" (or the optimizer's own budgets), "seconds" or "interrupted".

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> problem = planted_linear(30, 10, 3, seed=1)
    >>> ranker = LinearRanker("AP", n_restarts=2).fit_dataset(problem.data)
    >>> ranker.value_ > 0.99
    True

    References
    ----------
    Metzler & Croft 2007, section 4; Morgan, Greiff & Henderson 2004, section 3. Breiman 1996, Bagging predictors.
    """

    def __init__(
        self,
        metric: str | Metric = "nDCG@10",
        space: str | ParameterSpace = "euclidean",
        n_restarts: int | None = None,
        n_bags: int = 0,
        shrinkage: float = 0.5,
        optimizer: Optimizer | None = None,
        normalisation: str | Normalisation = "none",
        seed: int = 0,
        n_jobs: int = 1,
        time_limit: float | None = None,
        engine: str | Engine | None = None,
    ) -> None:
        self.metric = metric
        self.space = space
        self.n_restarts = n_restarts
        self.n_bags = n_bags
        self.shrinkage = shrinkage
        self.optimizer = optimizer
        self.normalisation = normalisation
        self.seed = seed
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.engine = engine

    def fit_dataset(
        self,
        data: RankingDataset | Shards,
        *,
        validation: RankingDataset | None = None,
        query_weights: QueryWeights | None = None,
        callback: TrainingCallback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Learn from a data set. An interrupt (Ctrl-C) ends with the best so far.

        Parameters
        ----------
        data : RankingDataset or Shards
        validation : RankingDataset, optional
            Queries to choose by: of all points that the ascents came by (for a bag, that its ascents came by), the one
            with the highest metric on these is taken. Without them, the one with the highest on the training queries.
        query_weights : mapping or array-like, optional
            How much each query counts, from 0: by query id, or in the order of the data. Bootstrap samples draw
            queries with equal chances and multiply.
        callback : callable, optional
            Called with a :class:`~rankmax.learners.progress.TrainingProgress` after each improvement and at the end
            of each ascent.
        checkpoint : path, optional
            File that records all that is found out. Where it exists already, made by the same training, nothing of that
            is computed again: an interrupted training goes on, and one that was complete can be given more starts, bags
            or time.
        """
        with self._opened(data) as opened:
            self._fit(opened, validation, query_weights, callback, checkpoint)
        return self

    def _fit(
        self,
        data: RankingDataset | EngineDataset,
        validation: RankingDataset | None,
        query_weights: QueryWeights | None,
        callback: TrainingCallback | None,
        checkpoint: str | os.PathLike[str] | None,
    ) -> None:
        training = self._training(data, weights_by_query(query_weights, data))
        content = data.shards.content_hash if isinstance(data, EngineDataset) else data_hash(data)
        judge = None if validation is None else validation_judge(training, validation)
        with self._journal(checkpoint, training, content) as journal:
            monitor = Monitor(self._climbs(), callback)
            run_climbs(training, monitor, journal, Deadline(self.time_limit), n_jobs=self.n_jobs)
        self.ascents_ = list(monitor.ascents.values())
        self.stopped_by_ = monitor.stopped_by
        curve: tuple[tuple[int, float], ...] = ()
        bag_values: tuple[float, ...] = ()
        if self.n_bags:
            chosen = choose_by_bag(training, monitor.ascents, judge)
            bag_values = tuple(bag.point.value for bag in chosen)
            weights = training.space.project(average_weights([bag.point.weights for bag in chosen], training.prepared))
        else:
            best = best_of(self.ascents_, judge)
            curve, weights = best.curve(), best.point.weights
        objective = training.objective(training.query_weights)
        weights = self._shrunk(weights, training, objective, judge)
        self.value_ = objective.at(weights).value
        self.validation_value_ = None if judge is None else float(judge(weights[None])[0])
        self.model_ = LinearModel(
            training.space.restore(weights),
            data.feature_names,
            training.normalisation,
            training.metric.name,
            Provenance(
                learner=type(self).__name__,
                parameters=self._described_parameters(),
                seed=self.seed,
                data_hash=content,
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
        return len(self._climbs())

    @contextmanager
    def _opened(self, data: RankingDataset | Shards) -> Iterator[RankingDataset | EngineDataset]:
        """Give the data, where an engine keeps it; an engine that was named ends with the block."""
        if isinstance(data, Shards):
            if self.n_jobs != 1:
                raise IncompatibleError(f"n_jobs={self.n_jobs} is not for shards: their engine shares the work; use 1")
            if isinstance(space_named(self.space), AugmentedSimplex):
                raise IncompatibleError("the augmented simplex adds a feature, which engines cannot; use another space")
        with opened(data, self.engine, Normalisation.named(self.normalisation)) as there:
            yield there

    def _training(self, data: RankingDataset | EngineDataset, query_weights: F64) -> Training:
        for name, value, least in (
            ("n_restarts", _N_RESTARTS if self.n_restarts is None else self.n_restarts, 1),
            ("n_bags", self.n_bags, 0),
            ("n_jobs", self.n_jobs, 1),
            ("seed", self.seed, 0),
        ):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise InvalidParameterError(f"{name} is {value!r}; expected a whole number from {least}")
        if self.time_limit is not None and not self.time_limit > 0:
            raise InvalidParameterError(f"time_limit is {self.time_limit}; expected a positive number of seconds")
        if not 0 <= self.shrinkage <= 1:
            raise InvalidParameterError(f"shrinkage is {self.shrinkage}; expected a number from 0 to 1")
        normalisation = Normalisation.named(self.normalisation)
        return Training(
            data=data if isinstance(data, EngineDataset) else normalisation.apply(data),
            normalisation=normalisation,
            metric=self._metric(),
            space=space_named(self.space),
            optimizer=self.optimizer or DEFAULT_OPTIMIZER,
            query_weights=query_weights,
            seed=int(self.seed),
        )

    def _shrunk(self, weights: F64, training: Training, objective: Objective, judge: Judge | None) -> F64:
        """Return the weights averaged with the surrogate's; a judge chooses the share, up to `shrinkage`."""
        if self.shrinkage == 0:
            return weights
        both = [weights, training.surrogate(objective)]
        averages = np.array(
            [
                training.space.project(average_weights(both, training.prepared, shares=[1 - share, share]))
                for share in np.linspace(0, self.shrinkage, 5)
            ]
        )
        if judge is not None:
            chosen: F64 = averages[int(np.argmax(judge(averages)))]
            return chosen
        good = objective.values(averages) >= training.best_single_feature(objective)
        largest: F64 = averages[int(np.flatnonzero(good)[-1]) if good.any() else 0]
        return largest

    def _climbs(self) -> list[Climb]:
        if not self.n_bags:
            return [Climb(start) for start in range(self.n_restarts or _N_RESTARTS)]
        return [Climb(start, bag) for bag in range(self.n_bags) for start in range(self.n_restarts or 1)]

    def _journal(
        self, path: str | os.PathLike[str] | None, training: Training, content: str
    ) -> AbstractContextManager[JournalFile | None]:
        """Return the file at `path`; what decides the course of each ascent must be what it was when it was made."""
        if path is None:
            return nullcontext()
        parameters = self._described_parameters()
        decisive = {name: parameters[name] for name in ("metric", "space", "normalisation", "seed")}
        uniform = bool((training.query_weights == 1).all())
        return JournalFile(
            path,
            {
                **decisive,
                "optimizer": repr(training.optimizer),
                "data": content,
                "query_weights": None if uniform else training.query_weights.tolist(),
                "rankmax": __version__,
            },
        )

    def _described_parameters(self) -> dict[str, Parameter]:
        named = {
            "metric": self.metric if isinstance(self.metric, str) else self.metric.name,
            "space": space_named(self.space).name,
            "optimizer": None if self.optimizer is None else repr(self.optimizer),
            "normalisation": Normalisation.named(self.normalisation).name,
        }
        kept = {name: value for name, value in self.get_params().items() if name not in _CHANGES_NO_WEIGHT}
        return {**kept, **named}
