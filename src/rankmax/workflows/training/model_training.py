"""A whole training: fit, save the model, and evaluate it, on local or distributed data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankmax.backends.backend import Backend
from rankmax.backends.distributed_dataset import DistributedDataset
from rankmax.backends.training_data import LocalData, TrainingData
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError
from rankmax.evaluation.run_evaluation import MetricValues, evaluate_scores
from rankmax.formats.shards import Shards
from rankmax.learners.direct.training_progress import TrainingCallback
from rankmax.learners.registry import LEARNERS, option_names
from rankmax.metrics.metric import Metric
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.training.cross_validation import cross_validate, require_folds, was_interrupted
from rankmax.workflows.training.training_job import TrainingJob


@dataclass(frozen=True)
class TrainingRun:
    """Result of a training.

    Attributes
    ----------
    ranker : object
        The fitted learner, with its model in `model_`.
    evaluations : dict of str to MetricValues
        Evaluations on the "training" queries and, where requested, on the queries "left out" by folds and on those of
        "validation".
    n_queries : int
        Number of training queries.
    """

    ranker: Any
    evaluations: dict[str, MetricValues]
    n_queries: int

    @property
    def was_interrupted(self) -> bool:
        """Whether the training was stopped early by Ctrl-C."""
        return was_interrupted(self.ranker)


def run_training(
    job: TrainingJob,
    data: RankingDataset | Shards,
    metrics: Sequence[Metric],
    *,
    backend: Backend | None = None,
    validation: RankingDataset | None = None,
    n_folds: int | None = None,
    save: Callable[[Any], None] = lambda model: None,
    callback: TrainingCallback | None = None,
    tick: Callable[[], None] = lambda: None,
) -> TrainingRun:
    """Train, and evaluate on local or distributed data.

    Parameters
    ----------
    job : TrainingJob
    data : RankingDataset or Shards
    metrics : sequence of Metric
        Metrics to evaluate; without any, the model is only trained.
    backend : Backend, optional
        Backend that reads shards; for learners that support one.
    validation : RankingDataset, optional
    n_folds : int, optional
        Number of folds; no cross-validation by default.
    save : callable
        Called with the model as soon as there is one.
    callback : callable, optional
        Called with the progress of direct maximization.
    tick : callable
        Called after each fold.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.formats import write_shards
    >>> from rankmax.data import planted_linear
    >>> from rankmax.backends import LocalBackend
    >>> from rankmax.metrics import AP
    >>> job = TrainingJob("direct", AP(), "none", {"n_restarts": 1})
    >>> with tempfile.TemporaryDirectory() as folder, LocalBackend() as backend:
    ...     shards = write_shards([(planted_linear(30, 10, 3, seed=1).data, 3)], f"{folder}/shards")
    ...     run = run_training(job, shards, [AP()], backend=backend)
    >>> bool(run.evaluations["training"].means[0] > 0.99)
    True
    """
    if backend is not None:
        job = _with_backend(job, backend)
    queries = _opened(job, data, backend)
    if n_folds is not None:
        require_folds(job, queries, n_folds)
    ranker = job.fit(data, validation, callback=callback)
    model = ranker.model_
    save(model)
    if not metrics:
        return TrainingRun(ranker, {}, queries.n_queries)
    evaluations = {"training": _evaluated(model, queries, metrics)}
    if n_folds is not None and not was_interrupted(ranker):
        evaluations["left out"] = cross_validate(
            job, queries, metrics, n_folds=n_folds, validation=validation, tick=tick
        )
    if validation is not None:
        evaluations["validation"] = evaluate_scores(model.scores(validation), validation, metrics)
    return TrainingRun(ranker, evaluations, queries.n_queries)


def _opened(job: TrainingJob, data: RankingDataset | Shards, backend: Backend | None) -> TrainingData:
    if isinstance(data, RankingDataset):
        return LocalData(data, Normalization.named(job.normalize))
    if backend is None:
        raise IncompatibleError("shards are read by a backend, and none is given")
    return DistributedDataset.kept(backend, data, Normalization.named(job.normalize))


def _evaluated(model: Any, data: TrainingData, metrics: Sequence[Metric]) -> MetricValues:
    return MetricValues(tuple(metrics), tuple(data.query_ids), data.values(model, metrics))


def _with_backend(job: TrainingJob, backend: Backend) -> TrainingJob:
    if job.learner not in LEARNERS or "backend" not in option_names(job.learner):
        able = ", ".join(name for name in LEARNERS if "backend" in option_names(name))
        raise IncompatibleError(f"the learner {job.learner} needs all data in this process; backends are for {able}")
    return replace(job, options={**job.options, "backend": backend})
