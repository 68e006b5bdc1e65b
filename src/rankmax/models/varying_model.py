"""Linear model whose weights depend on the query: on its group or on a number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import msgspec
import numpy as np

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.formats.parsing.numbers import finite_number
from rankmax.models.linear_model import LinearModel
from rankmax.models.provenance import Provenance
from rankmax.models.ranking_model import RankingModel
from rankmax.preprocessing.binning import features_by_name
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged


@dataclass(frozen=True, eq=False, repr=False)
class VaryingModel(RankingModel):
    r"""Scores documents by a weighted sum of their normalized features, with weights that depend on the query.

    For a query with the number t between :math:`t_0 < t_1`, the two numbers that have weights,

    .. math:: w(t) = (1 - s)\, w_0 + s\, w_1, \qquad s = (t - t_0) / (t_1 - t_0),

    and below or above, the weights of the nearer one. For groups, :math:`w(g) = w_g`; queries of a group without
    weights get the weights `otherwise`.

    Attributes
    ----------
    column : str
        Column of the topics that the weights depend on.
    numbers : pair of float, or None
        Lowest and highest number; None for groups.
    groups : tuple of str
        Names of the groups; empty for numbers.
    weights : array of float64, shape (2 or n_groups, n_features)
        Weights at the two numbers, or of each group.
    otherwise : array of float64, shape (n_features,)
        Weights of queries in no group that has weights.
    feature_names : tuple of str
        Features are found by name, whatever their order in the data.
    normalization : Normalization
        Applied within each query before weighting.
    metric : str or None
        Name of the metric it was trained for.
    provenance : Provenance
        Origin of the model.

    Examples
    --------
    >>> model = VaryingModel("length", (2.0, 6.0), (), [[1.0, 0.0], [0.0, 1.0]], [0.5, 0.5], ("bm25", "e5"))
    >>> model.at("3").weights, model.at("60").weights
    (array([0.75, 0.25]), array([0., 1.]))
    >>> data = RankingDataset.from_arrays([[8.0, 4.0]] * 2, [0, 1], qid=["q1", "q2"], feature_names=["bm25", "e5"])
    >>> model.scores(data, {"q1": "3", "q2": "6"})
    array([7., 4.])
    """

    schema: ClassVar[str] = "rankmax/varying-model/1"

    column: str
    numbers: tuple[float, float] | None
    groups: tuple[str, ...]
    weights: F64
    otherwise: F64
    feature_names: tuple[str, ...]
    normalization: Normalization = field(default_factory=Unchanged)
    metric: str | None = None
    provenance: Provenance = field(default_factory=Provenance)

    def __post_init__(self) -> None:
        names = tuple(self.feature_names)
        if (self.numbers is None) == (not self.groups):
            raise InvalidDataError("weights vary either by number or by group")
        if self.numbers is not None and not 0 < self.numbers[1] - self.numbers[0] < math.inf:
            raise InvalidDataError(f"numbers are {self.numbers}; expected a lower and a higher one")
        n_rows = len(self.groups) or 2
        self._set_arrays({"weights": (n_rows, len(names)), "otherwise": (len(names),)})
        if len(set(names)) != len(names):
            raise InvalidDataError("a feature name occurs twice")
        object.__setattr__(self, "feature_names", names)

    @property
    def labels(self) -> tuple[str, ...]:
        """The groups, or the two numbers, that have weights of their own."""
        return self.groups or tuple(f"{number:g}" for number in self.numbers or ())

    def weight_columns(self) -> dict[str, F64]:
        """Return the weights of each group with those of all other queries, or at the two numbers."""
        columns = {f"{self.column} {label}": row for label, row in zip(self.labels, self.weights, strict=True)}
        return {**columns, "otherwise": self.otherwise} if self.groups else columns

    def weights_at(self, value: str) -> F64:
        """Return the weights for queries with a given value of the column.

        Parameters
        ----------
        value : str
            A number, or a group.
        """
        if self.numbers is None:
            return self.weights[self.groups.index(value)] if value in self.groups else self.otherwise
        try:
            number = finite_number(value)
        except ValueError:
            raise InvalidDataError(f"{self.column} is {value!r}; expected a finite number") from None
        low, high = self.numbers
        share = min(max((number - low) / (high - low), 0.0), 1.0)
        weights: F64 = (1 - share) * self.weights[0] + share * self.weights[1]
        return weights

    def at(self, value: str) -> LinearModel:
        """Return the linear model for queries with a given value of the column.

        Parameters
        ----------
        value : str
        """
        return LinearModel(self.weights_at(value), self.feature_names, self.normalization, self.metric, self.provenance)

    def scores(self, data: RankingDataset, values: Mapping[str, str] | None = None) -> F64:
        """Return the score of each document.

        Parameters
        ----------
        data : RankingDataset
            Must have every feature, under its name; others are ignored.
        values : mapping of str to str
            Value of the column for each query, without which nothing can be scored.
        """
        if values is None:
            raise IncompatibleError(f"the model's weights depend on {self.column!r} of the query: give --topics FILE")
        missing = [query for query in data.query_ids if query not in values]
        if missing:
            raise InvalidDataError(f"there is no {self.column} for {len(missing)} queries, such as {missing[0]!r}")
        by_query = np.array([self.weights_at(values[query]) for query in data.query_ids])
        view = self.normalization.apply(features_by_name(data, list(self.feature_names)))
        query = data.judgments.query_of_document
        scores = np.zeros(data.n_documents)
        for j, weights in enumerate(by_query.reshape(-1, len(self.feature_names)).T):
            scores += weights[query] * view.column(j)
        return scores

    def scores_for(self, data: RankingDataset, values: Mapping[str, str] | None = None) -> F64:
        """Return the score of each document.

        Parameters
        ----------
        data : RankingDataset
        values : mapping of str to str, optional
            As in :meth:`scores`.
        """
        return self.scores(data, values)

    def values_of(self, topics: Any) -> Mapping[str, str] | None:
        """Return the column's value for each query, for :meth:`scores_for`.

        Parameters
        ----------
        topics : path or mapping of str to str, or None
        """
        if topics is None or isinstance(topics, Mapping):
            return topics
        from rankmax.formats.topic_columns import read_query_column

        return read_query_column(topics, self.column)

    def _document(self) -> _Document:
        return _Document(
            schema=self.schema,
            metric=self.metric,
            normalization=self.normalization.to_dict(),
            column=self.column,
            numbers=self.numbers,
            groups=self.groups,
            features=[
                _Feature(name, weights, otherwise)
                for name, weights, otherwise in zip(
                    self.feature_names, self.weights.T.tolist(), self.otherwise.tolist(), strict=True
                )
            ],
            provenance=self.provenance,
        )

    @classmethod
    def _decoded(cls, content: bytes) -> Self:
        document = msgspec.json.decode(content, type=_Document)
        n_rows = len(document.groups) or 2
        if any(len(feature.weights) != n_rows for feature in document.features):
            raise InvalidDataError(f"a feature does not have {n_rows} weights, one for each group or number")
        return cls(
            document.column,
            document.numbers,
            document.groups,
            np.array([feature.weights for feature in document.features]).reshape(len(document.features), n_rows).T,
            np.array([feature.otherwise for feature in document.features]),
            tuple(feature.name for feature in document.features),
            Normalization.from_dict(document.normalization),
            document.metric,
            document.provenance,
        )


class _Feature(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    weights: list[float]
    otherwise: float


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    """The JSON document on disk."""

    schema: str
    metric: str | None
    normalization: dict[str, str | float]
    column: str
    numbers: tuple[float, float] | None
    groups: tuple[str, ...]
    features: list[_Feature]
    provenance: Provenance
