"""Linear model whose weights are linear in features of the query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import msgspec
import numpy as np

from rankmax._arrays import F64
from rankmax._result_views import Block, Facts, Table
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.models.linear_model import LinearModel
from rankmax.models.provenance import Provenance
from rankmax.models.ranking_model import RankingModel
from rankmax.preprocessing.binning import features_by_name
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.preprocessing.query_features import QueryFeature, QueryRows, query_feature_values

FARTHEST = 3.0
"""Standard deviations from the mean beyond which a query feature has no further effect."""


@dataclass(frozen=True, eq=False, repr=False)
class QueryWeightsModel(RankingModel):
    r"""Scores documents by a weighted sum of their normalized features, with weights that fit the query.

    With :math:`z` the standardized query features, each at most 3 in magnitude,

    .. math:: w(z) = \max(0, w + V^T z), \qquad z_k = (t_k - \mu_k) / \sigma_k

    and where no weight is above 0, w itself. Means and standard deviations are those of the training queries.

    Attributes
    ----------
    query_features : tuple of QueryFeature
    means, deviations : arrays of float64, shape (n_query_features,)
    weights : array of float64, shape (n_features,)
        Weights w of a query whose features are at their means; nonnegative.
    variation : array of float64, shape (n_query_features, n_features)
        Change V of the weights for a standard deviation of each query feature.
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
    >>> length = QueryFeature("length")
    >>> model = QueryWeightsModel((length,), [4.0], [2.0], [0.5, 0.5], [[-0.25, 0.25]], ("bm25", "e5"))
    >>> model.weights_at(np.array([4.0])), model.weights_at(np.array([6.0])), model.weights_at(np.array([90.0]))
    (array([0.5, 0.5]), array([0.25, 0.75]), array([0.  , 1.25]))
    >>> data = RankingDataset.from_arrays([[8.0, 4.0]] * 2, [0, 1], qid=["q1", "q2"], feature_names=["bm25", "e5"])
    >>> model.scores(data, {"q1": {"text": "wing flutter at high speed"}, "q2": {"text": "heat"}})
    array([5.5, 7.5])
    """

    schema: ClassVar[str] = "rankmax/query-weights-model/1"

    query_features: tuple[QueryFeature, ...]
    means: F64
    deviations: F64
    weights: F64
    variation: F64
    feature_names: tuple[str, ...]
    normalization: Normalization = field(default_factory=Unchanged)
    metric: str | None = None
    provenance: Provenance = field(default_factory=Provenance)

    def __post_init__(self) -> None:
        names = tuple(self.feature_names)
        n_query, n = len(self.query_features), len(names)
        shapes = {"means": (n_query,), "deviations": (n_query,), "weights": (n,), "variation": (n_query, n)}
        self._set_arrays(shapes)
        if (self.deviations <= 0).any():
            raise InvalidDataError("a query feature has no positive standard deviation")
        if (self.weights < 0).any():
            raise InvalidDataError("a weight is negative; weights that fit the query are nonnegative")
        for what, given in (("feature name", names), ("query feature", self.query_features)):
            if len(set(given)) != len(given):
                raise InvalidDataError(f"a {what} occurs twice")
        object.__setattr__(self, "feature_names", names)
        object.__setattr__(self, "query_features", tuple(self.query_features))

    def weights_at(self, values: F64) -> F64:
        """Return the weights of queries.

        Parameters
        ----------
        values : array of float64, shape (..., n_query_features)
            Query features, not standardized.
        """
        return query_weights(self.weights, self.variation, (np.asarray(values) - self.means) / self.deviations)

    def query_values(self, data: RankingDataset, rows: QueryRows | None = None) -> F64:
        """Return the query features of a data set, shape (n_queries, n_query_features).

        Parameters
        ----------
        data : RankingDataset
        rows : mapping of str to mapping of str to str, optional
            Text and columns by query, where the query features need them.
        """
        return query_feature_values(self.query_features, data, self.feature_names, rows)

    def weights_of(self, data: RankingDataset, rows: QueryRows | None = None) -> F64:
        """Return the weights of a data set's queries, shape (n_queries, n_features).

        Query features that move no weight are not looked at, so that nothing needs to be known for them.

        Parameters
        ----------
        data : RankingDataset
        rows : mapping of str to mapping of str to str, optional
            Text and columns by query, where the query features that move weights need them.
        """
        moving = sorted(self.moving)
        features = [self.query_features[k] for k in moving]
        values = query_feature_values(features, data, self.feature_names, rows)
        z = (values - self.means[moving]) / self.deviations[moving]
        return query_weights(self.weights, self.variation[moving], z)

    def scores(self, data: RankingDataset, values: QueryRows | None = None) -> F64:
        """Return the score of each document.

        Parameters
        ----------
        data : RankingDataset
            Must have every feature, under its name; others are ignored.
        values : mapping of str to mapping of str to str, optional
            Text and columns by query, where the query features that move weights need them.
        """
        by_query = self.weights_of(data, values)
        view = self.normalization.apply(features_by_name(data, list(self.feature_names)))
        query = data.judgments.query_of_document
        scores = np.zeros(data.n_documents)
        for j in range(len(self.feature_names)):
            scores += by_query[query, j] * view.column(j)
        return scores

    def scores_for(self, data: RankingDataset, values: Mapping[str, Any] | None = None) -> F64:
        """Return the score of each document; see :meth:`scores`."""
        return self.scores(data, values)

    @property
    def fixed(self) -> LinearModel:
        """The model with the weights at the means for every query."""
        return LinearModel(self.weights, self.feature_names, self.normalization, self.metric, self.provenance)

    @property
    def needs_topics(self) -> bool:
        """Whether a query feature that moves weights needs the text or a column of the query."""
        return any(self.query_features[k].needs_topics for k in self.moving)

    def values_of(self, topics: Any) -> Mapping[str, Any] | None:
        """Return text and columns by query, for :meth:`scores_for`.

        Parameters
        ----------
        topics : path, mapping of str to str or to mapping, or None
            A table of the queries, the text of each, or text and columns of each.
        """
        return rows_of(topics)

    def weight_columns(self) -> dict[str, F64]:
        """Return the weights at the means, and their change for a standard deviation of each query feature."""
        changes = zip(self.query_features, self.variation, strict=True)
        return {"weight": self.weights, **{f"per s.d. of {one.name}": row for one, row in changes if row.any()}}

    @property
    def moving(self) -> list[int]:
        """Indices of the query features that change weights, the largest change first."""
        size = np.abs(self.variation).sum(axis=1)
        return [int(k) for k in np.argsort(-size, kind="stable") if size[k] > 0]

    @property
    def blocks(self) -> list[Block]:
        """The model's origin, the weights at the means, and what changes them: one row per query feature."""
        facts = self._facts() | {"weights": ", ".join(self._named(self.weights, ".4f"))}
        if not self.moving:
            return [Facts(facts | {"varies": "no: all queries have the same weights"})]
        rows = [
            [
                self.query_features[k].name,
                f"{self.means[k]:.4g}",
                f"{self.deviations[k]:.4g}",
                *(f"{x:+.4f}" for x in self.variation[k]),
            ]
            for k in self.moving
        ]
        title = "change of the weights for a standard deviation of each query feature"
        return [Facts(facts), Table(["query feature", "mean", "s.d.", *self.feature_names], rows, title=title)]

    def _named(self, weights: F64, form: str) -> list[str]:
        return [f"{name} {weight:{form}}" for name, weight in zip(self.feature_names, weights, strict=True)]

    def _document(self) -> _Document:
        told = zip(self.query_features, self.means.tolist(), self.deviations.tolist(), strict=True)
        columns = zip(self.feature_names, self.weights.tolist(), self.variation.T.tolist(), strict=True)
        return _Document(
            schema=self.schema,
            metric=self.metric,
            normalization=self.normalization.to_dict(),
            query_features=[_QueryFeature(one.kind, one.of, mean, spread) for one, mean, spread in told],
            features=[_Feature(*column) for column in columns],
            provenance=self.provenance,
        )

    @classmethod
    def _decoded(cls, content: bytes) -> Self:
        document = msgspec.json.decode(content, type=_Document)
        told = document.query_features
        if any(len(feature.variation) != len(told) for feature in document.features):
            raise InvalidDataError(f"a feature does not have {len(told)} numbers, one for each query feature")
        variation = np.array([feature.variation for feature in document.features])
        return cls(
            tuple(QueryFeature(one.kind, one.of) for one in told),
            np.array([one.mean for one in told]),
            np.array([one.deviation for one in told]),
            np.array([feature.weight for feature in document.features]),
            variation.reshape(len(document.features), len(told)).T,
            tuple(feature.name for feature in document.features),
            Normalization.from_dict(document.normalization),
            document.metric,
            document.provenance,
        )


def query_weights(weights: F64, variation: F64, z: F64) -> F64:
    """Return the weights of queries with standardized features z: never negative, and never all 0.

    Parameters
    ----------
    weights : array of float64, shape (n_features,)
    variation : array of float64, shape (n_query_features, n_features)
    z : array of float64, shape (..., n_query_features)

    Examples
    --------
    >>> query_weights(np.array([0.5, 0.5]), np.array([[1.0, -1.0]]), np.array([[0.25], [2.0]]))
    array([[0.75, 0.25],
           [2.5 , 0.  ]])
    """
    found = np.broadcast_to(weights, (*z.shape[:-1], weights.size)).copy()
    near = np.clip(z, -FARTHEST, FARTHEST)
    for k, row in enumerate(variation):  # one by one, as exports add up
        found += near[..., k, None] * row
    found = np.maximum(found, 0.0)
    kept: F64 = np.where(found.any(axis=-1, keepdims=True), found, weights)
    return kept


def rows_of(topics: Any) -> dict[str, Mapping[str, str]] | None:
    """Return text and columns by query, from any form that a user may give.

    Parameters
    ----------
    topics : path, mapping of str to str or to mapping, or None

    Examples
    --------
    >>> rows_of({"q1": "wing flutter", "q2": {"text": "heat", "clicks": 7}})
    {'q1': {'text': 'wing flutter'}, 'q2': {'text': 'heat', 'clicks': '7'}}
    """
    if topics is None:
        return None
    if isinstance(topics, Mapping):
        return {
            str(query): {str(k): str(v) for k, v in row.items()} if isinstance(row, Mapping) else {"text": str(row)}
            for query, row in topics.items()
        }
    from rankmax.formats.topic_columns import read_query_rows

    return dict(read_query_rows(topics))


class _QueryFeature(msgspec.Struct, forbid_unknown_fields=True):
    kind: str
    of: str
    mean: float
    deviation: float


class _Feature(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    weight: float
    variation: list[float]


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    """The JSON document on disk."""

    schema: str
    metric: str | None
    normalization: dict[str, str | float]
    query_features: list[_QueryFeature]
    features: list[_Feature]
    provenance: Provenance
