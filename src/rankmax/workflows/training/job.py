"""A training as it is asked for: by names and options, whoever asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.shards import Shards
from rankmax.errors import UnknownNameError
from rankmax.learners.progress import TrainingCallback
from rankmax.metrics.base import Metric
from rankmax.workflows.training.learners import DIRECT, LEARNERS, Options


@dataclass(frozen=True)
class TrainingJob:
    """Which learner shall learn for which metric, and how.

    Attributes
    ----------
    learner : str
        One of :data:`~rankmax.workflows.training.learners.LEARNERS`.
    metric : Metric
    normalise : str
        Name of the normalisation within queries.
    options : mapping of str to object
        Those of the learner's own that were given.

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.metrics import AP
    >>> job = TrainingJob("direct", AP(), "none", {"n_restarts": 1, "seed": 3})
    >>> job.fit(planted_linear(30, 10, 3, seed=1).data).model_.training.value > 0.99
    True
    """

    learner: str
    metric: Metric
    normalise: str
    options: Options

    def build(self) -> Any:
        """Return the learner, which has learned nothing yet."""
        if self.learner not in LEARNERS:
            raise UnknownNameError("learner", self.learner, LEARNERS)
        return LEARNERS[self.learner].build(self.metric, self.normalise, self.options)

    def fit(
        self,
        data: RankingDataset | Shards,
        validation: RankingDataset | None = None,
        *,
        query_weights: F64 | None = None,
        callback: TrainingCallback | None = None,
    ) -> Any:
        """Learn, and return the learner, whose `model_` is what it learned.

        Parameters
        ----------
        data : RankingDataset or Shards
            The latter for a learner that takes an engine.
        validation : RankingDataset, optional
            Ignored by a learner that does not choose.
        query_weights : array of float64, shape (n_queries,), optional
            For a learner that knows them.
        callback : callable, optional
            Told by direct maximisation how far it has come.
        """
        ranker = self.build()
        given: dict[str, Any] = {} if query_weights is None else {"query_weights": query_weights}
        if LEARNERS[self.learner].takes_validation:
            given["validation"] = validation
        if self.learner == DIRECT:
            given |= {"callback": callback, "checkpoint": self.options.get("checkpoint")}
        return ranker.fit_dataset(data, **given)
