"""Parameter spaces by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmax._registry import Registry

if TYPE_CHECKING:
    from rankmax.spaces.parameter_space import ParameterSpace

SPACES: Registry[type[ParameterSpace]] = Registry(
    "space",
    "rankmax.spaces",
    {
        "euclidean": ("euclidean:Euclidean", "Weights of any sign."),
        "simplex": ("simplex:Simplex", "Nonnegative weights that sum to 1."),
        "augmented-simplex": ("augmented_simplex:AugmentedSimplex", "Weights of any sign, searched on a simplex."),
    },
)
"""The spaces that :func:`space_named` knows."""


def space_named(choice: str | ParameterSpace) -> ParameterSpace:
    """Return the space of that name; a space is returned as it is.

    Parameters
    ----------
    choice : str or ParameterSpace
        Name of a space, or the space itself.

    Examples
    --------
    >>> space_named("simplex")
    Simplex()
    >>> space_named("simplx")
    Traceback (most recent call last):
    rankmax.errors.UnknownNameError: unknown space 'simplx'; did you mean 'simplex' or 'augmented-simplex'?
    Known: augmented-simplex, euclidean, simplex
    """
    from rankmax.spaces.parameter_space import ParameterSpace

    return choice if isinstance(choice, ParameterSpace) else SPACES.load(choice)()


def space_names() -> list[str]:
    """Return the names that :func:`space_named` knows.

    Examples
    --------
    >>> space_names()
    ['augmented-simplex', 'euclidean', 'simplex']
    """
    return sorted(SPACES)
