"""Confidence in learned weights: their variation over queries, and the range of equally good weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64
from rankmax.fusion.constraint import ConstrainedSearch, Constraint
from rankmax.fusion.weight_search import LatticeSearch, WeightSearch
from rankmax.spaces.equivalence import geodesic_distance
from rankmax.workflows.surface.surface_lines import Optimum
from rankmax.workflows.tuning.training_optimum import best_weights

_N_SAMPLES = 500
_N_ASCENTS = 10  # bootstrap samples, where each takes an ascent
_ROUND = (10, 20, 50, 100, 1000)  # denominators of round weights, the roundest first
_COUNTS = 0.05  # weights of at least this are not rounded to 0


@dataclass(frozen=True, eq=False)
class WeightConfidence:
    """Variation of learned weights over queries, and other weights that do as well.

    Attributes
    ----------
    resampled : array, shape (n_samples, n_systems)
        The best weights for bootstrap samples of the queries.
    intervals : array, shape (n_systems, 2)
        Interval of each weight that holds 90% of these.
    spread : float
        Mean geodesic distance of these from the learned weights, 0 to pi.
    optimum : Optimum
        The best weights found for the queries themselves; see
        :func:`~rankmax.workflows.tuning.training_optimum.best_weights`.
    bound : float or None
        Proven upper bound of the metric over all weights on these queries; None for more than three systems, and for
        metrics that are not tabular.
    holds_for : str
        Normalization of the scores that the optimum and the bound hold for.
    constraint : Constraint or None
        Constraint that the optimum satisfies; the bound ignores it.
    plateau : array, shape (n_points, n_systems), or None
        Lattice points of the simplex whose mean is at most one standard error below the optimum's; None for more than
        six systems.
    plateau_share : float or None
        Share of the lattice points on the plateau.
    rounded : array, shape (n_systems,)
        Round weights near the learned ones, on the plateau.
    """

    resampled: F64
    intervals: F64
    spread: float
    optimum: Optimum
    bound: float | None
    plateau: F64 | None
    plateau_share: float | None
    rounded: F64
    holds_for: str = ""
    constraint: Constraint | None = None

    @property
    def proven(self) -> str | None:
        """The proven bound as a sentence."""
        if self.bound is None:
            return None
        scores = f" and {self.holds_for.removesuffix(' scores')} scores" if self.holds_for else ""
        none = f"no weights for these systems{scores} exceed {self.bound:.4f} on these queries"
        if self.constraint is not None:
            return f"{none}, with or without {self.constraint}"
        gap = max(self.bound - self.optimum.value, 0.0)  # the value is rounded, the bound is not
        return f"{none} (gap {gap:.4f})"

    @property
    def plateau_ranges(self) -> F64 | None:
        """Lowest and highest weight of each system on the plateau, shape (n_systems, 2)."""
        return None if self.plateau is None else np.stack([self.plateau.min(axis=0), self.plateau.max(axis=0)], axis=1)


def weight_confidence(search: WeightSearch, weights: F64, *, holds_for: str = "", seed: int = 0) -> WeightConfidence:
    """Return the confidence in weights that a search has learned from all queries.

    Parameters
    ----------
    search : WeightSearch
    weights : array, shape (n_systems,)
    holds_for : str
        Name of the normalization of the search's scores, for sentences.
    seed : int
        Random seed of the bootstrap.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.metrics import AP
    >>> search = LatticeSearch(planted_linear(30, 10, 2, noise=0.5, seed=1).data, [AP()])
    >>> confidence = weight_confidence(search, search.fit(np.arange(30)))
    >>> confidence.resampled.shape, confidence.intervals.shape
    ((500, 2), (2, 2))
    >>> print(*confidence.rounded)
    0.2 0.8
    """
    on_lattice = isinstance(search, LatticeSearch)
    resampled = search.resampled(_N_SAMPLES if on_lattice else _N_ASCENTS, seed=seed)
    distances = [geodesic_distance(weights, one) for one in resampled]
    optimum, bound = best_weights(search, weights)
    plateau = share = None
    if isinstance(search, LatticeSearch):
        inside = optimum.reaches(search.table.mean(axis=1))
        plateau = search.points[inside] if inside.any() else optimum.weights[None]  # the optimum may lie between points
        share = float(inside.mean())
    return WeightConfidence(
        resampled,
        np.quantile(resampled, [0.05, 0.95], axis=0).T,
        float(np.mean(distances)),
        optimum,
        bound,
        plateau,
        share,
        _rounded(search, weights, optimum),
        holds_for,
        search.constraint if isinstance(search, ConstrainedSearch) else None,
    )


def rounded_weights(weights: Sequence[float] | F64, denominator: int) -> F64:
    """Return weights rounded to multiples of 1/n that sum to 1, by the largest remainder method.

    Parameters
    ----------
    weights : array, shape (n_systems,)
        Nonnegative weights that sum to 1.
    denominator : int
        The denominator n.

    Examples
    --------
    >>> print(*rounded_weights([0.28731, 0.33, 0.38269], 10))
    0.3 0.3 0.4
    """
    scaled = np.asarray(weights, np.float64) * denominator
    units = np.floor(scaled + 1e-9)
    short = round(denominator - units.sum())
    units[np.argsort(units - scaled, kind="stable")[:short]] += 1
    rounded: F64 = units / denominator
    return rounded


def _rounded(search: WeightSearch, weights: F64, optimum: Optimum) -> F64:
    for denominator in _ROUND:
        candidate = rounded_weights(weights, denominator)
        drops_some = ((weights >= _COUNTS) & (candidate == 0)).any()
        if not drops_some and optimum.reaches(search.values(candidate[None])[:, 0].mean(axis=1))[0]:
            return candidate
    return weights
