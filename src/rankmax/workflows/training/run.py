"""A whole training: learn, write the model, and see what it is worth, on data that is here or lies with an engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation
from rankmax.data.shards import Shards
from rankmax.engines.base import Engine
from rankmax.engines.dataset import EngineDataset
from rankmax.errors import IncompatibleError
from rankmax.evaluation.evaluate import Evaluation, evaluate
from rankmax.learners.progress import TrainingCallback
from rankmax.metrics.base import Metric
from rankmax.workflows.training.cross_validation import cross_validate, require_folds, was_interrupted
from rankmax.workflows.training.job import TrainingJob
from rankmax.workflows.training.learners import LEARNERS


@dataclass(frozen=True)
class TrainingRun:
    """What came of a training.

    Attributes
    ----------
    ranker : object
        The learner, whose `model_` is what it learned.
    evaluations : dict of str to Evaluation
        On the queries of "training", on those "left out" of it by folds, and on those of "validation", as far as asked.
    n_queries : int
        That were trained on.
    """

    ranker: Any
    evaluations: dict[str, Evaluation]
    n_queries: int

    @property
    def was_interrupted(self) -> bool:
        """Whether Ctrl-C ended the training early."""
        return was_interrupted(self.ranker)


def run_training(
    job: TrainingJob,
    data: RankingDataset | Shards,
    metrics: Sequence[Metric],
    *,
    engine: Engine | None = None,
    validation: RankingDataset | None = None,
    n_folds: int | None = None,
    save: Callable[[Any], None] = lambda model: None,
    callback: TrainingCallback | None = None,
    tick: Callable[[], None] = lambda: None,
) -> TrainingRun:
    """Train, and evaluate where the data is.

    Parameters
    ----------
    job : TrainingJob
    data : RankingDataset or Shards
    metrics : sequence of Metric
        To evaluate.
    engine : Engine, optional
        That reads shards; for learners that take one.
    validation : RankingDataset, optional
    n_folds : int, optional
        Of cross-validation; none when left out.
    save : callable
        Given the model as soon as there is one.
    callback : callable, optional
        Told by direct maximisation how far it has come.
    tick : callable
        Called after each fold.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.data.shards import write_shards
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.engines.local import LocalEngine
    >>> from rankmax.metrics import AP
    >>> job = TrainingJob("direct", AP(), "none", {"n_restarts": 1})
    >>> with tempfile.TemporaryDirectory() as folder, LocalEngine() as engine:
    ...     shards = write_shards([(planted_linear(30, 10, 3, seed=1).data, 3)], f"{folder}/shards")
    ...     run = run_training(job, shards, [AP()], engine=engine)
    >>> bool(run.evaluations["training"].means[0] > 0.99)
    True
    """
    if engine is not None:
        job = _with_engine(job, engine)
    queries = _opened(job, data, engine)
    if n_folds is not None:
        require_folds(job, queries, n_folds)
    ranker = job.fit(data, validation, callback=callback)
    model = ranker.model_
    save(model)
    evaluations = {"training": _evaluated(model, queries, metrics)}
    if n_folds is not None and not was_interrupted(ranker):
        evaluations["left out"] = cross_validate(
            job, queries, metrics, n_folds=n_folds, validation=validation, tick=tick
        )
    if validation is not None:
        evaluations["validation"] = evaluate(model.scores(validation), validation, metrics)
    return TrainingRun(ranker, evaluations, queries.n_queries)


def _opened(job: TrainingJob, data: RankingDataset | Shards, engine: Engine | None) -> RankingDataset | EngineDataset:
    if isinstance(data, RankingDataset):
        return data
    if engine is None:
        raise IncompatibleError("shards are read by an engine, and none is given")
    return EngineDataset.kept(engine, data, Normalisation.named(job.normalise))


def _evaluated(model: Any, data: RankingDataset | EngineDataset, metrics: Sequence[Metric]) -> Evaluation:
    if isinstance(data, RankingDataset):
        return evaluate(model.scores(data), data, metrics)
    return Evaluation(tuple(metrics), data.query_ids, data.values(model, metrics))


def _with_engine(job: TrainingJob, engine: Engine) -> TrainingJob:
    if job.learner not in LEARNERS or "engine" not in LEARNERS[job.learner].options:
        able = ", ".join(name for name, choice in LEARNERS.items() if "engine" in choice.options)
        raise IncompatibleError(f"the learner {job.learner} needs all data in this process; engines are for {able}")
    return replace(job, options={**job.options, "engine": engine})
