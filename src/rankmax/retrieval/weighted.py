"""A weighted sum of features, as a linear model scores documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmax.arrays import F64
from rankmax.data.normalise import Normalisation, Unchanged
from rankmax.data.segments import QuerySegments
from rankmax.errors import InvalidParameterError
from rankmax.retrieval.features.base import Feature
from rankmax.retrieval.query import Query


@dataclass(frozen=True)
class WeightedSum:
    r"""The sum of weighted features, each normalised within the query first.

    .. math:: s(Q, D) = \sum_j w_j \, x'_j(Q, D)

    Parameters
    ----------
    features : tuple of Feature
    weights : tuple of float
        One for each feature.
    normalisation : Normalisation
        Of a feature's values in the documents that are asked for; none by default. In a search these are all documents
        that are found, before the best are taken.

    Examples
    --------
    >>> from rankmax.retrieval.features import BM25, Dirichlet
    >>> WeightedSum((BM25(), Dirichlet(mu=1500)), (1.0, 0.25)).name
    '1*bm25+0.25*dirichlet(mu=1500)'
    """

    features: tuple[Feature, ...]
    weights: tuple[float, ...]
    normalisation: Normalisation = field(default_factory=Unchanged)

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
        """Return the score of some documents, given by their numbers, in their order."""
        return self.combine([one.values(query, documents) for one in self.features])

    def combine(self, columns: Sequence[F64]) -> F64:
        """Return the scores of documents from the values of each feature."""
        segments = QuerySegments(np.array([0, len(columns[0])]))
        scores = np.zeros(len(columns[0]))
        if len(scores):
            for weight, column in zip(self.weights, columns, strict=True):
                scores += weight * self.normalisation.normalise(column, segments)
        return scores
