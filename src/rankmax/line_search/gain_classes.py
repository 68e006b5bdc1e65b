"""Documents grouped by gain: a metric changes only when documents of different gain swap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.judgments import Judgments

_MOST_CLASSES = 64  # with more, one crossing changes too many layers


@dataclass(frozen=True, eq=False)
class GainClasses:
    """The documents of each query by increasing gain; see _kernels/lines/crossings.py.

    Attributes
    ----------
    documents : array of int64, shape (n_documents,)
        Documents of each query, as positions within the query, by increasing gain; empty if no query is swept by
        classes.
    starts : array of int64, shape (n_queries, n_classes + 1)
        First position of each class.
    rises : array of float64, shape (n_classes,)
        Increase of the gain over the class before.
    pairs : array of int64, shape (n_queries,)
        Number of pairs of documents of different classes; -1 where tracking the top k is cheaper.
    """

    documents: I64
    starts: I64
    rises: F64
    pairs: I64

    @classmethod
    def of(
        cls, judgments: Judgments, gain: F64, distinct: F64, prefix: F64, cutoff: I64, *, cascade: bool
    ) -> GainClasses:
        """Sort the documents of each query by gain.

        Parameters
        ----------
        judgments : Judgments
        gain : array of float64
            Gains by level.
        distinct : array of float64
            Distinct gains in all parts of the data, ascending.
        prefix : array of float64
            Prefix table of the metric.
        cutoff : array of int64, shape (n_queries,)
        cascade : bool
            Whether the metric is a cascade metric, which is not swept by classes.
        """
        n_queries, n_by_query = judgments.n_queries, judgments.documents_by_query
        only_relevant_gain = distinct.size < 2 or (distinct.size == 2 and distinct[0] == 0.0)
        if cascade or not (prefix.size == 1 or only_relevant_gain) or not 0 < distinct.size <= _MOST_CLASSES:
            nothing = np.empty(0, np.int64)
            return cls(nothing, np.zeros((n_queries, 1), np.int64), np.empty(0), np.full(n_queries, -1))
        classes = np.searchsorted(distinct, gain)[judgments.document_levels]
        query = np.repeat(np.arange(n_queries), n_by_query)
        documents = np.lexsort((classes, query)) - judgments.query_offsets[query]
        sizes = np.bincount(query * distinct.size + classes, minlength=n_queries * distinct.size).reshape(n_queries, -1)
        starts = np.concatenate([np.zeros((n_queries, 1), np.int64), np.cumsum(sizes, axis=1)], axis=1)
        pairs = (sizes * starts[:, :-1]).sum(axis=1)
        return cls(documents, starts, np.diff(distinct, prepend=0.0), np.where(pairs <= cutoff * n_by_query, pairs, -1))
