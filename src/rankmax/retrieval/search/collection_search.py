"""Search for the best documents of a whole collection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I32
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.retrieval.features.feature import Feature
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import Query, Term
from rankmax.retrieval.search.gain_lists import GainLists
from rankmax.retrieval.search.weighted_sum import WeightedSum

MEMORY = 1 << 28
"""Default number of bytes in which a searcher caches lists of gains."""


@dataclass(frozen=True, slots=True)
class Hits:
    """The best documents, in order.

    Parameters
    ----------
    documents : array of int32
        Document numbers, best first.
    scores : array of float64
    """

    documents: I32
    scores: F64

    def __len__(self) -> int:
        return len(self.documents)


def search(query: Query, ranker: Feature, k: int, *, exclude: int | None = None) -> Hits:
    """Return the k documents of the whole collection with the highest values of a feature.

    The search covers documents with a term of the query, or with an expression of the feature, in the feature's fields;
    for a :class:`WeightedSum`, in the fields of any of its features. The scores are those that the feature's `values`
    returns, bit for bit. Among equal scores the document with the lower number comes first.

    Parameters
    ----------
    query : Query
    ranker : Feature
        A retrieval function, any other feature, or a weighted sum of them.
    k : int
        Maximum number of documents to return.
    exclude : int, optional
        Number of a document to leave out.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval import Document, build_index
    >>> from rankmax.retrieval.features import BM25
    >>> texts = {"d1": "flow past a wing", "d2": "a wing and a wing", "d3": "heat"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index([Document(i, {"text": text}) for i, text in texts.items()], f"{folder}/index")
    >>> hits = search(Query(index, "wing"), BM25(), 10)
    >>> index.ids.take(hits.documents).to_list()
    ['d2', 'd1']
    """
    return Searcher(query.index, ranker).search(query, k, exclude=exclude)


class Searcher:
    """A ranker bound to an index, which caches the gains of terms, as queries share terms.

    It must not be used by several threads at once.

    Parameters
    ----------
    index : Index
        Index to search.
    ranker : Feature
        A retrieval function, any other feature, or a :class:`WeightedSum` of them.
    memory : int
        Bytes for the cache; more only if one query needs more.
    """

    def __init__(self, index: Index, ranker: Feature, *, memory: int = MEMORY) -> None:
        self.index = index
        self.ranker = ranker
        self._features = ranker.features if isinstance(ranker, WeightedSum) else (ranker,)
        n_summed = max(1, sum(map(GainLists.can_hold, self._features)))
        self._lists = [
            GainLists(index, one, memory // n_summed) if GainLists.can_hold(one) else None for one in self._features
        ]

    def search(self, query: Query, k: int, *, exclude: int | None = None) -> Hits:
        """Return the k best documents, as :func:`search` does.

        Parameters
        ----------
        query : Query
            Query to the same index.
        k : int
        exclude : int, optional
        """
        from rankmax._kernels.text.top_documents import top_of_lists, top_of_scores

        if query.index is not self.index:
            raise InvalidParameterError("the query belongs to another index than the searcher's")
        if k < 1:
            raise InvalidParameterError(f"k must be at least 1, not {k}")
        excluded = -1 if exclude is None else int(exclude)
        if excluded >= self.index.n_documents:
            raise InvalidParameterError(
                f"exclude is {exclude}; the documents of the index are 0 to {self.index.n_documents - 1}"
            )
        lists = self._lists[0]
        if lists is not None and lists.feature is self.ranker:
            return Hits(*top_of_lists(*lists.of(query), self.index.n_documents, k, excluded))
        documents = self._found(query, excluded)
        places, scores = top_of_scores(self._values(query, documents), k)
        return Hits(documents[places], scores)

    def _found(self, query: Query, excluded: int) -> I32:
        """Return the documents to be ranked, ascending."""
        found = np.zeros(self.index.n_documents, np.bool_)
        looked_at = {one.fields for one in self._features if hasattr(one, "fields")}
        for fields in looked_at or {()}:
            for term in query.term_counts:
                found[query.matches(Term(term), fields).documents] = True
        for lists in filter(None, self._lists):
            for expression, _ in lists.feature.expressions(query):
                found[query.matches(expression, lists.feature.fields).documents] = True
        if excluded >= 0:
            found[excluded] = False
        return np.flatnonzero(found).astype(np.int32)

    def _values(self, query: Query, documents: I32) -> F64:
        columns = [
            (lists or one).values(query, documents) for one, lists in zip(self._features, self._lists, strict=True)
        ]
        for one, column in zip(self._features, columns, strict=True):
            if not np.isfinite(column).all():
                document = self.index.ids[int(documents[np.flatnonzero(~np.isfinite(column))[0]])]
                raise InvalidDataError(f"{one.name}: the value of document {document!r} is not finite")
        return self.ranker.combine(columns) if isinstance(self.ranker, WeightedSum) else columns[0]
