"""Training on data that an engine keeps, and what the model is worth there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation, Unchanged
from rankmax.data.shards import Shards
from rankmax.engines.base import Engine, Traffic
from rankmax.engines.dataset import EngineDataset
from rankmax.errors import IncompatibleError
from rankmax.evaluation.evaluate import Evaluation
from rankmax.learners.progress import TrainingCallback
from rankmax.metrics.base import Metric
from rankmax.workflows.training.job import TrainingJob
from rankmax.workflows.training.learners import LEARNERS


@dataclass(frozen=True)
class ShardedTraining:
    """What came of a training over shards.

    Attributes
    ----------
    ranker : object
        The learner, whose `model_` is what it learned.
    data : EngineDataset
        What it was trained on.
    evaluation : Evaluation
        On the training queries.
    traffic : Traffic
        What went between the driver and the shards.
    """

    ranker: Any
    data: EngineDataset
    evaluation: Evaluation
    traffic: Traffic


def train_on_shards(
    job: TrainingJob,
    shards: Shards,
    engine: Engine,
    metrics: Sequence[Metric],
    *,
    validation: RankingDataset | None = None,
    callback: TrainingCallback | None = None,
) -> ShardedTraining:
    """Train where the shards are read, and evaluate the model there.

    Parameters
    ----------
    job : TrainingJob
        Of a learner that takes an engine; others need all data in one process.
    shards : Shards
    engine : Engine
    metrics : sequence of Metric
        To evaluate on the training queries.
    validation : RankingDataset, optional
    callback : callable, optional

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
    ...     done = train_on_shards(job, shards, engine, [AP()])
    >>> done.evaluation.means[0] > 0.99
    np.True_
    """
    if job.learner not in LEARNERS or "engine" not in LEARNERS[job.learner].options:
        able = " and ".join(name for name, choice in LEARNERS.items() if "engine" in choice.options)
        raise IncompatibleError(f"the learner {job.learner} needs all data in this process; engines are for {able}")
    asked = replace(job, options={**job.options, "engine": engine})
    ranker = asked.fit(shards, validation, callback=callback)
    data = EngineDataset.kept(engine, shards, Normalisation.named(job.normalise))
    values = data.values(replace(ranker.model_, normalisation=Unchanged()), metrics)
    return ShardedTraining(ranker, data, Evaluation(tuple(metrics), data.query_ids, values), engine.traffic)
