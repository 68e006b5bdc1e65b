"""A sum of trees as a library's model file gives it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rankmax.models.trees.structure import Tree


@dataclass(frozen=True)
class LibraryModel:
    """The content of a library's model file.

    Attributes
    ----------
    library : str
    objective : str or None
        What was minimized, in the library's words.
    columns : tuple of str
        Names of the features, in the order of the training data's columns.
    named : bool
        Whether the file has names, rather than numbers of columns alone.
    trees : tuple of Tree
    scale, offset : float
        The score is scale times the sum of the trees' values, plus the offset.
    single_features, single_sums : bool
        Whether features, and sums, are rounded to single precision.
    """

    library: str
    objective: str | None
    columns: tuple[str, ...]
    named: bool
    trees: tuple[Tree, ...]
    scale: float = 1.0
    offset: float = 0.0
    single_features: bool = False
    single_sums: bool = False


_NUMBERED = re.compile(r"(?:Column_|f)?(\d+)", re.ASCII)


def are_numbers(names: Sequence[str]) -> bool:
    """Return whether names are only the columns' numbers, as libraries write them for arrays without names.

    Parameters
    ----------
    names : sequence of str

    Examples
    --------
    >>> are_numbers(["Column_0", "Column_1"]), are_numbers(["", ""]), are_numbers(["f1", "f2"])
    (True, True, False)
    """
    found = [_NUMBERED.fullmatch(name) if name else None for name in names]
    return all(
        not name or (match is not None and int(match[1]) == place)
        for place, (name, match) in enumerate(zip(names, found, strict=True))
    )
