"""Weighted sum of models' scores: a fusion of models on the same features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self, TypeAlias

import msgspec
import numpy as np

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.models.json_file import check_schema
from rankmax.models.linear_model import LinearModel
from rankmax.models.provenance import Provenance, TrainingRecord
from rankmax.models.ranking_model import RankingModel
from rankmax.models.tree_ensemble_model import TreeEnsembleModel
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged

Member: TypeAlias = LinearModel | ExpectedGainModel | AdditiveModel | TreeEnsembleModel
"""A model that can be a part of a stack."""

_KINDS: dict[str, type[Member]] = {
    kind.schema: kind for kind in (LinearModel, ExpectedGainModel, AdditiveModel, TreeEnsembleModel)
}


@dataclass(frozen=True, eq=False, repr=False)
class StackedModel(RankingModel):
    """Scores documents by a weighted sum of other models' scores, each normalized within the query.

    Attributes
    ----------
    models : tuple of models
        Each has a file format of its own and needs nothing but features.
    names : tuple of str
        Their names.
    weights : array of float64, shape (n_models,)
    normalization : Normalization
        Applied to each model's scores within each query before weighting.
    metric : str or None
        Name of the metric that the weights were tuned for.
    provenance : Provenance
        Origin of the weights.
    training : TrainingRecord or None
        Record of the tuning.

    Examples
    --------
    >>> bm25, clicks = LinearModel([1.0], ("bm25",)), LinearModel([2.0], ("clicks",))
    >>> model = StackedModel((bm25, clicks), ("text", "behavior"), [1.0, 0.5])
    >>> data = RankingDataset.from_arrays([[3.0, 1.0]], [1], qid=[7], feature_names=["bm25", "clicks"])
    >>> model.scores(data), model.feature_names
    (array([4.]), ('bm25', 'clicks'))
    >>> StackedModel.from_json(model.to_json()).names
    ('text', 'behavior')
    """

    schema: ClassVar[str] = "rankmax/stacked-model/1"

    models: tuple[Member, ...]
    names: tuple[str, ...]
    weights: F64
    normalization: Normalization = field(default_factory=Unchanged)
    metric: str | None = None
    provenance: Provenance = field(default_factory=Provenance)
    training: TrainingRecord | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", tuple(self.models))
        if len(self.models) != len(self.names):
            raise InvalidDataError(f"{len(self.models)} models have {len(self.names)} names")
        fusion = LinearModel(self.weights, self.names)  # checks names and weights
        object.__setattr__(self, "names", fusion.feature_names)
        object.__setattr__(self, "weights", fusion.weights)

    @property
    def fusion(self) -> LinearModel:
        """The weights of the models' scores as a linear model, whose features are the models."""
        return LinearModel(self.weights, self.names, self.normalization, self.metric, self.provenance, self.training)

    @property
    def feature_names(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of all features that the models use, each once."""
        return tuple(dict.fromkeys(name for model in self.models for name in model.feature_names))

    def weight_columns(self) -> dict[str, F64]:
        """Return the weights of the models, and their canonical form."""
        return self.fusion.weight_columns()

    @property
    def blocks(self) -> list:  # type: ignore[type-arg]
        """The origin, and the models with their weights."""
        return self.fusion.blocks

    def to_frame(self) -> object:
        """Return the weights as a pandas data frame, with a row for each model."""
        return self.fusion.to_frame()

    def scores(self, data: RankingDataset) -> F64:
        """Return the score of each document.

        Parameters
        ----------
        data : RankingDataset
            Must have the features of every model with a nonzero weight.
        """
        used = np.flatnonzero(self.weights)
        fusion = replace(self.fusion, weights=self.weights[used], feature_names=tuple(self.names[j] for j in used))
        return fusion.scores(scores_as_features(data, [self.models[j] for j in used], fusion.feature_names))

    def _document(self) -> _Document:
        return _Document(
            schema=self.schema,
            metric=self.metric,
            normalization=self.normalization.to_dict(),
            models=[
                _Member(name, weight, msgspec.Raw(model.to_json()))
                for name, weight, model in zip(self.names, self.weights.tolist(), self.models, strict=True)
            ],
            provenance=self.provenance,
            training=self.training,
        )

    def to_json(self) -> bytes:
        """Return the model as JSON, with that of each of its models."""
        return msgspec.json.encode(self._document()) + b"\n"

    @classmethod
    def _decoded(cls, content: bytes) -> Self:
        document = msgspec.json.decode(content, type=_Document)
        models = []
        for member in document.models:
            source = f"model {member.name!r}"
            inner = bytes(member.model)
            try:
                models.append(_KINDS[check_schema(inner, tuple(_KINDS), source)].from_json(inner, source=source))
            except DataFormatError as error:
                raise InvalidDataError(str(error)) from None
        return cls(
            tuple(models),
            tuple(member.name for member in document.models),
            np.array([member.weight for member in document.models]),
            Normalization.from_dict(document.normalization),
            document.metric,
            document.provenance,
            document.training,
        )


def scores_as_features(data: RankingDataset, models: Sequence[Member], names: Sequence[str]) -> RankingDataset:
    """Return the scores that models give the documents, as features of the same documents.

    Parameters
    ----------
    data : RankingDataset
    models : sequence of models
    names : sequence of str
        Names of the new features.
    """
    columns = np.empty((data.n_documents, len(models)), order="F")
    for j, model in enumerate(models):
        columns[:, j] = model.scores(data)
    return replace(data, features=columns, feature_names=tuple(names))


class _Member(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    weight: float
    model: msgspec.Raw


class _Document(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The JSON document on disk."""

    schema: str
    metric: str | None
    normalization: dict[str, str | float]
    models: list[_Member]
    provenance: Provenance
    training: TrainingRecord | None = None
