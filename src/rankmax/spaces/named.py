"""The only door for names of spaces."""

from __future__ import annotations

from rankmax.errors import UnknownNameError
from rankmax.spaces.augmented_simplex import AugmentedSimplex
from rankmax.spaces.base import ParameterSpace
from rankmax.spaces.euclidean import Euclidean
from rankmax.spaces.simplex import Simplex

_BY_NAME: dict[str, type[ParameterSpace]] = {kind.name: kind for kind in (Euclidean, Simplex, AugmentedSimplex)}


def space_named(choice: str | ParameterSpace) -> ParameterSpace:
    """Return the space of that name; a space is returned as it is.

    Parameters
    ----------
    choice : str or ParameterSpace

    Examples
    --------
    >>> space_named("simplex")
    Simplex()
    >>> space_named("simplx")
    Traceback (most recent call last):
    rankmax.errors.UnknownNameError: unknown space 'simplx'; did you mean 'simplex' or 'augmented-simplex'?
    Known: augmented-simplex, euclidean, simplex
    """
    if isinstance(choice, ParameterSpace):
        return choice
    if choice not in _BY_NAME:
        raise UnknownNameError("space", str(choice), _BY_NAME)
    return _BY_NAME[choice]()


def space_names() -> list[str]:
    """Return the names that :func:`space_named` knows.

    Examples
    --------
    >>> space_names()
    ['augmented-simplex', 'euclidean', 'simplex']
    """
    return sorted(_BY_NAME)
