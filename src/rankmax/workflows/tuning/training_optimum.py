"""The best weights for the judged queries themselves, searched on every face of the simplex."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from rankmax._arrays import F64
from rankmax._numerics.standard_error import standard_error
from rankmax.errors import IncompatibleError
from rankmax.fusion.constraint import ConstrainedSearch
from rankmax.fusion.weight_search import LatticeSearch, RankConstantSearch, WeightSearch, lattice_steps
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics.metric import TabularMetric
from rankmax.optimizers.branch_and_bound import BranchAndBound
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.spaces.lattice import segment_points, simplex_lattice
from rankmax.spaces.simplex import Simplex
from rankmax.workflows.surface.surface_lines import Optimum

MOST_PROVEN = 3
"""Largest number of systems for a proof; with more it takes too long."""

_MOST_POINTS = 500  # in a face's lattice
_FINEST = 200
_FEWEST_CELLS, _CELLS_OF_ALL_QUERIES = 100, 60_000  # a second or two of cutting; a fixed number, so reproducible
_STEPS_BACK = 32  # points tried between weights that satisfy a constraint and better ones that do not


class _Candidate(NamedTuple):
    """Weights with their sort key: whether they satisfy the constraint, then the metric to maximize."""

    met: bool
    value: float
    weights: F64


def best_weights(search: WeightSearch, *seen: F64) -> tuple[Optimum, float | None]:
    """Return the best weights found for all queries of a search, and an upper bound where one is proven.

    For up to six systems every subset of them is searched: a lattice inside its face of the simplex, and exact ascents
    from its best point and from the best of the smaller subsets. So more systems never give a lower value than fewer.
    For up to three systems the maximum is proven; for more, it is proven that no three of them do better.

    Parameters
    ----------
    search : WeightSearch
        For a :class:`~rankmax.fusion.constraint.ConstrainedSearch`, only weights that satisfy its constraint count, if
        any do; else those with the highest constrained metric. The bound is for all weights.
    *seen : arrays, shape (n_systems,)
        Further known weights; the result is at least as good.

    Returns
    -------
    Optimum
    float or None
        The bound; None for more than three systems, and for metrics that are not tabular.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.metrics import AP
    >>> search = LatticeSearch(planted_linear(20, 10, 3, noise=1.0, seed=1).data, [AP()])
    >>> optimum, bound = best_weights(search, np.array([0.2, 0.3, 0.5]))
    >>> bool(optimum.value >= search.table.mean(axis=1).max()), abs(optimum.value - bound) < 1e-9
    (True, True)
    """
    known = _judged(search, np.array([*seen, *np.eye(search.data.n_features)]))
    if isinstance(search, RankConstantSearch):  # not linear in the weights, so there are no lines and no bound
        return _optimum(search, _best([*known, *_judged(search, search.points)])), None
    if isinstance(search, LatticeSearch):
        known.append(_best(_judged(search, search.points)))
        known += _found_on_faces(search, _hopeless(search, _best(known)))
    else:
        starts = [_best(known), *known[: len(seen)]]
        known += [_ascended(search, tuple(range(search.data.n_features)), start) for start in starts]
    best, bound = _proven(search, known) if search.data.n_features <= MOST_PROVEN else (_best(known), None)
    if isinstance(search, LatticeSearch) and search.data.n_features > MOST_PROVEN:
        best = _better_in_three(search, known)
    return _optimum(search, best), bound


def _optimum(search: WeightSearch, best: _Candidate) -> Optimum:
    values = search.values(best.weights[None])[0, 0]
    return Optimum(best.weights, float(values.mean()), standard_error(values))


def interior_points(n_weights: int) -> F64:
    """Return at most 500 points spread evenly over the interior of the simplex.

    Parameters
    ----------
    n_weights : int

    Examples
    --------
    >>> [len(interior_points(n)) for n in (1, 2, 3, 4, 5, 6)]
    [1, 200, 496, 455, 495, 462]
    """
    if n_weights == 2:
        return segment_points(_FINEST)
    steps = max(n for n in range(n_weights, _FINEST) if n == n_weights or comb(n - 1, n_weights - 1) <= _MOST_POINTS)
    inside: F64 = (simplex_lattice(n_weights, steps - n_weights) + 1) / steps
    return inside


def _judged(search: WeightSearch, weights: F64) -> list[_Candidate]:
    means = search.values(weights).mean(axis=2)
    if not isinstance(search, ConstrainedSearch):
        return [_Candidate(True, value, one) for value, one in zip(means[:, 0].tolist(), weights, strict=True)]
    second = means[:, search.constrained]
    met = search.constraint.is_met_by(second)
    values = np.where(met, means[:, 0], second)
    return [_Candidate(*row) for row in zip(met.tolist(), values.tolist(), weights, strict=True)]


def _best(candidates: Sequence[_Candidate]) -> _Candidate:
    return max(candidates, key=lambda one: (one.met, one.value))


def _hopeless(search: LatticeSearch, best: _Candidate) -> float:
    """Return the value below which no ascent starts: ascents hardly gain more than a standard error.

    Where one would, a proof finds it; without proofs every ascent is made, as a search over fewer systems makes them.
    """
    if not isinstance(search.metric, TabularMetric):
        return -np.inf
    spread = float(search.values(best.weights[None])[0, 0].std())
    return best.value - spread / float(np.sqrt(search.data.n_queries))


def _found_on_faces(search: LatticeSearch, hopeless: float) -> Iterator[_Candidate]:
    """Yield the best weights found inside each face, from the vertices up; ascents start only above a given value.

    The search on a face depends on its systems alone, so that other systems do not change it.
    """
    n = search.data.n_features
    found: dict[tuple[int, ...], _Candidate] = {}
    for size in range(1, n + 1):
        lattices = [interior_points(size)]
        if size > 2:  # the lattice that a search over these systems alone would see
            lattices.append(simplex_lattice(size, lattice_steps(size)) / lattice_steps(size))
        for face in combinations(range(n), size):
            candidates = [_best(_judged(search, _padded(points, face, n))) for points in lattices]
            if size > 2:
                candidates.append(_best([found[part] for part in combinations(face, size - 1)]))
            if size > 1:  # for two systems, one ascent along the segment finds the maximum
                starts = [one for one in candidates if one.value >= hopeless]
                candidates += [_ascended(search, face, start) for start in starts]
            found[face] = _best(candidates)
            yield found[face]


def _ascended(search: WeightSearch, face: tuple[int, ...], start: _Candidate) -> _Candidate:
    """Return the end of an ascent inside a face; with a constraint, the best point on the way that satisfies it."""
    objective = _on_face(search, face)
    rng = np.random.default_rng(0)  # unused by cycles in a fixed order
    end = CoordinateAscent().maximize(objective, Simplex(), start=start.weights[list(face)], rng=rng)
    reached = _padded(end.weights[None], face, start.weights.size)
    if not isinstance(search, ConstrainedSearch):
        return _judged(search, reached)[0]
    shares = np.linspace(0, 1, _STEPS_BACK + 1)[:, None]
    return _best(_judged(search, (1 - shares) * start.weights + shares * reached))


def _on_face(search: WeightSearch, face: Sequence[int]) -> LinearObjective:
    return LinearObjective(search.data.select_features([search.data.feature_names[j] for j in face]), search.metric)


def _padded(points: F64, face: Sequence[int], n_weights: int) -> F64:
    """Return points of a face as points of the whole simplex."""
    padded = np.zeros((len(points), n_weights))
    padded[:, list(face)] = points
    return padded


def _cells(search: WeightSearch) -> int:
    return max(_FEWEST_CELLS, _CELLS_OF_ALL_QUERIES // search.data.n_queries)


def _proven(search: WeightSearch, known: Sequence[_Candidate]) -> tuple[_Candidate, float | None]:
    """Return the best of the known weights and those that a proof found, and the proven bound."""
    best = _best(known)
    with suppress(IncompatibleError):
        objective = LinearObjective(search.data, search.metric)
        proof = BranchAndBound(cells=_cells(search)).prove(objective, Simplex(), start=best.weights)
        return _best([best, *_judged(search, proof.weights[None])]), proof.bound
    return best, None


def _better_in_three(search: LatticeSearch, known: Sequence[_Candidate]) -> _Candidate:
    """Return the best of the known weights, or better weights of three systems, if a proof finds any.

    The proof shows only that three systems do not exceed the best of all, which is cheaper than finding their maximum.
    """
    best = _best(known)
    if isinstance(search, ConstrainedSearch):
        return best
    n = search.data.n_features
    for face in combinations(range(n), MOST_PROVEN):
        own = _best([one for one in known if not np.delete(one.weights, list(face)).any()])
        with suppress(IncompatibleError):
            bound = np.inf
            while bound > best.value:
                search_on = BranchAndBound(gap=max(best.value - own.value, 0.0), cells=_cells(search))
                proof = search_on.prove(_on_face(search, face), Simplex(), start=own.weights[list(face)])
                found = _best([own, *_judged(search, _padded(proof.weights[None], face, n))])
                best = _best([best, found])
                if found is own or proof.stopped_by != "proven":
                    break
                own, bound = found, proof.bound
    return best
