"""Base of separation oracles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64, I64, Bool
from rankmax.data.judgments import Judgments
from rankmax.data.query_segments import QuerySegments
from rankmax.metrics.metric import TabularMetric


@dataclass(frozen=True, eq=False)
class Separation:
    r"""The most violated constraint of every query, for given scores.

    Attributes
    ----------
    losses : array of float64, shape (n_queries,)
        :math:`\Delta(y_q, \hat y_q)`.
    margins : array of float64, shape (n_documents,)
        The coefficients m of the features in :math:`\Psi(x_q, y_q) - \Psi(x_q, \hat y_q) = \sum_d m_d \phi(x_q, d)`.
    """

    losses: F64
    margins: F64

    def slacks(self, scores: F64, query_offsets: I64) -> F64:
        r"""Return the slack of each query, :math:`\xi_q = \max(0, \Delta - \sum_d m_d s_d)`.

        Parameters
        ----------
        scores : array of float64, shape (n_documents,)
        query_offsets : array of int64, shape (n_queries + 1,)
        """
        kept = QuerySegments(query_offsets).reduce(np.add, self.margins * scores)
        slacks: F64 = np.maximum(self.losses - kept, 0.0)
        return slacks


class SeparationOracle(ABC):
    r"""Finds :math:`\hat y_q = \arg\max_y \Delta(y_q, y) + w^T \Psi(x_q, y)` for all queries at once.

    Parameters
    ----------
    metric : TabularMetric
        The metric of the loss :math:`\Delta`; or, if the loss is of another kind, the metric that defines relevance.
    judgments : Judgments
        Judgments of queries that all have candidates of different gain (see :func:`tells`).

    References
    ----------
    Yue, Finley, Radlinski & Joachims 2007, section 3.2.
    """

    has_threshold: ClassVar[bool] = False
    """Whether scores are compared with a threshold that is learned together with the weights."""

    def __init__(self, metric: TabularMetric, judgments: Judgments) -> None:
        self.metric = metric
        self.judgments = judgments

    @abstractmethod
    def most_violated(self, scores: F64) -> Separation:
        """Return the most violated constraint of each query.

        Parameters
        ----------
        scores : array of float64, shape (n_documents,)
        """


def document_gains(metric: TabularMetric, judgments: Judgments) -> F64:
    """Return the gain of each candidate.

    Parameters
    ----------
    metric : TabularMetric
    judgments : Judgments

    Examples
    --------
    >>> from rankmax.metrics import AP
    >>> document_gains(AP(rel=2), Judgments.from_grades([0, 1, 2], [0, 3]))
    array([0., 0., 1.])
    """
    return metric.tables(judgments).gain[judgments.document_levels]


@dataclass(frozen=True, eq=False)
class GainClasses:
    """The candidates of each query, grouped by equal gain, the best first.

    Attributes
    ----------
    documents : array of int64, shape (n_documents,)
        Indices of documents, ordered by query, class and position.
    class_offsets : array of int64, shape (n_classes + 1,)
        Start of each class in `documents`.
    query_classes : array of int64, shape (n_queries + 1,)
        Start of each query's classes.
    gains : array of float64, shape (n_classes,)

    Examples
    --------
    >>> classes = GainClasses.of(np.array([0.0, 1.0, 0.0, 2.0, 2.0]), np.array([0, 3, 5]))
    >>> classes.documents, classes.class_offsets, classes.query_classes, classes.gains
    (array([1, 0, 2, 3, 4]), array([0, 1, 3, 5]), array([0, 2, 3]), array([1., 0., 2.]))
    """

    documents: I64
    class_offsets: I64
    query_classes: I64
    gains: F64

    @classmethod
    def of(cls, gains: F64, query_offsets: I64) -> GainClasses:
        """Group candidates by query and gain.

        Parameters
        ----------
        gains : array of float64, shape (n_documents,)
        query_offsets : array of int64, shape (n_queries + 1,)
        """
        n_queries = query_offsets.size - 1
        query = np.repeat(np.arange(n_queries), np.diff(query_offsets))
        documents = np.lexsort((-gains, query)).astype(np.int64)
        ordered = gains[documents]
        begins = np.flatnonzero((np.diff(query, prepend=-1) != 0) | (np.diff(ordered, prepend=0.0) != 0))
        return cls(
            documents=documents,
            class_offsets=np.append(begins, gains.size).astype(np.int64),
            query_classes=np.searchsorted(begins, query_offsets).astype(np.int64),
            gains=ordered[begins],
        )


def tells(metric: TabularMetric, judgments: Judgments) -> Bool:
    """Return, per query, whether it is informative: its candidates differ in gain.

    Parameters
    ----------
    metric : TabularMetric
    judgments : Judgments

    Examples
    --------
    >>> from rankmax.metrics import AP
    >>> tells(AP(), Judgments.from_grades([0, 1, 2, 1, 0, 0], [0, 2, 4, 6]))
    array([ True, False, False])
    """
    gains = document_gains(metric, judgments)
    segments = QuerySegments(judgments.query_offsets)
    different = np.zeros(judgments.n_queries, np.bool_)
    lowest, highest = (segments.reduce(end, gains) for end in (np.minimum, np.maximum))
    different[judgments.documents_by_query > 0] = lowest < highest
    return different
