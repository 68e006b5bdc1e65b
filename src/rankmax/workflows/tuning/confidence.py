"""How sure learned weights are: how they vary with the queries, and how far others may be that do as well."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64
from rankmax.errors import IncompatibleError
from rankmax.fusion.search import LatticeSearch, WeightSearch
from rankmax.lines.objective import LinearObjective
from rankmax.optimizers.branch_and_bound import BranchAndBound
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.spaces.equivalence import geodesic_distance
from rankmax.spaces.simplex import Simplex
from rankmax.workflows.surface.lines import Optimum

_N_SAMPLES = 500
_N_ASCENTS = 10  # samples, where each takes an ascent
_ROUND = (10, 20, 50, 100, 1000)  # denominators of weights that look tidy, the tidiest first
_MOST_PROVEN = 3  # systems: a proof for more takes longer than anybody waits for it here
_FEWEST_CELLS, _CELLS_OF_ALL_QUERIES = 100, 60_000  # a second or two of cutting, the same at every run
_COUNTS = 0.05  # a weight from here on is not rounded to 0


@dataclass(frozen=True, eq=False)
class WeightConfidence:
    """What else the weights could be.

    Attributes
    ----------
    resampled : array, shape (n_samples, n_systems)
        The best weights for bootstrap samples of the queries.
    intervals : array, shape (n_systems, 2)
        Between which 90% of these lie.
    spread : float
        Mean geodesic distance of these from the learned weights: 0 where all are equal, at most pi.
    optimum : Optimum
        The best weights for the queries themselves, found by exact line searches.
    bound : float or None
        What no weights exceed on these queries, proven; None for more than three systems, and for metrics of which
        nothing can be proven.
    plateau : array, shape (n_points, n_systems), or None
        Weights, of a lattice over the simplex, whose mean is at most one standard error below the optimum's; None for
        more than six systems.
    plateau_share : float or None
        Share of the lattice that these are.
    rounded : array, shape (n_systems,)
        Round weights near the learned ones, inside the plateau.
    """

    resampled: F64
    intervals: F64
    spread: float
    optimum: Optimum
    bound: float | None
    plateau: F64 | None
    plateau_share: float | None
    rounded: F64

    @property
    def proven(self) -> str | None:
        """What is proven, as a sentence."""
        if self.bound is None:
            return None
        gap = max(self.bound - self.optimum.value, 0.0)  # the value is rounded, the bound is not
        return f"no weights for these systems exceed {self.bound:.4f} on these queries (gap {gap:.4f})"

    @property
    def plateau_ranges(self) -> F64 | None:
        """The lowest and the highest weight of each system inside the plateau, shape (n_systems, 2)."""
        return None if self.plateau is None else np.stack([self.plateau.min(axis=0), self.plateau.max(axis=0)], axis=1)


def weight_confidence(search: WeightSearch, weights: F64, *, seed: int = 0) -> WeightConfidence:
    """Return how sure weights are that a search has learned from all queries.

    Parameters
    ----------
    search : WeightSearch
    weights : array, shape (n_systems,)
    seed : int
        Of the bootstrap.

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
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
    start = weights
    if isinstance(search, LatticeSearch):
        start = search.points[int(np.argmax(search.table.mean(axis=1)))]
    optimum, bound = _climbed(search, start, weights)
    plateau = share = None
    if isinstance(search, LatticeSearch):
        inside = optimum.reaches(search.table.mean(axis=1))
        plateau, share = search.points[inside], float(inside.mean())
    return WeightConfidence(
        resampled,
        np.quantile(resampled, [0.05, 0.95], axis=0).T,
        float(np.mean(distances)),
        optimum,
        bound,
        plateau,
        share,
        _rounded(search, weights, optimum),
    )


def rounded_weights(weights: Sequence[float] | F64, denominator: int) -> F64:
    """Return the multiples of 1/n nearest to some weights that add up to 1, as seats are dealt out by remainders.

    Parameters
    ----------
    weights : array, shape (n_systems,)
        Nonnegative, of sum 1.
    denominator : int
        n.

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


def _climbed(search: WeightSearch, *starts: F64) -> tuple[Optimum, float | None]:
    """Return the best end of exact ascents, or better weights that a proof came by, and what is proven."""
    objective = LinearObjective(search.data, search.metric)
    rng = np.random.default_rng(0)  # cycles in a fixed order draw nothing from it
    ascents = [CoordinateAscent().maximize(objective, Simplex(), start=start, rng=rng) for start in starts]
    best = max(ascents, key=lambda ascent: ascent.value)
    best_weights, best_value, bound = best.weights, best.value, None
    if objective.n_features <= _MOST_PROVEN:
        with suppress(IncompatibleError):
            cells = max(_FEWEST_CELLS, _CELLS_OF_ALL_QUERIES // search.data.n_queries)
            proof = BranchAndBound(cells=cells).prove(objective, Simplex(), start=best.weights)
            bound, there = proof.bound, objective.at(proof.weights)
            if there.value > best.value:
                best_weights, best_value = there.weights, there.value
    values = search.values(best_weights[None])[0, 0]
    return Optimum(best_weights, best_value, float(values.std(ddof=1)) / values.size**0.5), bound


def _rounded(search: WeightSearch, weights: F64, optimum: Optimum) -> F64:
    for denominator in _ROUND:
        candidate = rounded_weights(weights, denominator)
        drops_some = ((weights >= _COUNTS) & (candidate == 0)).any()
        if not drops_some and optimum.reaches(search.values(candidate[None])[:, 0].mean(axis=1))[0]:
            return candidate
    return weights
