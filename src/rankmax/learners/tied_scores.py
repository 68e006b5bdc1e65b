"""Detection of models that rank by ties alone, of which users are always warned.

If all documents of a query score the same, they keep their order in the data, which may well be informative: a file
that is sorted by an earlier system flatters a model that has learned nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.data.query_segments import QuerySegments
from rankmax.errors import TiedScoresWarning

_FIRST_LOOK = 8  # queries: nearly always enough to find documents with different scores


def all_tied(scores: F64, query_offsets: I64) -> bool:
    """Return whether scores tie within every query, and some query has several documents.

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
    """Return whether scores tie within every query of a data set; usually a few queries suffice to rule it out.

    Parameters
    ----------
    scores_of : callable
        Returns the score of each document of a data set.
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
        Name of the learner, for the message.
    weights : array, optional
        Weights of a linear model.
    remedy : str
        Advice that ends the message.
    stacklevel : int
        Stack level of the caller, as for :func:`warnings.warn`.
    """
    why = "all weights are 0, so " if weights is not None and not weights.any() else ""
    warnings.warn(
        f"{who}: {why}all documents of a query score the same, and only their order in the data ranks them; {remedy}",
        TiedScoresWarning,
        stacklevel=stacklevel + 1,
    )
