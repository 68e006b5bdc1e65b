"""Formats of data sets by name, and by the names of files."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankmax._registry import Registry
from rankmax.errors import DataFormatError

if TYPE_CHECKING:
    from rankmax.data.dataset import RankingDataset


@dataclass(frozen=True)
class _Format:
    """A file format; the module of its name has its functions ``read_NAME`` and ``write_NAME``."""

    name: str
    description: str
    suffixes: tuple[str, ...]
    gzip: bool = False


_FORMATS = (
    _Format("letor", "LETOR and SVMlight lines.", (".txt", ".letor", ".svm", ".dat"), gzip=True),
    _Format("npz", "Arrays of numpy.", (".npz",)),
    _Format("parquet", "A table of Apache Parquet.", (".parquet",)),
    _Format("csv", "A table with a header, separated by commas or tabs.", (".csv", ".tsv"), gzip=True),
    _Format("jsonl", "A feature log of JSON lines.", (".jsonl",), gzip=True),
)

READERS: Registry[Callable[[str | os.PathLike[str]], RankingDataset]] = Registry(
    "data format", "rankmax.formats", {f.name: (f"{f.name}:read_{f.name}", f.description) for f in _FORMATS}
)
"""Readers by format; a module is imported when a file needs it, as each has its own dependencies."""
WRITERS: Registry[Callable[[RankingDataset, str | os.PathLike[str]], None]] = Registry(
    "data format", "rankmax.formats", {f.name: (f"{f.name}:write_{f.name}", f.description) for f in _FORMATS}
)
"""Writers by format."""


def format_names() -> list[str]:
    """Return the formats that data sets are read from and written to.

    Examples
    --------
    >>> format_names()
    ['letor', 'npz', 'parquet', 'csv', 'jsonl']
    """
    return READERS.names()


def require_format(path: str | os.PathLike[str]) -> None:
    """Raise unless a file's name tells the format of a data set: to be known before long work, not after it.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> require_format("train.npz")
    """
    _format_of(path)


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
    return READERS.load(_format_of(path) if format is None else format)(path)


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
        Data to write.
    path : path
        As for :func:`read_dataset`; files of text that end in ``.gz`` are compressed.
    format : str, optional
        One of :func:`format_names`, for files with another name.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax import RankingDataset
    >>> data = RankingDataset.from_arrays([[0.5], [0.1]], [1, 0], qid=["q7", "q7"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_dataset(data, f"{folder}/data.npz")
    ...     read_dataset(f"{folder}/data.npz").n_documents
    2
    """
    WRITERS.load(_format_of(path) if format is None else format)(data, path)


def _format_of(path: str | os.PathLike[str]) -> str:
    plain, packing = os.path.splitext(os.fspath(path).lower())
    for known in _FORMATS:
        if packing in known.suffixes or (known.gzip and packing == ".gz" and plain.endswith(known.suffixes)):
            return known.name
    listed = ", ".join(f"{', '.join(known.suffixes)} ({known.name})" for known in _FORMATS)
    remedy = "rename the file or give its format"
    if ".run" in {packing, os.path.splitext(plain)[1]}:
        remedy = "of runs and qrels, rankmax data join makes data with features"
    raise DataFormatError(path, f"the name tells no format; known are {listed}; {remedy}")
