"""What a learner's models are worth for queries that they were not trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankmax.arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.data.splits import QueryFold, k_folds
from rankmax.engines.dataset import EngineDataset
from rankmax.errors import IncompatibleError
from rankmax.evaluation.evaluate import Evaluation
from rankmax.learners.base import QueryWeightedLearner
from rankmax.metrics.base import Metric
from rankmax.metrics.evaluate import evaluate_metrics
from rankmax.workflows.training.job import TrainingJob


def cross_validate(
    job: TrainingJob,
    data: RankingDataset | EngineDataset,
    metrics: Sequence[Metric],
    *,
    n_folds: int = 5,
    seed: int = 0,
    validation: RankingDataset | None = None,
    tick: Callable[[], None] = lambda: None,
) -> Evaluation:
    """Deal the queries into folds, and evaluate each on what was learned from the others.

    Where the learner knows weights of queries, those of the fold that is left out are 0: nothing is copied, so shards
    stay where they are, and the values have the same bits wherever that is. (The features of that fold, not its
    judgments, then have a part in the units of features.) Other learners are given the other folds alone.

    Parameters
    ----------
    job : TrainingJob
    data : RankingDataset or EngineDataset
        The latter normalised as the job asks for.
    metrics : sequence of Metric
    n_folds : int
    seed : int
        Of the deal.
    validation : RankingDataset, optional
        As for the training itself.
    tick : callable
        Called after each fold.

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.metrics import AP
    >>> job = TrainingJob("direct", AP(), "none", {"n_restarts": 1})
    >>> held_out = cross_validate(job, planted_linear(30, 10, 3, noise=0.3, seed=1).data, [AP()], n_folds=3)
    >>> held_out.values.shape, bool(0.8 < held_out.means[0] < 1)
    ((1, 30), True)
    """
    require_folds(job, data, n_folds)
    values = np.empty((len(metrics), data.n_queries))
    for fold in k_folds(data.n_queries, n_folds, seed=seed):
        values[:, fold.test] = _values(_learned(job, data, fold, validation), data, metrics, fold.test)
        tick()
    return Evaluation(tuple(metrics), data.query_ids, values)


def require_folds(job: TrainingJob, data: RankingDataset | EngineDataset, n_folds: int) -> None:
    """Raise where folds cannot be dealt or left out.

    Parameters
    ----------
    job : TrainingJob
    data : RankingDataset or EngineDataset
    n_folds : int
    """
    k_folds(data.n_queries, n_folds, seed=0)
    if isinstance(data, EngineDataset) and not _knows_weights(job):
        raise IncompatibleError(
            f"folds of shards are left out by weights of queries, which the learner {job.learner} does not know; "
            "cross-validate it on a data file"
        )


def _knows_weights(job: TrainingJob) -> bool:
    return isinstance(job.build(), QueryWeightedLearner)


def _learned(
    job: TrainingJob, data: RankingDataset | EngineDataset, fold: QueryFold, validation: RankingDataset | None
) -> Any:
    options = {name: value for name, value in job.options.items() if name != "checkpoint"}  # that of another training
    weights = np.zeros(data.n_queries)
    weights[fold.train] = 1.0
    if isinstance(data, EngineDataset):
        there = replace(job, options={**options, "engine": data.engine})
        ranker = there.fit(data.shards, validation, query_weights=weights)
    elif _knows_weights(job):
        ranker = replace(job, options=options).fit(data, validation, query_weights=weights)
    else:
        ranker = replace(job, options=options).fit(data.select(fold.train), validation)
    if was_interrupted(ranker):
        raise KeyboardInterrupt  # which ends a training with the best so far, but is meant for all folds
    return ranker.model_


def was_interrupted(ranker: Any) -> bool:
    """Return whether Ctrl-C ended a training early.

    Parameters
    ----------
    ranker : Learner
        Which has learned.
    """
    record = getattr(ranker.model_, "training", None)
    return record is not None and record.stopped_by == "interrupted"


def _values(model: Any, data: RankingDataset | EngineDataset, metrics: Sequence[Metric], queries: I64) -> F64:
    if isinstance(data, EngineDataset):
        return data.values(model, metrics)[:, queries]
    held_out = data.select(queries)
    return evaluate_metrics(metrics, model.scores(held_out), held_out.judgments)
