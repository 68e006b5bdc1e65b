"""Searching by the definition: value every document that has a term of the query, and sort all of them."""

from __future__ import annotations

import numpy as np


def best_documents(query, ranker, k, *, exclude=None):
    """Return numbers and scores of the k best documents, best first, lower numbers first in ties."""
    features = getattr(ranker, "features", (ranker,))
    named = {tuple(one.fields) for one in features if hasattr(one, "fields")} or {()}
    documents = np.array(
        [
            document
            for document in range(query.index.n_documents)
            if document != exclude
            and any(
                document in query.index.postings(term, field).documents
                for term in query.terms
                for fields in named
                for field in fields or query.index.fields
            )
        ],
        np.int64,
    )
    scores = ranker.values(query, documents)
    order = sorted(range(len(documents)), key=lambda place: (-scores[place], documents[place]))[:k]
    return documents[order], scores[order]
