"""Weight vectors: checks and scaling."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax.errors import InvalidDataError, InvalidParameterError


def weight_vector(values: ArrayLike, name: str = "weights") -> F64:
    """Return the values as a new float64 vector, or raise an error saying why they are not weights.

    Parameters
    ----------
    values : array-like, shape (n_features,)
    name : str
        Name of the values in an error message.

    Examples
    --------
    >>> weight_vector([1, 3])
    array([1., 3.])
    >>> weight_vector([1, float("nan")])
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: weights[1] is nan; every one must be a finite number
    """
    try:
        vector = np.array(values, np.float64)
    except (TypeError, ValueError):
        raise InvalidDataError(f"{name} must be numbers") from None
    if vector.ndim != 1 or vector.size == 0:
        raise InvalidDataError(f"{name} have shape {vector.shape}; expected (n_features,), one for each feature")
    finite = np.isfinite(vector)
    if not finite.all():
        first = int(np.argmin(finite))
        raise InvalidDataError(f"{name}[{first}] is {vector[first]}; every one must be a finite number")
    return vector


def is_weight_vector(values: ArrayLike) -> bool:
    """Return whether :func:`weight_vector` would accept the values.

    Parameters
    ----------
    values : array-like

    Examples
    --------
    >>> is_weight_vector([1, 3]), is_weight_vector([[1, 3]]), is_weight_vector([1, float("nan")])
    (True, False, False)
    """
    try:
        weight_vector(values)
    except InvalidDataError:
        return False
    return True


def tamed(w: F64) -> F64:
    """Return the weights scaled so that the largest magnitude is in [0.5, 1), and sums and squares cannot overflow.

    The factor is a power of 2, so nothing is rounded.

    Parameters
    ----------
    w : array, shape (n_features,)
        Weights that are not all zero.

    Examples
    --------
    >>> tamed(np.array([3.0, -1.0]))
    array([ 0.75, -0.25])
    """
    if not w.any():
        raise InvalidDataError("all weights are zero; such weights rank nothing and have no direction")
    scaled: F64 = np.ldexp(w, -np.frexp(np.abs(w).max())[1])
    return scaled


def weight_vectors(u: ArrayLike, v: ArrayLike, names: tuple[str, str] = ("u", "v")) -> tuple[F64, F64]:
    """Return two weight vectors of the same length, or raise an error saying how the lengths differ.

    Parameters
    ----------
    u, v : array-like, shape (n_features,)
    names : pair of str
        Names of the vectors in an error message.

    Examples
    --------
    >>> weight_vectors([1, 3], [2, 6, 1])
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: u has 2 weights and v has 3; both must be for the same features
    """
    first, second = weight_vector(u, names[0]), weight_vector(v, names[1])
    if first.size != second.size:
        raise InvalidDataError(
            f"{names[0]} has {first.size} weights and {names[1]} has {second.size}; both must be for the same features"
        )
    return first, second


def refuse_negative(w: F64, name: str = "weights") -> None:
    """Raise an error that names the first negative weight, if there is one.

    Parameters
    ----------
    w : array, shape (n_features,)
    name : str
        Name of the weights in the error message.

    Examples
    --------
    >>> refuse_negative(np.array([0.5, -0.1]))
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: weights[1] is -0.1; negative weights have no place on the simplex: project first
    """
    negative = w < 0
    if negative.any():
        first = int(np.argmax(negative))
        raise InvalidDataError(
            f"{name}[{first}] is {w[first]:g}; negative weights have no place on the simplex: project first"
        )


def require_features(n_features: int, at_least: int = 1) -> None:
    """Raise an error if there are too few features for a space.

    Parameters
    ----------
    n_features, at_least : int

    Examples
    --------
    >>> require_features(0)
    Traceback (most recent call last):
    rankmax.errors.InvalidParameterError: n_features is 0; it must be at least 1
    """
    if n_features < at_least:
        raise InvalidParameterError(f"n_features is {n_features}; it must be at least {at_least}")
