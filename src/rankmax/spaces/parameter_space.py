"""Base class of parameter spaces: the sets of weights that optimizers search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.spaces.equivalence import canonical
from rankmax.spaces.vectors import require_features, weight_vector, weight_vectors


@dataclass(frozen=True, eq=False)
class Line:
    """The part of a line w + mu * direction that a space allows.

    Attributes
    ----------
    direction : array, shape (n_features,)
    low, high : float
        Ends of the feasible interval of mu, infinite where it is unbounded; low <= 0 <= high.

    Examples
    --------
    >>> from rankmax.spaces import Simplex
    >>> line = Simplex().line([0.25, 0.75], [1, -1])
    >>> line.low, line.high
    (-0.25, 0.75)
    """

    direction: F64
    low: float
    high: float


class ParameterSpace(ABC):
    """A set of weights, with the operations to search it: projection, sampling, lines, distances.

    Rankings depend on weights only up to a positive factor, so a point of a space represents a whole ray, and an
    optimizer may leave the space along a :meth:`line` as long as it comes back by :meth:`project`, which keeps the
    ranking for every point of the line.

    A space may need additional features. An optimizer therefore works on ``space.prepare(data)``, with one weight per
    feature of that data, and returns ``space.restore(w)``, the weights of the original features. Given weights of
    the original features, it starts at ``space.embed(w)``.

    Subclasses are frozen dataclasses. :class:`rankmax.testing.spaces.SpaceContract` tests them.

    Examples
    --------
    >>> from rankmax import RankingDataset
    >>> from rankmax.spaces import AugmentedSimplex
    >>> data = RankingDataset.from_arrays([[1.0, 0.5], [0.2, 0.9]], [1, 0], qid=[7, 7])
    >>> space = AugmentedSimplex()
    >>> prepared = space.prepare(data)
    >>> w = space.embed([3.0, -1.0])
    >>> line = space.line(w, [1.0, 0.0, 0.0])
    >>> w = space.project(w + 0.5 * line.direction)
    >>> space.contains(w), space.restore(w).size == data.n_features
    (True, True)
    """

    name: ClassVar[str]
    """Name of the space for :func:`~rankmax.spaces.registry.space_named` and the command line."""

    @abstractmethod
    def contains(self, w: ArrayLike) -> bool:
        """Return whether the weights are a point of the space, up to rounding.

        Parameters
        ----------
        w : array-like, shape (n_features,)
        """

    @abstractmethod
    def project(self, w: ArrayLike) -> F64:
        """Return a point of the space that ranks like the weights, or as nearly as the space allows.

        Points of the space are returned unchanged, bit for bit. Weights that project to zero become :meth:`start`.

        Parameters
        ----------
        w : array-like, shape (n_features,)
            Any finite weights.
        """

    @abstractmethod
    def sample(self, n_features: int, rng: np.random.Generator) -> F64:
        """Return a random point, uniform on the space (on the unit sphere if the space is unbounded).

        Parameters
        ----------
        n_features : int
        rng : Generator
        """

    @abstractmethod
    def line(self, w: ArrayLike, direction: ArrayLike) -> Line:
        """Return the feasible part of the line through `w` in a direction.

        Parameters
        ----------
        w : array-like, shape (n_features,)
            A point of the space, or a positive multiple of one.
        direction : array-like, shape (n_features,)
            Direction, not all zero.
        """

    @abstractmethod
    def distance(self, u: ArrayLike, v: ArrayLike) -> float:
        """Return the distance of two points: 0 if and only if they always rank alike.

        Parameters
        ----------
        u, v : array-like, shape (n_features,)
            Points of the space, or positive multiples of them.
        """

    def start(self, n_features: int) -> F64:
        """Return uniform weights.

        Parameters
        ----------
        n_features : int

        Examples
        --------
        >>> from rankmax.spaces import Simplex
        >>> Simplex().start(4)
        array([0.25, 0.25, 0.25, 0.25])
        """
        require_features(n_features)
        return np.full(n_features, 1 / n_features)

    def canonical(self, w: ArrayLike) -> F64:
        """Return the one representative of all points that rank like this one; its absolute values add up to 1.

        Parameters
        ----------
        w : array-like, shape (n_features,)
            A point of the space, or a positive multiple of one.

        Examples
        --------
        >>> from rankmax.spaces import Euclidean
        >>> Euclidean().canonical([3.0, -1.0])
        array([ 0.75, -0.25])
        """
        return canonical(w)

    def prepare(self, data: RankingDataset) -> RankingDataset:
        """Return the data whose features the space's weights apply to.

        Parameters
        ----------
        data : RankingDataset
        """
        return data

    def embed(self, w: ArrayLike) -> F64:
        """Return the point that represents weights of the original features.

        Parameters
        ----------
        w : array-like, shape (n_features,)
        """
        return self.project(w)

    def restore(self, w: ArrayLike) -> F64:
        """Return weights of the original features that rank as `w` does on the prepared data.

        Parameters
        ----------
        w : array-like
            One weight per feature of the prepared data.
        """
        return weight_vector(w)


def point_and_direction(w: ArrayLike, direction: ArrayLike) -> tuple[F64, F64]:
    """Return both as vectors of the same length, or raise an error saying why they define no line.

    Parameters
    ----------
    w, direction : array-like, shape (n_features,)

    Examples
    --------
    >>> point_and_direction([0.5, 0.5], [0, 0])
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: the direction is all zero; a line needs one that moves a weight
    """
    point, heading = weight_vectors(w, direction, names=("w", "direction"))
    if not heading.any():
        raise InvalidDataError("the direction is all zero; a line needs one that moves a weight")
    return point, heading
