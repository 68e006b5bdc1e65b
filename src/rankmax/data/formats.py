"""The one door for files of ranking problems: the format goes by the file's name."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from rankmax.data.dataset import RankingDataset
from rankmax.errors import DataFormatError, UnknownNameError


@dataclass(frozen=True)
class _Format:
    """A format's module is imported when a file needs it: each brings dependencies of its own."""

    name: str
    suffixes: tuple[str, ...]
    gzip: bool = False

    @property
    def read(self) -> Callable[[str | os.PathLike[str]], RankingDataset]:
        return cast(Callable[..., RankingDataset], getattr(self._module, f"read_{self.name}"))

    @property
    def write(self) -> Callable[[RankingDataset, str | os.PathLike[str]], None]:
        return cast(Callable[..., None], getattr(self._module, f"write_{self.name}"))

    @property
    def _module(self) -> object:
        return import_module(f"rankmax.data.{self.name}")


_FORMATS = (
    _Format("letor", (".txt", ".letor", ".svm", ".dat"), gzip=True),
    _Format("npz", (".npz",)),
    _Format("parquet", (".parquet",)),
    _Format("csv", (".csv", ".tsv"), gzip=True),
    _Format("jsonl", (".jsonl",), gzip=True),
)


def format_names() -> list[str]:
    """Return the formats that data sets are read from and written to.

    Examples
    --------
    >>> format_names()
    ['letor', 'npz', 'parquet', 'csv', 'jsonl']
    """
    return [known.name for known in _FORMATS]


def require_format(path: str | os.PathLike[str]) -> None:
    """Raise unless a file's name tells the format of a data set: to be known before long work, not after it.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> require_format("train.npz")
    """
    _format_of(path, None)


def read_dataset(path: str | os.PathLike[str], *, format: str | None = None) -> RankingDataset:  # noqa: A002
    """Read a data set; the file's name tells its format.

    Parameters
    ----------
    path : path
        ``.txt``, ``.letor``, ``.svm`` and ``.dat`` are LETOR, ``.csv`` and ``.tsv`` tables, ``.jsonl`` feature logs,
        all of these plain or with ``.gz``; ``.npz``; ``.parquet``.
    format : str, optional
        One of :func:`format_names`, for files with another name.

    Examples
    --------
    >>> read_dataset("data.xls")
    Traceback (most recent call last):
    rankmax.errors.DataFormatError: data.xls: the name tells no format; known are .txt, .letor, .svm, .dat (letor),
    .npz (npz), .parquet (parquet), .csv, .tsv (csv), .jsonl (jsonl); rename the file or give its format
    """
    return _format_of(path, format).read(path)


def write_dataset(
    data: RankingDataset,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002
) -> None:
    """Write a data set; the file's name tells its format.

    Parameters
    ----------
    data : RankingDataset
    path : path
        As for :func:`read_dataset`; files of text that end in ``.gz`` are compressed.
    format : str, optional
        One of :func:`format_names`, for files with another name.

    Examples
    --------
    >>> import tempfile
    >>> data = RankingDataset.from_arrays([[0.5], [0.1]], [1, 0], qid=["q7", "q7"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_dataset(data, f"{folder}/data.npz")
    ...     read_dataset(f"{folder}/data.npz").n_documents
    2
    """
    _format_of(path, format).write(data, path)


def _format_of(path: str | os.PathLike[str], name: str | None) -> _Format:
    if name is not None:
        by_name = {known.name: known for known in _FORMATS}
        if name not in by_name:
            raise UnknownNameError("data format", name, by_name)
        return by_name[name]
    plain, packing = os.path.splitext(os.fspath(path).lower())
    for known in _FORMATS:
        if packing in known.suffixes or (known.gzip and packing == ".gz" and plain.endswith(known.suffixes)):
            return known
    listed = ", ".join(f"{', '.join(known.suffixes)} ({known.name})" for known in _FORMATS)
    raise DataFormatError(path, f"the name tells no format; known are {listed}; rename the file or give its format")
