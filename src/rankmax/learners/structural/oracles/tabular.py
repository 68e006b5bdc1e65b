"""nDCG@k, precision@k and every other metric that is tables, down to a cutoff."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from rankmax.arrays import F64, I64
from rankmax.data.judgments import Judgments, balanced_tasks
from rankmax.errors import IncompatibleError
from rankmax.learners.structural.oracles.base import GainClasses, Separation, SeparationOracle, document_gains
from rankmax.learners.structural.oracles.binary import TASKS, WORTH_THREADS
from rankmax.metrics.base import TabularMetric

_MOST_STATES = 1 << 21  # 32 MB for each thread


class TabularOracle(SeparationOracle):
    r"""Finds the ranking that violates most the margin :math:`\Delta = metric(y) - metric(\hat y)`.

    y is the ranking by falling gain. The feature map is that of average precision for more than two kinds of
    documents,

    .. math:: \Psi(x, y) = \frac{1}{Z} \sum_{g_i > g_j} y_{ij} (\phi(x, d_i) - \phi(x, d_j))

    with Z the number of such pairs. Exact, by dynamic programming over how many documents of each gain the top of the
    ranking holds: for L gains and cutoff k there are at most (k + L)! / (k! L!) such combinations.

    Parameters
    ----------
    metric : TabularMetric
    judgments : Judgments

    Examples
    --------
    >>> from rankmax.metrics import nDCG
    >>> oracle = TabularOracle(nDCG() @ 1, Judgments.from_grades([2, 1, 0], [0, 3]))
    >>> found = oracle.most_violated(np.array([0.9, 0.2, 0.1]))  # the worst two swap, which costs no loss but a margin
    >>> found.losses, found.margins
    (array([1.]), array([ 0.66..., -0.  , -0.66...]))

    References
    ----------
    Yue, Finley, Radlinski & Joachims 2007, sections 3.2 and 6; Chakrabarti, Khanna, Sawant & Bhattacharyya 2008,
    Structured learning for non-smooth ranking losses, section 3.4, for nDCG of two gains.
    """

    def __init__(self, metric: TabularMetric, judgments: Judgments) -> None:
        super().__init__(metric, judgments)
        gains = document_gains(metric, judgments)
        classes = GainClasses.of(gains, judgments.query_offsets)
        tables = metric.tables(judgments)
        most_states = _most_states(classes, tables.cutoff)
        if most_states > _MOST_STATES:
            raise IncompatibleError(
                f"{metric.name} over up to {int(tables.cutoff.max())} ranks has too many ways to combine gains; "
                "give it a cutoff, as in nDCG@10"
            )
        self._best = metric.per_query(gains, judgments) - tables.offset
        self._tables = (
            classes.documents,
            classes.class_offsets,
            classes.query_classes,
            classes.gains,
            tables.discount,
            tables.prefix,
            tables.norm,
            tables.cutoff,
            most_states,
        )

    def most_violated(self, scores: F64) -> Separation:
        """Return the ranking that each query violates most."""
        from rankmax.kernels.separation_tabular import separate_tabular_queries, separate_tabular_tasks

        values, margins = np.empty(self.judgments.n_queries), np.empty(scores.size)
        if scores.size < WORTH_THREADS:
            separate_tabular_queries(0, values.size, scores, *self._tables, values, margins)
        else:
            separate_tabular_tasks(self._tasks, scores, *self._tables, values, margins)
        return Separation(self._best - values, margins)

    @cached_property
    def _tasks(self) -> I64:
        return balanced_tasks(self.judgments.documents_by_query, TASKS)


def _most_states(classes: GainClasses, cutoff: I64) -> int:
    """Return the largest number of combinations of counts that a query's classes have, each cut at the cutoff."""
    sizes = np.minimum(np.diff(classes.class_offsets), np.repeat(cutoff, np.diff(classes.query_classes)))
    by_query = np.multiply.reduceat(sizes + 1.0, classes.query_classes[:-1])
    return int(min(by_query.max(), 2.0 * _MOST_STATES))
