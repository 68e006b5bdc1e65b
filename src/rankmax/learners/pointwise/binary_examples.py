"""Judged documents as training examples of two classes, relevant and nonrelevant, for pointwise learners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from rankmax._arrays import F64, I64, Bool
from rankmax.data.binned_matrix import BinnedMatrix
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.metrics.metric_parameters import check_number, plain

Balance: TypeAlias = Literal["none", "costs", "undersample"]
"""Balancing of the classes: none, higher costs of errors on relevant documents, or a random sample of the nonrelevant
documents of each query."""


@dataclass(frozen=True, eq=False)
class Examples:
    r"""Documents with their classes, and the cost of an error on each.

    Attributes
    ----------
    documents : array of int64, shape (n_examples,)
        Indices of documents in the data.
    relevant : array of bool, shape (n_examples,)
    costs : array of float64, shape (n_examples,)
        Costs of errors, which sum to 1.
    skipped : array of bool, shape (n_queries,)
        Queries that balancing left out, because they lack relevant or nonrelevant documents.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 0, 2], qid=[1, 1, 1, 2, 2])
    >>> Examples.of(data, balance="costs").costs.round(3)
    array([0.167, 0.167, 0.25 , 0.167, 0.25 ])
    >>> Examples.of(data, relevant_from=2, balance="undersample", seed=1).documents
    array([3, 4])
    """

    documents: I64
    relevant: Bool
    costs: F64
    skipped: Bool

    @classmethod
    def of(
        cls,
        data: RankingDataset,
        *,
        relevant_from: float | None = None,
        balance: Balance = "none",
        cost_ratio: float | None = None,
        seed: int = 0,
    ) -> Examples:
        """Return the judged documents of a data set as examples.

        Parameters
        ----------
        data : RankingDataset
        relevant_from : float, optional
            The lowest grade that is relevant; 1 when left out, as for the metrics.
        balance : str
            "none": all documents, at equal costs. "costs": both classes have the same total cost. "undersample": as
            many nonrelevant documents are drawn as the query has relevant ones; a query with only one of the classes is
            left out.
        cost_ratio : float, optional
            With balance "costs", the cost of an error on a relevant document divided by that on another; by default
            the ratio of the numbers of other and relevant documents, which makes the total costs equal.
        seed : int
            Nonnegative random seed, for undersampling.
        """
        if balance not in get_args(Balance):
            raise UnknownNameError("way of balancing", str(balance), get_args(Balance))
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise InvalidParameterError(f"seed is {seed!r}; expected a nonnegative whole number")
        documents = np.flatnonzero(~np.isnan(data.grades))
        if not documents.size:
            raise InvalidDataError("no document is judged; there is nothing to learn from")
        threshold = _threshold(relevant_from, data.grades[documents])
        skipped = np.zeros(data.n_queries, np.bool_)
        if balance == "undersample":
            documents, skipped = _undersampled(data, threshold, np.random.default_rng(int(seed)))
        relevant = data.grades[documents] >= threshold
        n_relevant, n = int(relevant.sum()), relevant.size
        if not 0 < n_relevant < n:
            lowest, highest = np.nanmin(data.grades), np.nanmax(data.grades)
            raise InvalidDataError(
                f"relevant documents (from grade {threshold:g} on) and nonrelevant ones are both needed"
                f"{' in one query' if balance == 'undersample' else ''}; "
                + (
                    f"grades go from {lowest:g} to {highest:g}: set relevant_from between"
                    if lowest < highest
                    else f"all grades are {lowest:g}"
                )
            )
        if cost_ratio is not None:
            if balance != "costs":
                raise InvalidParameterError(f"cost_ratio is for balance 'costs'; balance is {balance!r}")
            check_number("examples", "cost_ratio", plain(cost_ratio), "a positive number", lambda ratio: ratio > 0)
        costs = np.full(n, 1 / n)
        if balance == "costs":
            ratio = (n - n_relevant) / n_relevant if cost_ratio is None else float(cost_ratio)
            total = ratio * n_relevant + (n - n_relevant)
            costs = np.where(relevant, ratio / total, 1 / total)
        return cls(documents, relevant, costs, skipped)


def _threshold(relevant_from: float | None, grades: F64) -> float:
    if relevant_from is not None:
        check_number("examples", "relevant_from", plain(relevant_from), "a number, the lowest grade that is relevant")
        return float(relevant_from)
    require_clear_relevance("two classes", grades)
    return 1.0


def require_clear_relevance(asking: str, grades: F64) -> None:
    """Raise an error if the lowest relevant grade is unclear, because some grades are between 0 and 1.

    Parameters
    ----------
    asking : str
        Name of the metric or learner, for the message.
    grades : array of float64

    Examples
    --------
    >>> require_clear_relevance("AP", np.array([0.0, 1.0, 2.5]))
    >>> require_clear_relevance("AP", np.array([0.0, 0.5]))
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: AP: which grades are relevant? There are some such as 0.5; give relevant_from
    """
    between = grades[(grades > 0) & (grades < 1)]
    if between.size:
        raise InvalidDataError(
            f"{asking}: which grades are relevant? There are some such as {between[0]:g}; give relevant_from"
        )


def _undersampled(data: RankingDataset, threshold: float, rng: np.random.Generator) -> tuple[I64, Bool]:
    """Return each query's relevant documents and at most as many others, and a mask of the queries that lack either."""
    query = data.judgments.query_of_document
    relevant, other = data.grades >= threshold, data.grades < threshold
    n_relevant, n_other = (np.bincount(query[kind], minlength=data.n_queries) for kind in (relevant, other))
    skipped = (n_relevant == 0) | (n_other == 0)
    shuffled = np.lexsort((rng.random(data.n_documents), ~other, query))  # the others of each query come first in it
    place = np.empty(data.n_documents, np.int64)
    place[shuffled] = np.arange(data.n_documents) - data.query_offsets[query]
    kept = relevant | (other & (place < n_relevant[query]))
    return np.flatnonzero(kept & ~skipped[query]), skipped


def center_and_scale(data: RankingDataset, documents: I64) -> tuple[F64, F64]:
    """Return each feature's mean and standard deviation over some documents; exactly 0 where it is constant.

    Parameters
    ----------
    data : RankingDataset
    documents : array of int64

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0, 0.1], [3.0, 0.1], [9.0, 0.1]], [1, 0, 0], qid=[7, 7, 7])
    >>> center_and_scale(data, np.array([0, 1]))
    (array([2. , 0.1]), array([1., 0.]))
    """
    if isinstance(data.features, BinnedMatrix):
        share = data.features.take_rows(documents).counts()[0] / documents.size
        return share, np.sqrt(share * (1 - share))
    center, scale = np.empty((2, data.n_features))
    for j in range(data.n_features):
        column = data.column(j)[documents]
        largest = float(np.abs(column).max())
        if column.min() == column.max():
            center[j], scale[j] = column[0], 0.0
        else:  # scaled, so that no square overflows
            center[j], scale[j] = largest * (column / largest).mean(), largest * (column / largest).std()
    return center, scale
