"""Additive model: a sum of one curve per feature, and of products of a few pairs of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import msgspec
import numpy as np

from rankmax._arrays import F64
from rankmax._io.figures import plain
from rankmax._result_views import Block, Facts, Table, axes_for, sparkline
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError, UnknownNameError
from rankmax.models.curve import Curve, Kind
from rankmax.models.provenance import Provenance, TrainingRecord
from rankmax.models.ranking_model import MOST_SHOWN, RankingModel
from rankmax.preprocessing.binning import features_by_name
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.preprocessing.present_values import present_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BLOCKS_SHOWN = 16


class Product(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A weighted product of the curves of two features.

    Attributes
    ----------
    first, second : str
        Names of the features.
    weight : float
    """

    first: str
    second: str
    weight: float


@dataclass(frozen=True, eq=False, repr=False)
class AdditiveModel(RankingModel):
    r"""Scores documents by a sum of curves of their normalized features, and of products of pairs of these curves.

    .. math:: h(x) = \sum_j f_j(x_j) + \sum_{(j,k)} c_{jk} \, f_j(x_j) \, f_k(x_k)

    Terms are added from left to right in float64: the curves in their order, then the products in theirs, each computed
    as (f_j · f_k) · c. A value is first normalized within its query; :class:`~rankmax.models.curve.Curve` says how a
    curve is evaluated. A document has no value of a feature, and gets the curve's `absent`, where the value is NaN, and
    where the normalization is one of retrieved documents' scores and the value is exactly 0 (not retrieved).

    Attributes
    ----------
    curves : tuple of Curve
        One for each feature.
    feature_names : tuple of str
        Features are found by name, whatever their order in the data.
    products : tuple of Product
    normalization : Normalization
        Applied within each query before the curves, as in training.
    metric : str or None
        Name of the metric it was trained for.
    provenance : Provenance
        Origin of the model.
    training : TrainingRecord or None
        Record of the search that found the curves, if there was one.

    Examples
    --------
    >>> recency, bm25 = Curve([0.0, 30.0], [1.0, 0.0]), Curve([0.0, 20.0], [0.0, 2.0])
    >>> model = AdditiveModel([recency, bm25], ("age", "bm25"), [Product("age", "bm25", 0.5)])
    >>> data = RankingDataset.from_arrays(
    ...     [[15.0, 10.0], [90.0, 20.0]], [0, 1], qid=[7, 7], feature_names=["age", "bm25"]
    ... )
    >>> model.scores(data)
    array([1.75, 2.  ])
    >>> AdditiveModel.from_json(model.to_json()).products[0].weight
    0.5
    """

    schema: ClassVar[str] = "rankmax/additive-model/1"

    curves: tuple[Curve, ...]
    feature_names: tuple[str, ...]
    products: tuple[Product, ...] = ()
    normalization: Normalization = field(default_factory=Unchanged)
    metric: str | None = None
    provenance: Provenance = field(default_factory=Provenance)
    training: TrainingRecord | None = None

    def __post_init__(self) -> None:
        names = tuple(self.feature_names)
        for attribute, given in (("curves", self.curves), ("products", self.products)):
            object.__setattr__(self, attribute, tuple(given))
        object.__setattr__(self, "feature_names", names)
        if len(self.curves) != len(names):
            raise InvalidDataError(f"{len(self.curves)} curves for {len(names)} feature names")
        if len(set(names)) != len(names):
            raise InvalidDataError("a feature name occurs twice")
        pairs = [frozenset((product.first, product.second)) for product in self.products]
        for product, pair in zip(self.products, pairs, strict=True):
            if len(pair) != 2 or not pair <= set(names):
                raise InvalidDataError(
                    f"a product of {product.first!r} and {product.second!r}; expected two different features of "
                    "the model"
                )
            if not np.isfinite(product.weight):
                raise InvalidDataError(f"the weight of a product is {product.weight}; weights are finite numbers")
        if len(set(pairs)) != len(pairs):
            raise InvalidDataError("a product occurs twice")

    def curve(self, name: str) -> Curve:
        """Return a feature's curve.

        Parameters
        ----------
        name : str
        """
        return self.curves[self.feature_names.index(name)]

    @property
    def used(self) -> list[int]:
        """Indices of the features whose curves are not zero, which scoring needs."""
        return [j for j, curve in enumerate(self.curves) if not curve.is_zero]

    def scores(self, data: RankingDataset) -> F64:
        """Return the score of each document.

        Parameters
        ----------
        data : RankingDataset
            Must have every feature whose curve is not zero, under its name; others are ignored.
        """
        in_products = {name for product in self.products for name in (product.first, product.second)}
        view = features_by_name(data, [self.feature_names[j] for j in self.used])
        scores = np.zeros(data.n_documents)
        kept: dict[str, F64] = {}
        for j in self.used:
            name = self.feature_names[j]
            values = self.curves[j].at(present_values(view, name, self.normalization))
            scores += values
            if name in in_products:
                kept[name] = values
        for product in self.products:
            if product.first in kept and product.second in kept:  # otherwise a factor is zero
                scores += kept[product.first] * kept[product.second] * product.weight
        return scores

    def weight_columns(self) -> dict[str, F64]:
        """Return the height of each curve, and the weights of the linear model it was compared with, if any."""
        columns = {"height": np.array([curve.height for curve in self.curves])}
        if any(curve.weight is not None for curve in self.curves):
            columns["linear weight"] = np.array([curve.weight or 0.0 for curve in self.curves])
        return columns

    def plot(self, ax: Axes | None = None, *, feature: str | None = None) -> Axes:
        """Draw a curve with its standard deviation over bags, beside the line of a linear model; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.
        feature : str, optional
            By default that of the highest curve.
        """
        ax = axes_for(ax)
        highest = self.feature_names[int(np.argmax(self.weight_columns()["height"]))] if feature is None else feature
        if highest not in self.feature_names:
            raise UnknownNameError("feature", highest, self.feature_names)
        self.curve(highest).draw(ax)
        ax.set_xlabel(plain(highest))
        ax.set_ylabel("added to the score")
        return ax

    @property
    def blocks(self) -> list[Block]:
        """The model's origin, the curves of largest height, and the products."""
        return [Facts(self._facts()), *self.curve_blocks(MOST_SHOWN)]

    def curve_blocks(self, most: int | None) -> list[Block]:
        """Return the curves of largest height and the products as blocks to show.

        Parameters
        ----------
        most : int or None
            Number of curves; None for all.
        """
        heights = self.weight_columns()["height"]
        order = [j for j in np.argsort(-heights, kind="stable").tolist() if heights[j] > 0]
        shown = order[:most]
        blocks: list[Block] = []
        if shown:
            rows = [[self.feature_names[j], *_shown(self.curves[j])] for j in shown]
            header = ["feature", "height", "from", "curve, knot by knot", "to", "absent"]
            if not any(curve.absent for curve in self.curves):
                header, rows = header[:-1], [row[:-1] for row in rows]
            blocks.append(Table(header, rows))
        if self.products:
            pairs = [[f"{one.first} * {one.second}", f"{one.weight:.4g}"] for one in self.products]
            blocks.append(Table(["product of curves", "weight"], pairs))
        n_hidden, n_flat = len(order) - len(shown), len(self.curves) - len(order)
        told = [f"curves not shown, which are lower: {n_hidden}"] if n_hidden else []
        return [*blocks, *told, *([f"features without effect: {n_flat}"] if n_flat else [])]

    def _document(self) -> _Document:
        return _Document(
            schema=self.schema,
            metric=self.metric,
            normalization=self.normalization.to_dict(),
            features=[_Feature.of(name, curve) for name, curve in zip(self.feature_names, self.curves, strict=True)],
            products=list(self.products),
            provenance=self.provenance,
            training=self.training,
        )

    @classmethod
    def _decoded(cls, content: bytes) -> Self:
        document = msgspec.json.decode(content, type=_Document)
        return cls(
            tuple(feature.curve() for feature in document.features),
            tuple(feature.name for feature in document.features),
            tuple(document.products),
            Normalization.from_dict(document.normalization),
            document.metric,
            document.provenance,
            document.training,
        )


def _shown(curve: Curve) -> Sequence[str]:
    """Return a curve's cells: height, lowest knot, values from knot to knot as blocks, highest knot, absent."""
    ends = [f"{curve.knots[0]:.4g}", f"{curve.knots[-1]:.4g}"] if curve.knots.size else ["", ""]
    knots = np.arange(curve.values.size)
    fine = np.interp(np.linspace(0, knots[-1], _BLOCKS_SHOWN), knots, curve.values)
    return [f"{curve.height:.4g}", ends[0], sparkline(fine.tolist(), _BLOCKS_SHOWN), ends[1], f"{curve.absent:.4g}"]


class _Feature(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    name: str
    kind: Kind
    knots: list[float]
    values: list[float]
    absent: float = 0.0
    deviations: list[float] | None = None
    weight: float | None = None

    @classmethod
    def of(cls, name: str, curve: Curve) -> _Feature:
        deviations = None if curve.deviations is None else curve.deviations.tolist()
        lists = curve.knots.tolist(), curve.values.tolist()
        return cls(name, curve.kind, *lists, float(curve.absent), deviations, curve.weight)

    def curve(self) -> Curve:
        deviations = None if self.deviations is None else np.array(self.deviations)
        knots, values = np.array(self.knots, np.float64), np.array(self.values, np.float64)
        try:
            return Curve(knots, values, self.kind, self.absent, deviations, self.weight)
        except InvalidDataError as error:
            raise InvalidDataError(f"feature {self.name!r}: {error}") from None


class _Document(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The JSON document on disk."""

    schema: str
    metric: str | None
    normalization: dict[str, str | float]
    features: list[_Feature]
    provenance: Provenance
    products: list[Product] = []
    training: TrainingRecord | None = None
