"""A whole training: fit, save the model, and evaluate it, on local or distributed data."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from rankmax.backends.backend import Backend
from rankmax.backends.distributed_dataset import DistributedDataset
from rankmax.backends.training_data import LocalData, TrainingData
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError, RankmaxError, RankmaxWarning
from rankmax.evaluation.run_evaluation import MetricValues, evaluate_scores
from rankmax.formats.shards import Shards
from rankmax.learners.direct.training_progress import TrainingCallback
from rankmax.learners.registry import LEARNERS, option_names
from rankmax.metrics.metric import Metric
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.training.cross_validation import (
    cross_validate,
    default_folds,
    is_overfitted,
    require_folds,
    was_interrupted,
)
from rankmax.workflows.training.training_job import TrainingJob

CROSS_VALIDATED = "cross-validated"
"""Name of the evaluation on held-out folds."""


@dataclass(frozen=True)
class TrainingRun:
    """Result of a training.

    Attributes
    ----------
    ranker : object
        The fitted learner, with its model in `model_`.
    evaluations : dict of str to MetricValues
        Evaluations on the "training" queries and, where there are any, "cross-validated" and on the queries of
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

    @property
    def overfitted(self) -> tuple[Metric, ...]:
        """The metrics that are far higher on the training queries than cross-validated."""
        if CROSS_VALIDATED not in self.evaluations:
            return ()
        training, held_out = self.evaluations["training"], self.evaluations[CROSS_VALIDATED]
        pairs = zip(training.metrics, training.values, held_out.values, strict=True)
        return tuple(metric for metric, known, new in pairs if is_overfitted(known, new))

    def overfitting(self) -> list[str]:
        """Return a message for each metric that is far higher on the training queries."""
        means = {
            part: dict(zip(found.metrics, found.means.tolist(), strict=True))
            for part, found in self.evaluations.items()
        }
        return [
            f"overfitting: {metric.name} is {means['training'][metric]:.4f} on the training queries, but "
            f"{means[CROSS_VALIDATED][metric]:.4f} cross-validated; expect the latter of new queries. More judged "
            "queries or fewer features would narrow the gap"
            for metric in self.overfitted
        ]


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
        Number of folds of cross-validation, 0 for none; by default 5 where the data is so small that this takes about
        a second, and otherwise none.
    save : callable
        Called with the model as soon as there is one, and again when it is cross-validated.
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
        job = with_backend(job, backend)
    queries = _opened(job, data, backend)
    if n_folds:
        require_folds(job, queries, n_folds)
    ranker = job.fit(data, validation, callback=callback)
    model = ranker.model_
    save(model)
    if not metrics:
        return TrainingRun(ranker, {}, queries.n_queries)
    evaluations = {"training": _evaluated(model, queries, metrics)}
    if n_folds != 0 and not was_interrupted(ranker):
        given: dict[str, Any] = {"validation": validation, "tick": tick}
        if n_folds is not None:
            evaluations[CROSS_VALIDATED] = cross_validate(job, queries, metrics, n_folds=n_folds, **given)
        elif folds := default_folds(job, queries):
            # nobody asked for it, so it may neither fail nor cost the model if it is interrupted
            with suppress(RankmaxError, KeyboardInterrupt), warnings.catch_warnings():
                warnings.simplefilter("ignore", RankmaxWarning)
                evaluations[CROSS_VALIDATED] = cross_validate(job, queries, metrics, n_folds=folds, **given)
    if CROSS_VALIDATED in evaluations and model.training is not None and job.metric in metrics:
        value = float(evaluations[CROSS_VALIDATED].means[list(metrics).index(job.metric)])
        record = msgspec.structs.replace(model.training, cross_validated_value=value)
        ranker.model_ = replace(model, training=record)
        save(ranker.model_)
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


def with_backend(job: TrainingJob, backend: Backend) -> TrainingJob:
    """Return the job on a backend, or raise where its learner supports none.

    Parameters
    ----------
    job : TrainingJob
    backend : Backend
    """
    if job.learner not in LEARNERS or "backend" not in option_names(job.learner):
        able = ", ".join(name for name in LEARNERS if "backend" in option_names(name))
        raise IncompatibleError(f"the learner {job.learner} needs all data in this process; backends are for {able}")
    return replace(job, options={**job.options, "backend": backend})
