"""Mean loss and gradient as sums over queries that parts of the data add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._numerics.exact_sums import digits_of, rounded, rounded_rows
from rankmax.data.judgments import UNJUDGED, Judgments
from rankmax.losses.feature_products import FeatureProducts, total_moments
from rankmax.losses.surrogate_loss import Surrogate, finite_scores, require_something_to_learn

_AS_IT_IS = np.ones((1, 1))


@dataclass(frozen=True, eq=False)
class LossSums:
    """Sums over a part of the data for a loss whose scores are a function of K linear functions.

    Attributes
    ----------
    weight, value : arrays of int64
        Digits (_numerics/digit_sums.py) of the weights of queries with a loss, and of their weighted losses.
    moments : array, shape (K, n_features, ...)
        Partial moments (losses/feature_products.py) of the weighted gradient with respect to each linear function.
    totals : array of int64, shape (K, n_digits)
        Digits of the sum of the same gradient over documents.
    judged : bool
        Whether any document is judged.
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
    """Mean loss over all queries, with its gradient.

    Attributes
    ----------
    value : float
    moments : array of float64, shape (K, n_features)
        Gradient with respect to the weights of each linear function.
    totals : array of float64, shape (K,)
        Gradient with respect to the intercepts.
    """

    value: float
    moments: F64
    totals: F64

    @classmethod
    def of(cls, parts: Sequence[LossSums]) -> MeanLoss:
        """Add up the sums of all parts of the data.

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
    """Return the loss sums of some queries.

    Parameters
    ----------
    loss : Surrogate
    judgments : Judgments
    products : FeatureProducts
    scores : array of float64, shape (n_documents,)
    query_weights : array of float64, shape (n_queries,), optional
    slopes : array of float64, shape (K, n_documents)
        Derivatives of the scores with respect to the K linear functions; by default 1: the scores are linear.

    Examples
    --------
    >>> from rankmax import RankingDataset
    >>> from rankmax.losses import Squared
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
