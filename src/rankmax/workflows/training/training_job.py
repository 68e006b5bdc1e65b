"""Specification of a training by names and options, for all front ends."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.formats.shards import Shards
from rankmax.learners.direct.training_progress import TrainingCallback
from rankmax.learners.registry import DIRECT, LEARNERS, Options
from rankmax.metrics.metric import Metric


@dataclass(frozen=True)
class TrainingJob:
    """A training to run: learner, metric, normalization and options.

    Attributes
    ----------
    learner : str
        One of :data:`~rankmax.learners.registry.LEARNERS`.
    metric : Metric
    normalize : str
        Name of the normalization within queries.
    options : mapping of str to object
        Options of the learner that were given.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.metrics import AP
    >>> job = TrainingJob("direct", AP(), "none", {"n_restarts": 1, "seed": 3})
    >>> job.fit(planted_linear(30, 10, 3, seed=1).data).model_.training.value > 0.99
    True
    """

    learner: str
    metric: Metric
    normalize: str
    options: Options

    def build(self) -> Any:
        """Return the learner, not fitted yet."""
        return LEARNERS.load(self.learner).from_options(self.metric, self.normalize, self.options)

    def fit(
        self,
        data: RankingDataset | Shards,
        validation: RankingDataset | None = None,
        *,
        query_weights: F64 | None = None,
        callback: TrainingCallback | None = None,
    ) -> Any:
        """Return the fitted learner, with its model in `model_`.

        Parameters
        ----------
        data : RankingDataset or Shards
            Training data; shards for a learner that supports a backend.
        validation : RankingDataset, optional
            Validation queries; ignored by a learner that does not select models.
        query_weights : array of float64, shape (n_queries,), optional
            Weight of each query, for a learner that supports them.
        callback : callable, optional
            Called with the progress of direct maximization.
        """
        ranker = self.build()
        given: dict[str, Any] = {} if query_weights is None else {"query_weights": query_weights}
        taken = inspect.signature(ranker.fit_dataset).parameters
        given |= {name: value for name, value in self.options.items() if name in taken}
        if "validation" in taken:
            given["validation"] = validation
        if self.learner == DIRECT:
            given["callback"] = callback
        return ranker.fit_dataset(data, **given)
