"""Subdivision of a cell of weights along planes, in exact integer arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

Point = tuple[int, ...]
"""Barycentric coordinates in the cell, or a plane's values at its vertices; up to a positive factor."""

CUT = 2
"""Position of a plane that cuts an open part; otherwise 1, 0 or -1: the part is before, on or behind the plane."""
_MOST_PARTS = 2048  # four times as many as the search allows


class Part(NamedTuple):
    """An open polytope inside a cell.

    Attributes
    ----------
    corners : dict
        For each corner, the planes and sides of the cell that it lies on.
    stands : tuple of int
        Position of each plane relative to the part.
    """

    corners: dict[Point, frozenset[int]]
    stands: tuple[int, ...]


def whole_numbers(values: Sequence[Fraction]) -> Point:
    """Return the smallest integers in the same proportions.

    Parameters
    ----------
    values : sequence of Fraction

    Examples
    --------
    >>> whole_numbers([Fraction(1, 2), Fraction(-1, 3), Fraction()])
    (3, -2, 0)
    """
    common = math.lcm(*(value.denominator for value in values))
    numbers = [int(value * common) for value in values]
    divisor = math.gcd(*numbers) or 1
    return tuple(number // divisor for number in numbers)


def most_inside(
    planes: Sequence[Point], worth: Callable[[tuple[int, ...]], float], enough: float, n_vertices: int
) -> float:
    """Return the largest value of any part of a cell, or infinity where there are too many parts.

    Parts whose value is at most `enough` are not cut further. The first part that exceeds it and that no plane cuts
    ends the search.

    Parameters
    ----------
    planes : sequence of Point
        Values of each plane at the vertices of the cell.
    worth : callable
        Maps the positions of the planes relative to a part to an upper bound on its value.
    enough : float
        Value that is of no interest to exceed.
    n_vertices : int
        Number of vertices of the cell.

    Examples
    --------
    >>> most_inside([(1, -1)], lambda stands: float(stands in ((CUT,), (0,))), 0.5, 2)
    1.0
    """
    sides = range(-n_vertices, 0)
    corners = {
        tuple(int(u == v) for u in range(n_vertices)): frozenset(sides) - {v - n_vertices} for v in range(n_vertices)
    }
    waiting = [_settled(corners, [CUT] * len(planes), planes)]
    most, n_parts = -math.inf, 1
    while waiting:
        part = waiting.pop()
        bound = worth(part.stands)
        if bound <= enough or CUT not in part.stands:
            most = max(most, bound)
            if bound > enough:
                return most
            continue
        n_parts += 3
        if n_parts > _MOST_PARTS:
            return math.inf
        waiting.extend(_parts(part, part.stands.index(CUT), planes))
    return most


def _parts(part: Part, k: int, planes: Sequence[Point]) -> Iterator[Part]:
    """Yield the parts before, on and behind a plane that cuts a part."""
    value = {corner: _dot(planes[k], corner) for corner in part.corners}
    on = {corner: sides | {k} for corner, sides in part.corners.items() if value[corner] == 0}
    for a, sides_of_a in part.corners.items():
        for b, sides_of_b in part.corners.items():
            shared = sides_of_a & sides_of_b
            is_edge = not any(shared <= sides for corner, sides in part.corners.items() if corner not in (a, b))
            if value[a] > 0 > value[b] and is_edge:
                meeting = [value[a] * y - value[b] * x for x, y in zip(a, b, strict=True)]
                on[whole_numbers([Fraction(x) for x in meeting])] = shared | {k}
    for stands in (-1, 0, 1):
        beside = {corner: sides for corner, sides in part.corners.items() if value[corner] * stands > 0}
        yield _settled({**beside, **on}, part.stands, planes)


def _settled(corners: dict[Point, frozenset[int]], stands: Sequence[int], planes: Sequence[Point]) -> Part:
    """Return the part with some corners; only planes that cut its parent can cut it."""
    return Part(
        corners,
        tuple(_stands(plane, corners) if known == CUT else known for plane, known in zip(planes, stands, strict=True)),
    )


def _stands(plane: Point, corners: dict[Point, frozenset[int]]) -> int:
    values = [_dot(plane, corner) for corner in corners]
    before, behind = any(value > 0 for value in values), any(value < 0 for value in values)
    return CUT if before and behind else before - behind


def _dot(plane: Point, corner: Point) -> int:
    return sum(x * y for x, y in zip(plane, corner, strict=True))
