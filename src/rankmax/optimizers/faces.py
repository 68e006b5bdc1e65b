"""Spaces of weights as open simplexes, the first cells of a search."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.spaces import Euclidean, ParameterSpace, Simplex
from rankmax.spaces.vectors import weight_vector

_BITS = 30  # of bounds, which leaves 23 for cuts in the middle
_LARGEST = 1e12


@dataclass(frozen=True)
class Box:
    r"""Weights between bounds, :math:`l_j \le w_j \le u_j`, and their positive multiples, which rank alike.

    Bounds therefore constrain ratios: a weight fixed at 1 makes those of all others relative to it. The box from 0
    to 1 is the simplex, that from -1 to 1 contains all weights.

    Attributes
    ----------
    low, high : tuple of float
        Bounds by feature; equal for a fixed weight. They are rounded to 30 bits, counted from those of the largest, so
        that cells can be cut without rounding.

    Examples
    --------
    >>> box = Box((1.0, 0.0), (1.0, 4.0))
    >>> box.project([0.5, 1.0]), box.project([0.5, 3.0])
    (array([1., 2.]), array([1., 4.]))
    """

    name: ClassVar[str] = "box"

    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        low, high = weight_vector(self.low, "the lower bounds"), weight_vector(self.high, "the upper bounds")
        if low.size != high.size or (low > high).any():
            raise InvalidParameterError(
                f"a box needs a lower and a higher bound for each weight, not {_listed(low)} and {_listed(high)}"
            )
        largest = max(np.abs(low).max(), np.abs(high).max())
        if largest == 0:
            raise InvalidParameterError("all bounds are 0; without any weight nothing is ranked")
        unit = 2.0 ** (math.ceil(math.log2(largest)) - _BITS)
        if largest > _LARGEST or any(0 < abs(bound) < unit / 2 for bound in (*low, *high)):
            raise InvalidParameterError(
                f"bounds up to {largest:g} beside others are too far apart; give numbers within nine digits of each "
                f"other, none above {_LARGEST:g}"
            )
        for name, bounds in (("low", low), ("high", high)):
            object.__setattr__(self, name, tuple((np.rint(bounds / unit) * unit).tolist()))

    def start(self, n_features: int) -> F64:
        """Return the center of the box, or its highest corner if the center is 0.

        Parameters
        ----------
        n_features : int
        """
        self._require(n_features)
        middle = np.add(self.low, self.high) / 2
        return middle if middle.any() else np.array(self.high)

    def project(self, w: ArrayLike) -> F64:
        """Return the largest multiple inside the box, or the nearest weights that the box allows.

        Parameters
        ----------
        w : array-like, shape (n_features,)
        """
        weights = weight_vector(w)
        self._require(weights.size)
        low, high = np.array(self.low), np.array(self.high)
        reach = np.where(weights > 0, high, low)[weights != 0] / weights[weights != 0]
        factor = reach[reach > 0].min(initial=math.inf)
        within: F64 = np.clip(weights * factor if factor < math.inf else weights, low, high)
        return within if within.any() else self.start(weights.size)

    def _require(self, n_features: int) -> None:
        if n_features != len(self.low):
            raise IncompatibleError(f"the box has bounds for {len(self.low)} weights, but there are {n_features}")


def faces(space: ParameterSpace | Box, n_features: int) -> list[F64]:
    r"""Return the open simplexes that make up a space, up to rank equivalence, each given by its vertices.

    The simplex of d weights has 2^d - 1 faces. Weights of any sign, but not all 0, are positive multiples of points on
    the 3^d - 1 faces of the cross-polytope. Their order is that of the weights' signs, 0 before 1 before -1.

    A ray that meets a box leaves it where a weight is at an upper bound above 0, or a lower one below 0. The sides of
    this kind therefore represent the whole box. Kuhn's triangulation cuts it along chains of corners: with corner n at
    the upper bound of weight j where bit j of n is set, a face's vertices are corners each of which has all bits of
    the one before. Their order is that of these numbers.

    Parameters
    ----------
    space : ParameterSpace or Box
        :class:`~rankmax.spaces.simplex.Simplex`, :class:`~rankmax.spaces.euclidean.Euclidean` or a box.
    n_features : int

    Examples
    --------
    >>> [len(vertices) for vertices in faces(Simplex(), 3)]
    [1, 1, 2, 1, 2, 2, 3]
    >>> len(faces(Euclidean(), 2)), faces(Euclidean(), 2)[-1]
    (8, array([[-1.,  0.],
           [ 0., -1.]]))
    >>> [vertices.tolist() for vertices in faces(Box((1.0, 0.0), (1.0, 4.0)), 2)]
    [[[1.0, 0.0]], [[1.0, 0.0], [1.0, 4.0]], [[1.0, 4.0]]]

    References
    ----------
    Kuhn 1960, Some combinatorial lemmas in topology.
    """
    if isinstance(space, Box):
        space.start(n_features)
        return list(_faces_of_box(space))
    if type(space) not in (Simplex, Euclidean):
        raise IncompatibleError(f"nothing can be proven over the space {space.name}; take simplex, euclidean or a box")
    signs = (0.0, 1.0) if isinstance(space, Simplex) else (0.0, 1.0, -1.0)
    return [np.diag(pattern)[np.flatnonzero(pattern)] for pattern in product(signs, repeat=n_features) if any(pattern)]


def _faces_of_box(box: Box) -> Iterator[F64]:
    bounds = np.array([box.low, box.high])
    is_free = bounds[0] < bounds[1]
    bits = 1 << np.arange(len(box.low))
    free = int(bits[is_free].sum())
    ends_high, ends_low = (int(bits[is_free & end].sum()) for end in (bounds[1] > 0, bounds[0] < 0))
    always = bool((~is_free & (bounds[0] != 0)).any())
    for chain in _chains(free):
        if always or chain[0] & ends_high or ~chain[-1] & ends_low:
            corners = np.array(chain)[:, None] & bits > 0
            yield np.where(corners, bounds[1], bounds[0])


def _chains(free: int, begun: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Yield the sequences of numbers with bits among the free ones, each with all bits of the one before and more."""
    for number in range(begun[-1] + 1 if begun else 0, free + 1):
        if number & ~free == 0 and (not begun or number & begun[-1] == begun[-1]):
            yield (*begun, number)
            yield from _chains(free, (*begun, number))


def _listed(numbers: Sequence[float] | F64) -> str:
    return ", ".join(f"{number:g}" for number in numbers)
