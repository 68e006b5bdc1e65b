"""Tie policies: the order of documents with equal scores."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.judgments import Judgments
from rankmax.data.query_document_pairs import in_trec_order
from rankmax.errors import IncompatibleError


class TiePolicy(StrEnum):
    """Order of documents with equal scores.

    Every policy is a fixed order of a query's documents; sorting them stably by score, best first, then yields the
    ranking. A tie policy therefore costs nothing while weights change.
    """

    DOCUMENT_ORDER = "document-order"
    """The order of the data (Metzler & Croft 2007, footnote 1)."""
    TREC_EVAL = "trec-eval"
    """trec_eval's order: scores are compared in single precision, ties go by document id, descending."""
    PESSIMISTIC = "pessimistic"
    """Worst document first, so that a constant scorer gains nothing by luck."""

    def comparable(self, scores: F64) -> F64:
        """Return the scores as this policy compares them."""
        if self is TiePolicy.TREC_EVAL:
            with np.errstate(over="ignore"):
                return scores.astype(np.float32).astype(np.float64)
        return scores

    def in_tie_order(self, documents: I64, judgments: Judgments) -> I64:
        """Return the given documents of whole queries, those of each query in the order in which ties are resolved."""
        if self is TiePolicy.DOCUMENT_ORDER:
            return documents
        query = judgments.query_of_document[documents]
        if self is TiePolicy.PESSIMISTIC:
            return documents[np.lexsort((judgments.document_levels[documents], query))]
        if judgments.document_ids is None:
            raise IncompatibleError(
                "trec_eval breaks ties by document id, and this data has no document ids; "
                "use the tie policy 'document-order' or 'pessimistic'"
            )
        return documents[in_trec_order(query, judgments.document_ids.take(documents))]
