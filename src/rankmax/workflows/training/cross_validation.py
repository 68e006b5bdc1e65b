"""Cross-validation: metrics of a learner's models on held-out queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankmax._arrays import F64
from rankmax._numerics.standard_error import standard_error
from rankmax.backends.training_data import TrainingData, require_local
from rankmax.data.dataset import RankingDataset
from rankmax.data.splits import QueryFold, k_folds
from rankmax.evaluation.run_evaluation import MetricValues
from rankmax.learners.learner import QueryWeightedLearner
from rankmax.metrics.metric import Metric
from rankmax.workflows.training.training_job import TrainingJob

DEFAULT_FOLDS = 5

_QUICK = 500_000  # feature values: five more trainings take a second or two, about as long as reading such a file
_FAR = 0.1  # of the cross-validated value
_STANDARD_ERRORS = 2.0


def cross_validate(
    job: TrainingJob,
    data: TrainingData,
    metrics: Sequence[Metric],
    *,
    n_folds: int = 5,
    seed: int = 0,
    validation: RankingDataset | None = None,
    tick: Callable[[], None] = lambda: None,
) -> MetricValues:
    """Split the queries into folds, and evaluate each with a model trained on the others.

    Where the learner supports query weights, those of the held-out fold are 0: nothing is copied, so shards stay in
    place, and local and distributed data give the same bits. (The features of that fold, but not its judgments, then
    enter the units of the features.) Other learners get only the data of the other folds.

    Parameters
    ----------
    job : TrainingJob
    data : TrainingData
        Data, normalized as the job requires.
    metrics : sequence of Metric
    n_folds : int
    seed : int
        Random seed of the folds.
    validation : RankingDataset, optional
        Validation queries, as for the training itself.
    tick : callable
        Called after each fold.

    Examples
    --------
    >>> from rankmax.backends.training_data import LocalData
    >>> from rankmax.data import planted_linear
    >>> from rankmax.preprocessing import Unchanged
    >>> from rankmax.metrics import AP
    >>> job = TrainingJob("direct", AP(), "none", {"n_restarts": 1})
    >>> data = LocalData(planted_linear(30, 10, 3, noise=0.3, seed=1).data, Unchanged())
    >>> held_out = cross_validate(job, data, [AP()], n_folds=3)
    >>> held_out.values.shape, bool(0.8 < held_out.means[0] < 1)
    ((1, 30), True)
    """
    require_folds(job, data, n_folds)
    values = np.empty((len(metrics), data.n_queries))
    for fold in k_folds(data.n_queries, n_folds, seed=seed):
        values[:, fold.test] = data.values(_learned(job, data, fold, validation), metrics, queries=fold.test)
        tick()
    return MetricValues(tuple(metrics), tuple(data.query_ids), values)


def require_folds(job: TrainingJob, data: TrainingData, n_folds: int) -> None:
    """Raise where the queries cannot be split into folds or the learner cannot hold folds out.

    Parameters
    ----------
    job : TrainingJob
    data : TrainingData
    n_folds : int
    """
    k_folds(data.n_queries, n_folds, seed=0)
    if not _knows_weights(job):
        require_local(
            data.source,
            f"folds of shards are held out by query weights, which the learner {job.learner} does not support; "
            "cross-validate it on a data file",
        )


def default_folds(job: TrainingJob, data: TrainingData) -> int:
    """Return the number of folds where cross-validation takes no longer than a user would wait for it, else 0.

    It depends on the size of the data and the number of ascents, not on a clock, so that the same command reports the
    same on every machine. Shards, processes, checkpoints and time limits are signs of a long training.

    Parameters
    ----------
    job : TrainingJob
    data : TrainingData
    """
    is_long = any(job.options.get(name) is not None for name in ("checkpoint", "time_limit", "n_jobs"))
    if data.backend is not None or is_long or data.n_queries < 2 * DEFAULT_FOLDS:
        return 0
    n_ascents = getattr(job.build(), "n_ascents", 1)
    return DEFAULT_FOLDS if n_ascents * data.n_documents * data.n_features <= _QUICK else 0


def is_overfitted(training: F64, held_out: F64) -> bool:
    """Return whether a metric on the training queries is above the cross-validated one by a tenth, and beyond chance.

    Parameters
    ----------
    training, held_out : array of float64, shape (n_queries,)
        The metric of each query with the model, and with one that was trained without the query; NaN for queries that
        are left out.

    Examples
    --------
    >>> is_overfitted(np.array([0.9, 0.8, 1.0]), np.array([0.5, 0.6, 0.5]))
    True
    >>> is_overfitted(np.array([0.9, 0.8, 1.0]), np.array([0.9, 0.7, 1.0]))
    False
    """
    counted = ~np.isnan(training - held_out)
    drop = (training - held_out)[counted]
    if drop.size < 2:
        return False
    return bool(drop.mean() > max(_STANDARD_ERRORS * standard_error(drop), _FAR * held_out[counted].mean()))


def _knows_weights(job: TrainingJob) -> bool:
    return isinstance(job.build(), QueryWeightedLearner)


def _learned(job: TrainingJob, data: TrainingData, fold: QueryFold, validation: RankingDataset | None) -> Any:
    options = {name: value for name, value in job.options.items() if name != "checkpoint"}  # that of another training
    if data.backend is not None:
        options["backend"] = data.backend
    this = replace(job, options=options)
    if _knows_weights(job):
        weights = np.zeros(data.n_queries)
        weights[fold.train] = 1.0
        ranker = this.fit(data.source, validation, query_weights=weights)
    else:
        ranker = this.fit(data.select(fold.train), validation)
    if was_interrupted(ranker):
        raise KeyboardInterrupt  # the training stopped early with its best weights, but the interrupt is for all folds
    return ranker.model_


def was_interrupted(ranker: Any) -> bool:
    """Return whether a training was stopped early by Ctrl-C.

    Parameters
    ----------
    ranker : Learner
        A fitted learner.
    """
    record = getattr(ranker.model_, "training", None)
    return record is not None and record.stopped_by == "interrupted"
