"""Models that rank by ties alone, which are never returned without a word.

Where all documents of a query score the same, their order in the data ranks them, and that may well be informative: a
file sorted by an earlier system flatters a model that has learned nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from rankmax.arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.data.segments import QuerySegments
from rankmax.errors import TiedScoresWarning

_FIRST_LOOK = 8  # queries: nearly always enough to find documents with different scores


def all_tied(scores: F64, query_offsets: I64) -> bool:
    """Return whether some query has several documents, and none has documents of different scores.

    Parameters
    ----------
    scores : array of float64, shape (n_documents,)
    query_offsets : array of int64, shape (n_queries + 1,)

    Examples
    --------
    >>> all_tied(np.array([1.0, 1.0, 2.0]), np.array([0, 2, 3])), all_tied(np.array([1.0, 2.0]), np.array([0, 2]))
    (True, False)
    """
    queries = QuerySegments(query_offsets)
    differ = queries.reduce(np.minimum, scores) < queries.reduce(np.maximum, scores)
    return bool((np.diff(query_offsets) > 1).any() and not differ.any())


def ranks_by_ties(scores_of: Callable[[RankingDataset], F64], data: RankingDataset) -> bool:
    """Return whether scores tie in all queries of some data; a few queries are enough to tell that they do not.

    Parameters
    ----------
    scores_of : callable
        Of data: the score of each document.
    data : RankingDataset
    """
    several = np.flatnonzero(data.judgments.documents_by_query > 1)
    for queries in (several[:_FIRST_LOOK], several[_FIRST_LOOK:]):
        if queries.size:
            part = data.select(queries)
            if not all_tied(scores_of(part), part.query_offsets):
                return False
    return several.size > 0


def warn_of_ties(who: str, weights: F64 | None, remedy: str, *, stacklevel: int = 2) -> None:
    """Warn that all documents of every query score the same.

    Parameters
    ----------
    who : str
        What found the weights.
    weights : array, optional
        Of a linear model.
    remedy : str
        What to do about it.
    stacklevel : int
        Of the caller, as for :func:`warnings.warn`.
    """
    why = "all weights are 0, so " if weights is not None and not weights.any() else ""
    warnings.warn(
        f"{who}: {why}all documents of a query score the same, and only their order in the data ranks them; {remedy}",
        TiedScoresWarning,
        stacklevel=stacklevel + 1,
    )
