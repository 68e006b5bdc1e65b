"""Cosine similarity of document and query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any, ClassVar

from numpy.typing import NDArray

from rankmax._arrays import F64
from rankmax.retrieval.features.feature import ExpressionSum, Sought
from rankmax.retrieval.features.tfidf import smoothed_idf
from rankmax.retrieval.queries.query import Expression, Query, Term
from rankmax.retrieval.queries.scope import Scope


@dataclass(frozen=True)
class Cosine(ExpressionSum):
    r"""Cosine of the angle between document and query, both vectors of tf * idf over all terms, as Lemur computes it.

    .. math:: \frac{\sum_{t \in Q} (qtf \cdot idf) (tf \cdot idf)}
                   {\sqrt{\sum_{t \in Q} (qtf \cdot idf)^2} \sqrt{\sum_{t \in D} (tf \cdot idf)^2}},
              \quad idf = \log \frac{N + 1}{df + 0.5}

    Norms of documents are computed for the first query, and kept with the index.

    Parameters
    ----------
    fields : tuple of str
        Fields to read as one text; all fields of the index if empty.

    References
    ----------
    One of the functions of Yue, Finley, Radlinski, Joachims (2007), A support vector method for optimizing average
    precision, section 4.1; Lemur's CosSimRetMethod.

    Examples
    --------
    >>> Cosine().name
    'cosine'
    """

    symbol: ClassVar[str] = "cosine"

    def lengths(self, scope: Scope) -> NDArray[Any]:
        """Return the norms of the documents."""
        return scope.vector_norms

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return the terms that occur in any document, with the query's vector of norm 1 as weights."""
        n_documents = query.index.n_documents
        df = {term: query.matches(Term(term), self.fields).n_documents for term in query.term_counts}
        vector = {
            term: count * smoothed_idf(n_documents, df[term]) for term, count in query.term_counts.items() if df[term]
        }
        norm = hypot(*vector.values())
        return [(Term(term), weight / norm) for term, weight in vector.items()]

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return tf * idf over the document's norm."""
        return smoothed_idf(sought.n_documents, sought.document_frequency) * frequencies / lengths
