"""Judged documents as examples of two classes, relevant or not: what pointwise learners learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from rankmax.arrays import F64, I64, Bool
from rankmax.data.dataset import RankingDataset
from rankmax.data.segments import QuerySegments
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError

Balance: TypeAlias = Literal["none", "costs", "undersample"]
"""What is done about the many documents that are not relevant: nothing, errors on relevant ones cost as much more as
these are fewer, or as many of the others are drawn at random within each query."""


@dataclass(frozen=True, eq=False)
class Examples:
    r"""Documents with their classes, and what an error on each costs.

    Attributes
    ----------
    documents : array of int64, shape (n_examples,)
        Which documents of the data.
    relevant : array of bool, shape (n_examples,)
    costs : array of float64, shape (n_examples,)
        They add up to 1.
    n_skipped_queries : int
        Queries that balancing left out: those without relevant or without other documents.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 0, 2], qid=[1, 1, 1, 2, 2])
    >>> Examples.of(data, balance="costs").costs.round(3)
    array([0.167, 0.167, 0.25 , 0.167, 0.25 ])
    >>> Examples.of(data, rel=2, balance="undersample", seed=1).documents
    array([3, 4])
    """

    documents: I64
    relevant: Bool
    costs: F64
    n_skipped_queries: int = 0

    @classmethod
    def of(cls, data: RankingDataset, *, rel: float = 1.0, balance: Balance = "none", seed: int = 0) -> Examples:
        """Take the judged documents of a data set as examples.

        Parameters
        ----------
        data : RankingDataset
        rel : float
            Grades from this value up are relevant.
        balance : str
            "none": all documents, at equal costs. "costs": a relevant one costs as much more as there are more of the
            others. "undersample": as many of the others are drawn as the query has relevant ones; a query with only one
            of the kinds is left out.
        seed : int
            From 0. Of the draws.
        """
        if balance not in get_args(Balance):
            raise UnknownNameError("way of balancing", str(balance), get_args(Balance))
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise InvalidParameterError(f"seed is {seed!r}; expected a whole number from 0")
        documents = np.flatnonzero(~np.isnan(data.grades))
        if not documents.size:
            raise InvalidDataError("no document is judged; there is nothing to learn from")
        n_skipped = 0
        if balance == "undersample":
            documents, n_skipped = _undersampled(data, rel, np.random.default_rng(int(seed)))
        relevant = data.grades[documents] >= rel
        n_relevant, n = int(relevant.sum()), relevant.size
        if not 0 < n_relevant < n:
            found = f"from {np.nanmin(data.grades):g} to {np.nanmax(data.grades):g}"
            raise InvalidDataError(
                f"relevant documents (grade >= {rel:g}) and others are both needed"
                f"{' in one query' if balance == 'undersample' else ''}; grades go {found}: set rel between them"
            )
        costs = np.full(n, 1 / n)
        if balance == "costs":
            costs = np.where(relevant, 0.5 / n_relevant, 0.5 / (n - n_relevant))
        return cls(documents, relevant, costs, n_skipped)


def _undersampled(data: RankingDataset, rel: float, rng: np.random.Generator) -> tuple[I64, int]:
    """Return, for each query, its relevant documents and at most as many others; and how many queries have none."""
    segments = QuerySegments(data.query_offsets)
    relevant, other = data.grades >= rel, data.grades < rel
    n_relevant, n_other = (segments.reduce(np.add, kind.astype(np.float64)) for kind in (relevant, other))
    both = (n_relevant > 0) & (n_other > 0)
    # Place of each document in a random order of its query's others, those that count first.
    shuffled = np.lexsort((rng.random(data.n_documents), ~other, segments.segment_of_document))
    place = np.empty(data.n_documents)
    place[shuffled] = np.arange(data.n_documents) - segments.spread(segments.starts.astype(np.float64))
    kept = relevant | (other & (place < segments.spread(n_relevant)))
    return np.flatnonzero(kept & (segments.spread(both.astype(np.float64)) > 0)), data.n_queries - int(both.sum())


def centre_and_scale(data: RankingDataset, documents: I64) -> tuple[F64, F64]:
    """Return each feature's mean and standard deviation over some documents; exactly 0 where it is constant.

    Parameters
    ----------
    data : RankingDataset
    documents : array of int64

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0, 0.1], [3.0, 0.1], [9.0, 0.1]], [1, 0, 0], qid=[7, 7, 7])
    >>> centre_and_scale(data, np.array([0, 1]))
    (array([2. , 0.1]), array([1., 0.]))
    """
    centre, scale = np.empty((2, data.n_features))
    for j in range(data.n_features):
        column = data.column(j)[documents]
        largest = float(np.abs(column).max())
        if column.min() == column.max():
            centre[j], scale[j] = column[0], 0.0
        else:  # scaled, so that no square overflows
            centre[j], scale[j] = largest * (column / largest).mean(), largest * (column / largest).std()
    return centre, scale
