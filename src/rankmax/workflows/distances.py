"""Distances between the weights of two models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmax._arrays import F64
from rankmax._result_views import Block, Facts, ResultView
from rankmax.errors import InvalidDataError
from rankmax.models import LinearModel
from rankmax.spaces.equivalence import cosine_distance, geodesic_distance, rank_equivalent


@dataclass(frozen=True, slots=True, repr=False)
class ModelDistance(ResultView):
    """Distance between two models, matched by feature name; a feature that a model lacks has weight 0.

    It shows itself as facts, also in a notebook.

    Attributes
    ----------
    n_features, n_common : int
        Number of features in either model, and in both.
    cosine : float
        Cosine distance, 0 to 2, independent of the scale of the weights.
    geodesic : float or None
        Geodesic distance on the simplex, 0 to pi; None where a weight is negative.
    rank_equivalent : bool or None
        Whether the models give the same rankings; None where they normalize differently, so that weights do not say.
    """

    n_features: int
    n_common: int
    cosine: float
    geodesic: float | None
    rank_equivalent: bool | None

    @property
    def facts(self) -> dict[str, str]:
        """The distances in words."""
        equivalent = {True: "yes", False: "no", None: "unknown from weights: the models normalize features differently"}
        return {
            "features": f"{self.n_features}, {self.n_common} of them in both models",
            "cosine distance": f"{self.cosine:.6g}",
            "geodesic distance": "none: a weight is negative" if self.geodesic is None else f"{self.geodesic:.6g}",
            "rank equivalent": equivalent[self.rank_equivalent],
        }

    @property
    def blocks(self) -> list[Block]:
        """The facts that are shown."""
        return [Facts(self.facts)]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which can be written as JSON."""
        return {
            "features": {"all": self.n_features, "common": self.n_common},
            "cosine": self.cosine,
            "geodesic": self.geodesic,
            "rank_equivalent": self.rank_equivalent,
        }


def model_distance(first: LinearModel, second: LinearModel) -> ModelDistance:
    """Return the distance between two models.

    Parameters
    ----------
    first, second : LinearModel
        Models with at least one nonzero weight each.

    Examples
    --------
    >>> far = model_distance(LinearModel([1.0], ("bm25",)), LinearModel([0.5], ("clicks",)))
    >>> far.n_features, far.n_common, far.cosine, round(far.geodesic, 4), far.rank_equivalent
    (2, 0, 1.0, 3.1416, False)

    References
    ----------
    Metzler & Croft (2007), section 2.2.3.
    """
    for model in (first, second):
        if not model.weights.any():
            raise InvalidDataError("every weight is 0; such a model ranks nothing and has no distance")
    names = tuple(dict.fromkeys([*first.feature_names, *second.feature_names]))
    u, v = (_weights(model, names) for model in (first, second))
    nonnegative = bool((u >= 0).all() and (v >= 0).all())
    return ModelDistance(
        n_features=len(names),
        n_common=len(set(first.feature_names) & set(second.feature_names)),
        cosine=cosine_distance(u, v),
        geodesic=geodesic_distance(u, v) if nonnegative else None,
        rank_equivalent=rank_equivalent(u, v) if first.normalization == second.normalization else None,
    )


def _weights(model: LinearModel, names: tuple[str, ...]) -> F64:
    weight_of = dict(zip(model.feature_names, model.weights.tolist(), strict=True))
    return np.array([weight_of.get(name, 0.0) for name in names])
