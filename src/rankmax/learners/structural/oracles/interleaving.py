"""Separation oracles of losses that split documents into two classes, at one grade or at several."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.judgments import Judgments, balanced_tasks
from rankmax.errors import IncompatibleError
from rankmax.learners.structural.oracles.separation_oracle import (
    GainClasses,
    Separation,
    SeparationOracle,
    document_gains,
)
from rankmax.metrics.metric import TabularMetric

if TYPE_CHECKING:
    from rankmax._kernels.margins.split_queries import Splits

_TASKS = 64  # parallel tasks: enough to balance queries of uneven length, few enough to cost nothing
_WORTH_THREADS = 1 << 16  # documents: below that, waking threads costs more than they save on a busy machine


class InterleavingOracle(SeparationOracle):
    r"""Base of oracles that interleave relevant and nonrelevant documents, both by decreasing score.

    .. math:: \Psi(x, y) = \frac{1}{|C^x| |C^{\bar x}|}
              \sum_{i \in C^x} \sum_{j \in C^{\bar x}} y_{ij} (\phi(x, d_i) - \phi(x, d_j))

    Where documents have more than two gains :math:`g_0 < g_1 < ... < g_L`, the metric is a sum over l of
    :math:`g_l - g_{l-1}` times that of the documents whose gain is :math:`g_l` or more, which are then the relevant
    ones. Loss and feature map are summed in the same way, weighted by the terms' shares in the value of the best
    ranking: an output has a ranking for each l, and a prediction has the same one for all.

    Parameters
    ----------
    metric : TabularMetric
    judgments : Judgments
    """

    kind: str
    """Name of the loss in _kernels/margins/separation.py."""

    def __init__(self, metric: TabularMetric, judgments: Judgments) -> None:
        from rankmax._kernels.margins.split_queries import LossTables

        super().__init__(metric, judgments)
        tables = metric.tables(judgments)
        classes = GainClasses.of(document_gains(metric, judgments), judgments.query_offsets)
        splits, steps = _split(classes, tables.cutoff)
        self._split_offsets = classes.query_classes - np.arange(classes.query_classes.size)
        discount = np.append(0.0, tables.discount)
        prefix = _extended(tables.prefix, int(splits.n_relevant.max()) + 1)
        if splits.query.size > judgments.n_queries and (prefix != prefix[0]).any():
            raise IncompatibleError(
                f"{metric.name} counts the documents above and has more than two gains; a structural SVM can have one "
                "or the other"
            )
        ideal = _ideals(splits, discount, prefix)
        self._splits = splits._replace(share=self._shares(tables.norm[splits.query] * steps * ideal), ideal=ideal)
        self._tables = LossTables(discount, np.cumsum(discount), prefix)

    def most_violated(self, scores: F64) -> Separation:
        """Return the most violated interleavings of each query."""
        from rankmax._kernels.margins import separation
        from rankmax._kernels.threads import in_threads

        losses, margins = np.zeros(self.judgments.n_queries), np.zeros(scores.size)
        kind = getattr(separation, self.kind)
        borders = self._tasks if scores.size >= _WORTH_THREADS else [0, self._splits.query.size]
        in_threads(separation.separate, borders, kind, scores, self._splits, self._tables, losses, margins)
        return Separation(losses, margins)

    def _shares(self, best: F64) -> F64:
        """Return the share of each split in its query's loss; `best` is its part of the best ranking's value."""
        return best

    @cached_property
    def _tasks(self) -> list[int]:
        tasks: list[int] = self._split_offsets[balanced_tasks(self.judgments.documents_by_query, _TASKS)].tolist()
        return tasks


def _split(classes: GainClasses, cutoff: I64) -> tuple[Splits, F64]:
    """Return a split below each class of a query but the lowest, with neither share nor ideal, and its step in gain."""
    from rankmax._kernels.margins.split_queries import Splits

    n_classes = np.diff(classes.query_classes)
    query = np.repeat(np.arange(n_classes.size), n_classes)
    begin = classes.class_offsets[classes.query_classes]
    above = np.delete(np.arange(query.size), classes.query_classes[1:] - 1)
    query = query[above]
    n_relevant = classes.class_offsets[above + 1] - begin[query]
    nothing = np.zeros(query.size)
    splits = Splits(
        query, begin[query], begin[query + 1], n_relevant, cutoff[query], nothing, nothing, classes.documents
    )
    return splits, classes.gains[above] - classes.gains[above + 1]


def _ideals(splits: Splits, discount: F64, prefix: F64) -> F64:
    """Return the metric's sum over ranks when the relevant documents of a split come first."""
    n_counted = np.minimum(splits.n_relevant, splits.cutoff)
    most = int(n_counted.max())
    sums = np.append(0.0, np.cumsum(prefix[:most] * discount[1 : most + 1]))
    return sums[n_counted]


def _extended(prefix: F64, size: int) -> F64:
    """Return the prefix extended to at least `size` documents above; its last entry holds for all larger numbers."""
    return np.append(prefix, np.full(max(size - prefix.size, 0), prefix[-1]))
