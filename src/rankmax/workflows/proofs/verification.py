"""Verification of a certificate against the data, independent of the code that made it.

It implements the definition with numpy and fractions, without kernels. It follows the cuts from face to face, checks
that the parts of every cell cover it, and computes the bound of every leaf again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from rankmax._arrays import F64
from rankmax._numerics.tolerance import SAME_VALUE
from rankmax._result_views import Block, Facts, ResultView
from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.metrics.metric import TabularMetric
from rankmax.workflows.proofs.cell_values import OpenCell, Pairs, exact_dot
from rankmax.workflows.proofs.certificate import Bounds, Certificate

_LEAF, _OPEN = 254, 255


@dataclass(frozen=True, repr=False)
class Verification(ResultView):
    """Result of verifying a certificate; it shows itself as facts, also in a notebook.

    Attributes
    ----------
    value : float
        The mean of the metric at the certificate's weights.
    bound : float
        The highest bound of a leaf: no weights have a higher mean.
    n_leaves : int
    """

    value: float
    bound: float
    n_leaves: int

    @property
    def blocks(self) -> list[Block]:
        """What was verified."""
        return [
            Facts(
                {
                    "best value": f"{self.value:.6f}",
                    "verified": f"no weights exceed {self.bound:.6f} on these queries",
                    "cells checked": f"{self.n_leaves:,}",
                }
            )
        ]


def verify_certificate(
    certificate: Certificate, data: RankingDataset, *, callback: Callable[[float], None] | None = None
) -> Verification:
    """Check the value at the certificate's weights, and that no weights exceed its bound.

    Raises an InvalidDataError that names the first failure.

    Parameters
    ----------
    certificate : Certificate
    data : RankingDataset
        The data of the certificate, before normalization.
    callback : callable, optional
        Called with the share of the work done.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.workflows.proofs.proven_optimum import prove_optimum
    >>> data = planted_linear(10, 8, 3, noise=0.5, seed=1).data
    >>> verify_certificate(prove_optimum(data, metric="AP"), data).n_leaves > 3
    True
    """
    if data_hash(data) != certificate.data_hash:
        raise InvalidDataError("the certificate is for other data: the content differs from that of the proof")
    ranked = certificate.normalization.apply(data.select_features(certificate.features))
    metric = certificate.metric
    if not isinstance(metric, TabularMetric):
        raise InvalidDataError(f"{metric} is not a tabular metric, so nothing can be proven about it")
    value = _exact_value(ranked, metric, certificate.weights)
    if abs(value - certificate.value) > SAME_VALUE:
        raise InvalidDataError(f"the weights give {value:.9f}, not {certificate.value:.9f} as the certificate says")
    faces = _faces(certificate)
    walk = _Walk(Pairs(ranked, metric), certificate, callback)
    bound, n_leaves = walk.over(faces)
    if bound > certificate.bound + SAME_VALUE:
        raise InvalidDataError(
            f"a cell may hold weights that give {bound:.9f}, more than the bound {certificate.bound:.9f}"
        )
    return Verification(value, bound, n_leaves)


def _exact_value(data: RankingDataset, metric: TabularMetric, weights: F64) -> float:
    rows = zip(*(data.column(j).tolist() for j in range(data.n_features)), strict=True)
    scores = [exact_dot(weights.tolist(), row) for row in rows]
    places = np.empty(len(scores))
    places[sorted(range(len(scores)), key=lambda i: (-scores[i], i))] = -np.arange(len(scores))
    return float(np.nanmean(metric.per_query(places, data.judgments)))


def _faces(certificate: Certificate) -> list[F64]:
    """Return the vertices of the faces of the space, in order; raise where the weights are outside the space."""
    if certificate.bounds is not None:
        _require_multiple(certificate.weights, certificate.bounds)
        return _faces_of_box(certificate.bounds)
    signs = {"simplex": (0, 1), "euclidean": (0, 1, -1)}.get(certificate.space)
    if signs is None:
        known = "known are simplex, euclidean, and a box with its bounds"
        raise InvalidDataError(f"the certificate is for the space {certificate.space!r}; {known}")
    if not set(np.sign(certificate.weights)) <= set(signs):
        raise InvalidDataError(f"the weights are outside the space {certificate.space}")
    n_features = len(certificate.features)
    return [
        np.array(
            [[float(sign) if i == j else 0.0 for j in range(n_features)] for i, sign in enumerate(pattern) if sign]
        )
        for pattern in product(signs, repeat=n_features)
        if any(pattern)
    ]


def _require_multiple(weights: F64, bounds: Bounds) -> None:
    """Check that some positive multiple of the weights lies within the bounds."""
    least, most = 0.0, math.inf
    for weight, ends in zip(weights, bounds, strict=True):
        if weight != 0:
            factors = sorted(end / weight for end in ends)
            least, most = max(least, factors[0]), min(most, factors[1])
        elif not ends[0] <= 0 <= ends[1]:
            most = -1.0
    if not least <= most * (1 + SAME_VALUE):
        raise InvalidDataError("no multiple of the weights lies within the bounds")


def _faces_of_box(bounds: Bounds) -> list[F64]:
    """Return the chains of corners, each at more upper bounds than the last, that lie on a side where rays end."""
    movable = [n for n, (low, high) in enumerate(bounds) if low < high]
    corners = [sum(1 << n for n in chosen) for k in range(len(movable) + 1) for chosen in combinations(movable, k)]
    longer: list[tuple[int, ...]] = [(corner,) for corner in corners]
    chains = longer
    while longer:
        longer = [
            (*chain, corner) for chain in longer for corner in corners if chain[-1] != chain[-1] | corner == corner
        ]
        chains = chains + longer
    faces = [np.array([[ends[n >> j & 1] for j, ends in enumerate(bounds)] for n in chain]) for chain in sorted(chains)]
    return [face for face in faces if any(_rays_end(*column) for column in zip(face.T, bounds, strict=True))]


def _rays_end(weights: F64, ends: tuple[float, float]) -> bool:
    low, high = ends
    return bool((high > 0 and (weights == high).all()) or (low < 0 and (weights == low).all()))


class _Walk:
    """A walk along the cuts of a certificate."""

    def __init__(self, pairs: Pairs, claim: Certificate, callback: Callable[[float], None] | None) -> None:
        self._pairs = pairs
        self._cuts = claim.cuts
        self._enough = claim.bound + SAME_VALUE
        self._callback = callback

    def over(self, faces: list[F64]) -> tuple[float, int]:
        """Return the highest bound of a leaf and the number of leaves."""
        at, bounds = 0, []
        for vertices in faces:
            waiting = [self._pairs.whole(vertices)]
            while waiting:
                if at == len(self._cuts):
                    raise InvalidDataError("the cuts of the certificate end before the space is covered")
                cell, code = waiting.pop(), self._cuts[at]
                at += 1
                if code in (_LEAF, _OPEN):
                    bounds.append(self._bound(cell))
                    continue
                for part, is_leaf in reversed(self._parts(cell, code)):
                    if is_leaf:
                        bounds.append(self._bound(part))
                    else:
                        waiting.append(part)
                if self._callback is not None:
                    self._callback(at / len(self._cuts))
        if at < len(self._cuts):
            raise InvalidDataError("the cuts of the certificate go on after the space is covered")
        return max(bounds), len(bounds)

    def _bound(self, cell: OpenCell) -> float:
        bound = self._pairs.bound(cell)
        return bound if bound <= self._enough else min(bound, self._pairs.bound_by_planes(cell, self._enough))

    def _parts(self, cell: OpenCell, code: int) -> list[tuple[OpenCell, bool]]:
        edges = list(combinations(range(len(cell.vertices)), 2))
        edge, leaves = divmod(code, 8)
        if edge >= len(edges):
            raise InvalidDataError(f"the certificate cuts edge {edge} of a cell that has {len(edges)} edges")
        a, b = edges[edge]
        ends = cell.vertices[[a, b]]
        middle = ends.mean(axis=0)
        if any(
            2 * Fraction(m) != Fraction(x) + Fraction(y) for m, x, y in zip(middle, *cell.vertices[[a, b]], strict=True)
        ):
            raise InvalidDataError("the certificate cuts an edge that is too short to be cut exactly")
        signs = self._pairs.signs_at(middle, cell.pairs)
        parts = []
        for number, replaced in enumerate((a, b, a)):
            vertices, looks = cell.vertices.copy(), cell.signs.copy()
            vertices[replaced], looks[:, replaced] = middle, signs
            if number == 2:
                vertices, looks = np.delete(vertices, b, axis=0), np.delete(looks, b, axis=1)
            part = self._pairs.settled(OpenCell(vertices, cell.pairs, looks, cell.above))
            parts.append((part, bool(leaves >> number & 1)))
        return parts
