"""Columns: numbers of documents that do not depend on the query, such as PageRank, depth of the URL, or a date."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64, readonly
from rankmax._io.files import open_binary
from rankmax.data.ids import Ids
from rankmax.data.query_document_pairs import find_pairs, first_rows
from rankmax.errors import DataFormatError, InvalidDataError, MissingDependencyError
from rankmax.formats.parsing.numbers import finite_number

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)


@dataclass(frozen=True, eq=False)
class Columns:
    """Numbers of documents by document id.

    Attributes
    ----------
    ids : Ids
        Distinct ids of documents.
    names : tuple of str
        Distinct names of the columns.
    values : array of float64, shape (n_columns, n_ids)
        Values of the columns; NaN if missing.

    Examples
    --------
    >>> columns = Columns.from_dict(["d1", "d2"], {"pagerank": [0.5, 0.25], "depth": [2, float("nan")]})
    >>> columns.of(Ids.from_strings(["d2", "d1", "d7"]), missing=0.0)
    array([[0.25, 0.5 , 0.  ],
           [0.  , 2.  , 0.  ]])
    """

    ids: Ids
    names: tuple[str, ...]
    values: F64

    def __post_init__(self) -> None:
        if self.values.shape != (len(self.names), len(self.ids)):
            raise InvalidDataError(
                f"values of shape {self.values.shape} for {len(self.names)} columns of {len(self.ids)} documents"
            )
        if not all(self.names) or len(set(self.names)) != len(self.names):
            raise InvalidDataError(f"columns need different names, which are not empty; found {', '.join(self.names)}")
        if np.isinf(self.values).any():
            raise InvalidDataError("a column has an infinite value; values must be finite, or NaN if missing")
        first = first_rows(np.zeros(len(self.ids), np.int64), self.ids)
        again = np.flatnonzero(first != np.arange(first.size))
        if again.size:
            raise InvalidDataError(f"document {self.ids[int(again[0])]!r} has two rows of columns; it may have one")

    @classmethod
    def from_dict(cls, ids: Sequence[str], columns: Mapping[str, ArrayLike]) -> Columns:
        """Build columns from the ids of documents, and the values of each column in their order."""
        values = [np.asarray(column, np.float64) for column in columns.values()]
        return cls(Ids.from_strings(ids), tuple(columns), np.stack(values) if values else np.zeros((0, len(ids))))

    def of(self, ids: Ids, *, missing: float | None = None) -> F64:
        """Return the values of documents in their order, shape (n_columns, n_ids).

        Parameters
        ----------
        ids : Ids
            Ids of documents; rows of other documents are ignored.
        missing : float, optional
            Replacement of missing values; by default a missing value is an error.
        """
        rows = find_pairs(np.zeros(len(ids), np.int64), ids, np.zeros(len(self.ids), np.int64), self.ids)
        values = np.full((len(self.names), len(ids)), np.nan)
        values[:, rows >= 0] = self.values[:, rows[rows >= 0]]
        gaps = np.isnan(values)
        if missing is not None:
            values[gaps] = missing
        elif gaps.any():
            column, document = np.argwhere(gaps)[0]
            raise InvalidDataError(
                f"{np.count_nonzero(gaps.any(axis=0))} of {len(ids)} documents lack a value, the first is "
                f"{ids[int(document)]!r} in column {self.names[column]!r}; add them, or give a value for missing ones"
            )
        return readonly(values)


def read_columns(path: str | os.PathLike[str]) -> Columns:
    r"""Read columns from a table with a header, whose first column holds the ids of documents.

    Other columns hold numbers, or dates in ISO 8601, which become days since 1970-01-01 (UTC). An empty field is a
    missing value.

    Parameters
    ----------
    path : str or path-like
        Table as ``.parquet``, or as text with tabs or commas (CSV), plain or gzip.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "columns.tsv")
    ...     _ = path.write_text("id\tpagerank\tdate\nd1\t0.5\t1970-01-11\nd2\t0.25\t1969-12-31T12:00\n")
    ...     columns = read_columns(path)
    >>> columns.names, columns.values.tolist()
    (('pagerank', 'date'), [[0.5, 0.25], [10.0, -0.5]])
    """
    if os.fspath(path).lower().endswith(".parquet"):
        ids, names, values = _read_parquet(path)
    else:
        ids, names, values = _read_text(path)
    try:
        return Columns(Ids.from_strings(ids), names, values)
    except InvalidDataError as error:
        raise DataFormatError(path, str(error)) from None


def _read_text(path: str | os.PathLike[str]) -> tuple[list[str], tuple[str, ...], F64]:
    ids: list[str] = []
    values: list[list[float]] = []
    rows = None
    try:
        with open_binary(path) as file:
            rows = _Rows(io.TextIOWrapper(file, "utf-8-sig", newline=""))
            if len(rows.header) < 2:
                raise ValueError("expected a header: a name for the ids and for each column, tabs or commas between")
            names = rows.header[1:]
            for row in rows:
                ids.append(row[0])
                values.append([_number(name, cell) for name, cell in zip(names, row[1:], strict=True)])
    except UnicodeDecodeError:
        raise DataFormatError(path, "not UTF-8 text") from None
    except (ValueError, csv.Error) as error:
        raise DataFormatError(path, str(error), line=rows.line if rows else 1) from None
    return ids, tuple(names), np.array(values, np.float64).reshape(-1, len(names)).T


class _Rows:
    """A header and the nonblank rows below it, all with the same number of fields."""

    def __init__(self, file: io.TextIOWrapper) -> None:
        self._file = file
        self.line = 1
        first = file.readline()
        self._separator = "\t" if "\t" in first else ","
        self.header: list[str] = next(csv.reader([first], delimiter=self._separator), [])

    def __iter__(self) -> Iterator[list[str]]:
        reader = csv.reader(self._file, delimiter=self._separator)
        for row in reader:
            self.line = 1 + reader.line_num
            if row and len(row) != len(self.header):
                raise ValueError(f"expected {len(self.header)} fields, as the header has, found {len(row)}")
            if row:
                yield row


def _number(name: str, cell: str) -> float:
    if not cell.strip():
        return math.nan
    try:
        return finite_number(cell)
    except ValueError:
        return _days(name, cell)


def _days(name: str, cell: str) -> float:
    try:
        date = datetime.fromisoformat(cell.strip())
    except ValueError:
        raise ValueError(
            f"column {name!r} has {cell!r}, expected a finite number, a date such as 2024-05-31, or nothing"
        ) from None
    return ((date if date.tzinfo else date.replace(tzinfo=UTC)) - _EPOCH) / _DAY


def _read_parquet(path: str | os.PathLike[str]) -> tuple[list[str], tuple[str, ...], F64]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingDependencyError("pyarrow", "parquet", "reading Parquet") from None
    with open_binary(path) as file:
        try:
            table = pq.read_table(file)
            ids = table.column(0).cast(pa.string()).to_pylist()
            values = [_parquet_numbers(pa, table.column(name)) for name in table.column_names[1:]]
        except (pa.ArrowException, OSError, ValueError, IndexError) as error:
            raise DataFormatError(path, f"cannot be read as ids and columns of numbers or dates: {error}") from None
    if None in ids:
        raise DataFormatError(path, f"row {ids.index(None) + 1} has no id")
    names = tuple(table.column_names[1:])
    return ids, names, np.stack(values) if values else np.zeros((0, len(ids)))


def _parquet_numbers(pa: Any, column: Any) -> F64:
    if pa.types.is_date(column.type) or pa.types.is_timestamp(column.type):
        moments = column.cast(pa.timestamp("us")).cast(pa.int64()).cast(pa.float64())
        return np.asarray(moments.to_numpy(), np.float64) / (_DAY / timedelta(microseconds=1))
    return np.asarray(column.cast(pa.float64()).to_numpy(), np.float64)
