"""Old names that still work for one minor version, with a warning that says the new one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

RENAMED_OPTIONS = {"--normalise": "--normalize", "--engine": "--backend", "--seconds": "--time-limit"}
"""Options of commands; an old name is read as the new one where a command has only the new one."""

RENAMED_KEYS = {b'"normalisation"': b'"normalization"'}
"""Keys of models and certificates, as the files that version 0.1 wrote spell them."""


def renamed_parameters(**new_names: str) -> Callable[[_Function], _Function]:
    """Return a decorator that accepts keyword arguments under their old names.

    Parameters
    ----------
    **new_names : str
        The new name of each old one.

    Examples
    --------
    >>> @renamed_parameters(colour="color")
    ... def paint(color):
    ...     return color
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     paint(colour="red")
    'red'
    """

    def decorate(function: _Function) -> _Function:
        @wraps(function)
        def renamed(*args: Any, **kwargs: Any) -> Any:
            for old, new in new_names.items():
                if old in kwargs and new not in kwargs:
                    warnings.warn(deprecation(f"the parameter {old}", new), DeprecationWarning, stacklevel=2)
                    kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return renamed  # type: ignore[return-value]

    return decorate


def warn_of_order(function: str, old: str, new: str) -> None:
    """Warn the caller of a function that its arguments were given in an order that is out of date.

    Parameters
    ----------
    function : str
        Its name.
    old, new : str
        The arguments in each order.
    """
    message = f"{function}({old}) is now {function}({new}); the old order goes with version 0.3"
    warnings.warn(message, DeprecationWarning, stacklevel=3)


def deprecation(old: str, new: str) -> str:
    """Return the sentence that tells the new name of something.

    Examples
    --------
    >>> deprecation("--normalise", "--normalize")
    '--normalise is now --normalize; the old name goes with version 0.3'
    """
    return f"{old} is now {new}; the old name goes with version 0.3"
