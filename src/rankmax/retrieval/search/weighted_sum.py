"""A weighted sum of features, the score of a linear model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64
from rankmax.data.query_segments import QuerySegments
from rankmax.errors import InvalidParameterError
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.retrieval.features.feature import Feature
from rankmax.retrieval.queries.query import Query


@dataclass(frozen=True)
class WeightedSum:
    r"""The sum of weighted features, each normalized within the query first.

    .. math:: s(Q, D) = \sum_j w_j \, x'_j(Q, D)

    Parameters
    ----------
    features : tuple of Feature
    weights : tuple of float
        One weight per feature.
    normalization : Normalization
        Normalization of each feature's values within the given documents; none by default. In a search these are all
        documents found, before the best are taken.

    Examples
    --------
    >>> from rankmax.retrieval.features import BM25, Dirichlet
    >>> WeightedSum((BM25(), Dirichlet(mu=1500)), (1.0, 0.25)).name
    '1*bm25+0.25*dirichlet(mu=1500)'
    """

    features: tuple[Feature, ...]
    weights: tuple[float, ...]
    normalization: Normalization = field(default_factory=Unchanged)

    def __post_init__(self) -> None:
        if len(self.features) != len(self.weights) or not self.features:
            raise InvalidParameterError(
                f"a weighted sum has one weight for each of at least one feature, "
                f"not {len(self.weights)} for {len(self.features)}"
            )

    @property
    def name(self) -> str:
        """Weights and names of the features."""
        terms = (f"{weight:g}*{one.name}" for one, weight in zip(self.features, self.weights, strict=True))
        return "+".join(terms)

    def values(self, query: Query, documents: NDArray[Any]) -> F64:
        """Return the scores of the given documents, in their order."""
        return self.combine([one.values(query, documents) for one in self.features])

    def combine(self, columns: Sequence[F64]) -> F64:
        """Return the scores of documents from the values of each feature."""
        segments = QuerySegments(np.array([0, len(columns[0])]))
        scores = np.zeros(len(columns[0]))
        if len(scores):
            by_column = self.normalization.by_column(np.array(self.weights))
            for weight, column, normalization in zip(self.weights, columns, by_column, strict=True):
                scores += weight * normalization.normalize(column, segments)
        return scores
