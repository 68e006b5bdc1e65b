"""Roles of a project's data files: training, validation and test queries, by file name."""

from __future__ import annotations

from typing import Literal, TypeAlias

from rankmax.errors import InvalidParameterError

Role: TypeAlias = Literal["train", "validation", "test"]

ROLES: tuple[Role, ...] = ("train", "validation", "test")
"""All roles, those whose queries are held out last."""

_STARTS: dict[str, Role] = {"train": "train", "vali": "validation", "dev": "validation", "test": "test"}


class HeldOutDataError(InvalidParameterError):
    """Test queries were about to be trained on, or to choose weights; a confirmation allows it."""


def role_of(name: str) -> Role | None:
    """Return the role of a data file, or None if its name tells none.

    Parameters
    ----------
    name : str
        File name, which begins with train, vali, dev or test.

    Examples
    --------
    >>> role_of("Test-2008.npz"), role_of("vali.txt"), role_of("dl19.npz")
    ('test', 'validation', None)
    """
    return next((role for start, role in _STARTS.items() if name.lower().startswith(start)), None)


def require_no_test_data(action: str, *names: str | None, confirmed: bool) -> None:
    """Raise if an action would choose weights by test queries, unless that was confirmed.

    Parameters
    ----------
    action : str
        What is about to happen, such as "train".
    names : str or None
        Names of the data files that the action would learn from.
    confirmed : bool
        Whether the user wants it nevertheless.

    Examples
    --------
    >>> require_no_test_data("train", "train.txt", "vali.txt", confirmed=False)
    >>> require_no_test_data("train", "test.txt", confirmed=True)
    >>> require_no_test_data("train", "test.txt", confirmed=False)
    Traceback (most recent call last):
    rankmax.workflows.projects.roles.HeldOutDataError: test.txt holds the test queries: ...
    """
    if confirmed:
        return
    for name in names:
        if name is not None and role_of(name) == "test":
            raise HeldOutDataError(
                f"{name} holds the test queries: weights that are chosen by them fit their judgments, so their value "
                f"there no longer tells how they do on new queries. To {action}, use training or validation queries, "
                "or confirm that these are no longer your test queries"
            )
