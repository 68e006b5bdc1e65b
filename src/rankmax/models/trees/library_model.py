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
    version : str or None
        The library's version as the file names it; of LightGBM that of the format (v4).
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
    version: str | None
    objective: str | None
    columns: tuple[str, ...]
    named: bool
    trees: tuple[Tree, ...]
    scale: float = 1.0
    offset: float = 0.0
    single_features: bool = False
    single_sums: bool = False


_TESTED = {"LightGBM": ("v3", "v4"), "XGBoost": ("1.7", "2.1", "3.2"), "CatBoost": ("1.2",)}


def tested_versions(library: str | None, version: str | None) -> str | None:
    """Return the versions that were tested, where a file is of none of these, nor of their major version.

    Parameters
    ----------
    library, version : str or None

    Examples
    --------
    >>> tested_versions("XGBoost", "3.4.0"), tested_versions("XGBoost", "4.0.0")
    (None, '1.7, 2.1, 3.2')
    """
    tested = _TESTED.get(library or "", ())
    known = version is None or not tested or _major(version) in map(_major, tested)
    return None if known else ", ".join(tested)


def _major(version: str) -> str:
    return version.partition(".")[0]


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
