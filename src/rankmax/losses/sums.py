"""A mean loss and its gradient as sums over queries, for parts of the data to be added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64, I64
from rankmax.data.exact_sums import digits_of, rounded, rounded_rows
from rankmax.data.judgments import UNJUDGED, Judgments
from rankmax.losses.base import Surrogate, finite_scores, require_something_to_learn
from rankmax.losses.products import FeatureProducts, total_moments

_AS_IT_IS = np.ones((1, 1))


@dataclass(frozen=True, eq=False)
class LossSums:
    """What a part of the data says of a loss of scores that are a function of K linear ones.

    Attributes
    ----------
    weight, value : arrays of int64
        Digits (data/exact_sums.py) of the weights of queries with a loss, and of their weighted losses.
    moments : array, shape (K, n_features, ...)
        Partial moments (losses/products.py) of the weighted gradient by each linear function.
    totals : array of int64, shape (K, n_digits)
        Digits of the same gradient's sum over documents.
    judged : bool
        Whether a document is judged.
    """

    weight: I64
    value: I64
    moments: I64 | F64
    totals: I64
    judged: bool

    def __add__(self, other: LossSums) -> LossSums:
        return LossSums(
            self.weight + other.weight,
            self.value + other.value,
            self.moments + other.moments,
            self.totals + other.totals,
            self.judged or other.judged,
        )


@dataclass(frozen=True, eq=False)
class MeanLoss:
    """A mean loss over all queries.

    Attributes
    ----------
    value : float
    moments : array of float64, shape (K, n_features)
        Its gradient by the weights of each linear function.
    totals : array of float64, shape (K,)
        And by the intercepts.
    """

    value: float
    moments: F64
    totals: F64

    @classmethod
    def of(cls, parts: Sequence[LossSums]) -> MeanLoss:
        """Add up what all parts of the data say.

        Parameters
        ----------
        parts : sequence of LossSums
        """
        total = rounded(np.sum([part.weight for part in parts], axis=0))
        require_something_to_learn(total, judged=any(part.judged for part in parts))
        return cls(
            rounded(np.sum([part.value for part in parts], axis=0)) / total,
            total_moments([part.moments for part in parts]) / total,
            rounded_rows(np.sum([part.totals for part in parts], axis=0)) / total,
        )


def loss_sums(
    loss: Surrogate,
    judgments: Judgments,
    products: FeatureProducts,
    scores: F64,
    query_weights: F64 | None,
    *,
    slopes: F64 = _AS_IT_IS,
) -> LossSums:
    """Return what some queries say of a loss.

    Parameters
    ----------
    loss : Surrogate
    judgments : Judgments
    products : FeatureProducts
    scores : array of float64, shape (n_documents,)
    query_weights : array of float64, shape (n_queries,), optional
    slopes : array of float64, shape (K, n_documents)
        The scores' derivatives by the K linear functions; 1 when left out: the scores are linear themselves.

    Examples
    --------
    >>> from rankmax.data.dataset import RankingDataset
    >>> from rankmax.losses.squared import Squared
    >>> data = RankingDataset.from_arrays([[1.0], [3.0]], [0, 1], qid=[7, 7])
    >>> sums = loss_sums(Squared(), data.judgments, FeatureProducts.of(data), np.array([0.5, 1.0]), None)
    >>> mean = MeanLoss.of([sums])
    >>> mean.value, mean.moments, mean.totals
    (0.25, array([[1.]]), array([1.]))
    """
    values, gradient = loss.by_query(
        finite_scores(scores, judgments), loss.document_gains(judgments), judgments.query_offsets
    )
    counted = ~np.isnan(values)
    each = np.where(counted, 1.0 if query_weights is None else query_weights, 0.0)
    rows = slopes * (gradient * np.repeat(each, judgments.documents_by_query))
    return LossSums(
        digits_of(each),
        digits_of(each * np.where(counted, values, 0.0)),
        products.partial_moment_rows(rows),
        np.array([digits_of(row) for row in rows]),
        bool((judgments.document_levels != UNJUDGED).any()),
    )
