"""The records that the kernels of the exact line search pass to each other."""

from __future__ import annotations

from typing import NamedTuple

from rankmax._arrays import F64, I64


class Line(NamedTuple):
    """A line of scores: document i has scores[i] + mu * slopes[i], for low < mu < high.

    Attributes
    ----------
    scores, slopes : float64, (n_documents,)
    low, high : float
        low <= 0 <= high, possibly infinite.
    """

    scores: F64
    slopes: F64
    low: float
    high: float


class SweptMetric(NamedTuple):
    """A metric on judged documents.

    Attributes
    ----------
    query_offsets : int64, (n_queries + 1,)
    document_levels : int64, (n_documents,)
    gain : float64, (n_levels,)
        For a cascade metric, the stop probabilities.
    discount, prefix : float64
    unit : float64, (n_queries,)
        Norm times query weight times the number of units in 1.
    cutoff : int64, (n_queries,)
        At most the number of the query's documents.
    stop : float
        1 for cascade metrics, whose users stop with the probability that the gain is; else 0.
    by_class : int64, (n_documents,)
        Each query's documents by rising gain, counted from its first.
    class_starts : int64, (n_queries, n_classes + 1)
        Where each class of equal gain begins among them.
    rises : float64, (n_classes,)
        Difference of the gain of each class from that of the class below.
    pairs : int64, (n_queries,)
        Pairs of documents of different class; -1 for queries whose top k are to be followed.
    """

    query_offsets: I64
    document_levels: I64
    gain: F64
    discount: F64
    prefix: F64
    unit: F64
    cutoff: I64
    stop: float
    by_class: I64
    class_starts: I64
    rises: F64
    pairs: I64


class SweptQuery(NamedTuple):
    """One query's documents along a line, and what its ranks are worth.

    Attributes
    ----------
    scores, slopes : float64, (n_documents,)
    low, high : float
        As in :class:`Line`.
    cutoff : int
        At least 1, at most n_documents.
    discount, prefix : float64
    unit : float
    stop : float
        As in :class:`SweptMetric`.
    """

    scores: F64
    slopes: F64
    low: float
    high: float
    cutoff: int
    discount: F64
    prefix: F64
    unit: float
    stop: float


class QueryClasses(NamedTuple):
    """One query's documents by class of equal gain; the fields are those of :class:`SweptMetric`, of this query.

    Attributes
    ----------
    by_class : int64, (n_documents,)
    starts : int64, (n_classes + 1,)
    rises : float64, (n_classes,)
    """

    by_class: I64
    starts: I64
    rises: F64


class StepList(NamedTuple):
    """Room for the steps of one task, in no particular order.

    Attributes
    ----------
    steps : float64, (capacity,)
        The values of mu at which the sum changes.
    changes : int64, (capacity,)
        By how many units it changes from left to right.
    """

    steps: F64
    changes: I64


class TaskSteps(NamedTuple):
    """Room for the steps of all tasks.

    Attributes
    ----------
    steps, changes : float64 and int64, (n_tasks, capacity)
        As in :class:`StepList`.
    n_steps : int64, (n_tasks,)
        Number of steps of each task, -1 where they did not fit.
    starts : int64, (n_tasks,)
        The sum just right of the line's `low`.
    """

    steps: F64
    changes: I64
    n_steps: I64
    starts: I64
