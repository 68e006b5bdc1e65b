"""Rank equivalence of weights, and distances between them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax.spaces.vectors import refuse_negative, tamed, weight_vector, weight_vectors


def canonical(w: ArrayLike) -> F64:
    r"""Return the positive multiple of the weights whose magnitudes add up to 1.

    .. math:: \theta_i = \lambda_i / \sum_j |\lambda_j|

    Weights that are positive multiples of each other rank alike, and each such class has one canonical member. For
    nonnegative weights it is their point on the multinomial manifold.

    Parameters
    ----------
    w : array-like, shape (n_features,)
        Weights that are not all zero.

    Examples
    --------
    >>> canonical([1, 3]), canonical([-1, 1])
    (array([0.25, 0.75]), array([-0.5,  0.5]))

    References
    ----------
    Metzler & Croft (2007), sections 2.2.1 and 2.2.2.
    """
    scaled = tamed(weight_vector(w))
    unit: F64 = scaled / np.abs(scaled).sum()
    return unit


def rank_equivalent(u: ArrayLike, v: ArrayLike, *, tolerance: float = 1e-9) -> bool:
    r"""Return whether two weight vectors rank every possible set of documents alike.

    They do if and only if they are positive multiples of each other: :math:`u^T x` and :math:`v^T x` have the same
    sign for every difference x of two documents' features. All-zero weights are equivalent to themselves alone.

    Parameters
    ----------
    u, v : array-like, shape (n_features,)
        Weights to compare.
    tolerance : float
        Largest difference of two canonical weights that still counts as rounding error.

    Examples
    --------
    >>> rank_equivalent([1, 3], [2, 6]), rank_equivalent([1, 3], [-1, -3])
    (True, False)

    References
    ----------
    Metzler & Croft (2007), section 2.2.2.
    """
    first, second = weight_vectors(u, v)
    if not (first.any() and second.any()):
        return not (first.any() or second.any())
    return bool(np.abs(canonical(first) - canonical(second)).max() <= tolerance)


def geodesic_distance(u: ArrayLike, v: ArrayLike) -> float:
    r"""Return the length of the shortest path on the multinomial manifold, from 0 to :math:`\pi`.

    .. math:: d(\theta, \theta') = 2 \arccos \sum_i \sqrt{\theta_i \theta'_i}
                                 = 4 \arcsin \tfrac12 \lVert \sqrt{\theta} - \sqrt{\theta'} \rVert

    with :math:`\theta` and :math:`\theta'` the canonical forms of the weights. The second form is computed: it is
    exact where the first loses half its digits, near 0.

    Parameters
    ----------
    u, v : array-like, shape (n_features,)
        Nonnegative weights of any scale, not all zero.

    Examples
    --------
    Two vectors that rank alike are :math:`\sqrt{10}` apart in Euclidean distance, but the same point of the manifold:

    >>> u, v = np.array([1, 3]), np.array([2, 6])
    >>> float(np.linalg.norm(u - v)) == 10**0.5
    True
    >>> canonical(u), canonical(v)
    (array([0.25, 0.75]), array([0.25, 0.75]))
    >>> geodesic_distance(u, v)
    0.0

    Weights without a feature in common are farthest apart:

    >>> geodesic_distance([1, 0], [0, 1]) / np.pi
    1.0

    References
    ----------
    Metzler & Croft (2007), section 2.2.3.
    """
    first, second = weight_vectors(u, v)
    refuse_negative(first, "u")
    refuse_negative(second, "v")
    chord = np.linalg.norm(np.sqrt(canonical(first)) - np.sqrt(canonical(second)))
    return min(4 * math.asin(0.5 * float(chord)), math.pi)  # rounding must not leave the range


def cosine_distance(u: ArrayLike, v: ArrayLike) -> float:
    r"""Return 1 minus the cosine of the angle between two weight vectors, from 0 to 2.

    .. math:: 1 - \frac{u^T v}{\lVert u \rVert \lVert v \rVert}
              = \tfrac12 \left\lVert \frac{u}{\lVert u \rVert} - \frac{v}{\lVert v \rVert} \right\rVert^2

    Weights may have either sign. The triangle inequality does not hold.

    Parameters
    ----------
    u, v : array-like, shape (n_features,)
        Weights of any scale, not all zero.

    Examples
    --------
    >>> cosine_distance([1, 3], [2, 6]), cosine_distance([1, 0], [0, -5]), cosine_distance([1, 0], [-1, 0])
    (0.0, 1.0, 2.0)

    References
    ----------
    Metzler & Croft (2007), section 2.2.3.
    """
    first, second = weight_vectors(u, v)
    difference = _unit(first) - _unit(second)
    return min(0.5 * float(difference @ difference), 2.0)  # rounding must not leave the range


def _unit(w: F64) -> F64:
    scaled = tamed(w)
    return scaled / np.linalg.norm(scaled)
