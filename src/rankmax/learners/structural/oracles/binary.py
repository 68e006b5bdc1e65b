"""Oracles of the losses that know two kinds of documents: what they share."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from rankmax.arrays import F64, I64
from rankmax.data.judgments import Judgments, balanced_tasks
from rankmax.learners.structural.oracles.base import GainClasses, Separation, SeparationOracle, document_gains
from rankmax.metrics.base import TabularMetric

TASKS = 64  # parallel tasks: enough to balance queries of uneven length, few enough to cost nothing
WORTH_THREADS = 1 << 16  # documents: below that, waking threads costs more than they save on a busy machine


class InterleavingOracle(SeparationOracle):
    r"""Base of oracles that interleave the relevant documents and the others, both by falling score.

    .. math:: \Psi(x, y) = \frac{1}{|C^x| |C^{\bar x}|}
              \sum_{i \in C^x} \sum_{j \in C^{\bar x}} y_{ij} (\phi(x, d_i) - \phi(x, d_j))

    Parameters
    ----------
    metric : TabularMetric
    judgments : Judgments
    """

    kernel_loss: ClassVar[str]
    """Name of the loss in :mod:`rankmax.kernels.separation`."""

    def __init__(self, metric: TabularMetric, judgments: Judgments) -> None:
        super().__init__(metric, judgments)
        tables = metric.tables(judgments)
        classes = GainClasses.of(document_gains(metric, judgments), judgments.query_offsets)
        first = classes.query_classes[:-1]
        n_relevant = classes.class_offsets[first + 1] - classes.class_offsets[first]
        longest = int(judgments.documents_by_query.max())
        harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, longest + 1))])
        self._tables = (
            classes.documents,
            judgments.query_offsets,
            n_relevant,
            tables.norm,
            tables.cutoff,
            harmonic,
        )

    def most_violated(self, scores: F64) -> Separation:
        """Return the interleaving that each query violates most."""
        from rankmax.kernels import separation

        losses, margins = np.empty(self.judgments.n_queries), np.empty(scores.size)
        loss = getattr(separation, self.kernel_loss)
        if scores.size < WORTH_THREADS:
            separation.separate_queries(0, losses.size, loss, scores, *self._tables, losses, margins)
        else:
            separation.separate_tasks(self._tasks, loss, scores, *self._tables, losses, margins)
        return Separation(losses, margins)

    @cached_property
    def _tasks(self) -> I64:
        return balanced_tasks(self.judgments.documents_by_query, TASKS)
