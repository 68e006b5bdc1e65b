"""Names of systems: taken from the file name, or given as ``name=file``."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rankmax.errors import InvalidParameterError, some_of

_SUFFIXES = frozenset(
    {
        *(".run", ".trec", ".res", ".results", ".out", ".txt", ".csv", ".tsv", ".json", ".jsonl", ".ndjson"),
        *(".parquet", ".npz", ".letor", ".svm", ".dat", ".scores", ".gz"),
    }
)


class NamedFile(NamedTuple):
    """A file with the name of the system whose ranking it holds.

    Attributes
    ----------
    name : str
    path : str
    """

    name: str
    path: str


def split_name(argument: str) -> tuple[str | None, str]:
    """Return the name and the path of an argument ``name=file``, or None and the path of a file.

    Parameters
    ----------
    argument : str
        An existing file is taken as a path, even if its name has an equals sign.

    Examples
    --------
    >>> split_name("e5=e5_dl_20.run"), split_name("runs/a=b/e5.run")
    (('e5', 'e5_dl_20.run'), (None, 'runs/a=b/e5.run'))
    """
    name, equals, path = argument.partition("=")
    if not (name.strip() and equals and path) or "/" in name or os.sep in name or os.path.exists(argument):
        return None, argument
    return name.strip(), path


def named_files(arguments: Sequence[str]) -> list[NamedFile]:
    """Return the files with the names of their systems.

    The default name is the file's name without the suffixes of formats, preceded by as many parent folders as
    distinguish it from the others.

    Parameters
    ----------
    arguments : sequence of str
        Paths, or ``name=path``.

    Examples
    --------
    >>> [file.name for file in named_files(["runs/bm25.v2.run.gz", "old/e5.run", "new/e5.run", "splade=a.run"])]
    ['bm25.v2', 'old/e5', 'new/e5', 'splade']
    """
    split = [split_name(argument) for argument in arguments]
    parts = [(*Path(path).parts[:-1], _stem(path)) if name is None else (name,) for name, path in split]
    depth = [1] * len(parts)
    while True:
        names = ["/".join(part[-n:]) for part, n in zip(parts, depth, strict=True)]
        count = Counter(names)
        clashing = [i for i, name in enumerate(names) if count[name] > 1 and depth[i] < len(parts[i])]
        if not clashing:
            break
        for i in clashing:
            depth[i] += 1
    files = [NamedFile(name, path) for name, (_, path) in zip(names, split, strict=True)]
    for name, n in count.items():
        if n > 1:
            same = [file.path for file in files if file.name == name]
            raise InvalidParameterError(
                f"several systems are called {name!r} ({some_of(same)}); give "
                f"them names of their own: {name}-1={same[0]} {name}-2={same[1]}"
            )
    return files


def _stem(path: str) -> str:
    """Return a file's name without the suffixes of formats."""
    stem = name = Path(path).name
    while (cut := os.path.splitext(stem))[1].lower() in _SUFFIXES:
        stem = cut[0]
    return stem or name
