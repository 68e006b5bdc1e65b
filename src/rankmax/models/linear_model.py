"""Linear model: a weighted sum of features, with everything needed to use it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import msgspec
import numpy as np

from rankmax._arrays import F64, readonly
from rankmax._io.figures import BLUE, plain
from rankmax._result_views import axes_for
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.models.provenance import Provenance, TrainingRecord
from rankmax.models.ranking_model import MOST_SHOWN, RankingModel
from rankmax.preprocessing.binning import features_by_name
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.spaces.equivalence import canonical

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class LinearModel(RankingModel):
    """Scores documents by a weighted sum of their normalized features.

    Attributes
    ----------
    weights : array of float64, shape (n_features,)
    feature_names : tuple of str
        Features are found by name, whatever their order in the data.
    normalization : Normalization
        Applied within each query before weighting, as in training.
    metric : str or None
        Name of the metric it was trained for.
    provenance : Provenance
        Origin of the model.
    training : TrainingRecord or None
        Record of the search that found the weights, if there was one.

    Examples
    --------
    >>> model = LinearModel(np.array([1.0, 0.5]), ("bm25", "clicks"), metric="nDCG@10")
    >>> data = RankingDataset.from_arrays(
    ...     [[2.0, 1.0], [4.0, 3.0]], [0, 1], qid=[7, 7], feature_names=["clicks", "bm25"]
    ... )
    >>> model.scores(data)
    array([2., 5.])
    >>> LinearModel.from_json(model.to_json()).metric
    'nDCG@10'
    """

    schema: ClassVar[str] = "rankmax/linear-model/1"

    weights: F64
    feature_names: tuple[str, ...]
    normalization: Normalization = field(default_factory=Unchanged)
    metric: str | None = None
    provenance: Provenance = field(default_factory=Provenance)
    training: TrainingRecord | None = None

    def __post_init__(self) -> None:
        weights = np.array(self.weights, np.float64)
        names = tuple(self.feature_names)
        if weights.shape != (len(names),):
            raise InvalidDataError(f"weights have shape {weights.shape} for {len(names)} feature names")
        if len(set(names)) != len(names):
            raise InvalidDataError("a feature name occurs twice")
        if not np.isfinite(weights).all():
            bad = int(np.flatnonzero(~np.isfinite(weights))[0])
            raise InvalidDataError(f"the weight of {names[bad]!r} is {weights[bad]}; weights are finite numbers")
        object.__setattr__(self, "weights", readonly(weights))
        object.__setattr__(self, "feature_names", names)

    def weight_columns(self) -> dict[str, F64]:
        """Return the weights, and their canonical form: the multiple whose magnitudes sum to 1."""
        return {"weight": self.weights, "canonical": canonical(self.weights) if self.weights.any() else self.weights}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the weights of largest magnitude as bars, in canonical form, and return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.
        """
        ax = axes_for(ax)
        shown = self.weight_columns()["canonical"]
        order = np.argsort(-np.abs(shown), kind="stable")[:MOST_SHOWN]
        ax.barh(range(order.size), shown[order], color=BLUE)
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set_yticks(range(order.size), [plain(self.feature_names[j]) for j in order])
        ax.invert_yaxis()
        ax.set_xlabel("canonical weight: magnitudes sum to 1")
        return ax

    def scores(self, data: RankingDataset) -> F64:
        """Return the score of each document.

        Parameters
        ----------
        data : RankingDataset
            Must have every feature with a nonzero weight, under its name; others are ignored. For an indicator such as
            ``bm25>12.5`` the underlying feature suffices.
        """
        used = np.flatnonzero(self.weights)
        view = features_by_name(data, [self.feature_names[j] for j in used])
        weights = self.weights[used]
        return self.normalization.with_weights(weights).apply(view).scores(weights)

    def _document(self) -> _Document:
        return _Document(
            schema=self.schema,
            metric=self.metric,
            normalization=self.normalization.to_dict(),
            features=[
                _Feature(name, weight) for name, weight in zip(self.feature_names, self.weights.tolist(), strict=True)
            ],
            provenance=self.provenance,
            training=self.training,
        )

    @classmethod
    def _decoded(cls, content: bytes) -> Self:
        document = msgspec.json.decode(content, type=_Document)
        return cls(
            np.array([feature.weight for feature in document.features]),
            tuple(feature.name for feature in document.features),
            Normalization.from_dict(document.normalization),
            document.metric,
            document.provenance,
            document.training,
        )


class _Feature(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    weight: float


class _Document(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The JSON document on disk."""

    schema: str
    metric: str | None
    normalization: dict[str, str | float]
    features: list[_Feature]
    provenance: Provenance
    training: TrainingRecord | None = None
