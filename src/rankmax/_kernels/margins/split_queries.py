"""The arrays that kernels of margins share: splits of queries' documents in two kinds, and the tables of a loss."""

from __future__ import annotations

from typing import NamedTuple

from rankmax._arrays import F64, I64


class Splits(NamedTuple):
    """Ways to split a query's documents in relevant and others; each array has an entry for every split.

    Attributes
    ----------
    query : int64
        Query whose documents are split; the splits of a query follow each other.
    first, stop : int64
        First and last + 1 of the query's places in `documents`.
    n_relevant : int64
        How many of these places are relevant, neither none nor all.
    cutoff : int64
        Number of ranks that count.
    share : float64
        Share of the query's loss: losses and margins are multiplied by it.
    ideal : float64
        Sum of the metric over ranks when the relevant documents come first.
    documents : int64, (n_documents,)
        Documents by query, the most relevant first.
    """

    query: I64
    first: I64
    stop: I64
    n_relevant: I64
    cutoff: I64
    share: F64
    ideal: F64
    documents: I64


class LossTables(NamedTuple):
    """The tables of a metric.

    Attributes
    ----------
    discount : float64
        By rank, from rank 1 at index 1.
    cumulated : float64
        Sums of the discount.
    prefix : float64
        By number of relevant documents above.
    """

    discount: F64
    cumulated: F64
    prefix: F64
