"""Data sets as Parquet tables: one row per document, with columns for query, document, label and each feature."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64
from rankmax._io.files import atomic_writer, open_binary
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_matrix import take_rows
from rankmax.errors import (
    DataFormatError,
    IncompatibleError,
    InvalidDataError,
    MissingDependencyError,
    counted,
)

_ROW_GROUP = 1 << 17


@dataclass(frozen=True)
class _Columns:
    """Names of the columns that are not features."""

    query: str
    doc: str
    label: str


def write_parquet(
    data: RankingDataset,
    path: str | os.PathLike[str],
    *,
    query: str = "query",
    doc: str = "doc",
    label: str = "label",
) -> None:
    """Write a data set as a Parquet table.

    Parameters
    ----------
    data : RankingDataset
        Data to write. Sparse features are written as dense columns.
    path : path
    query, doc, label : str
        Names of the columns that are not features. A missing label marks an unjudged document.

    Examples
    --------
    >>> import tempfile
    >>> data = RankingDataset.from_arrays([[0.5], [0.1]], [1, 0], qid=["q7", "q7"], feature_names=["bm25"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_parquet(data, f"{folder}/data.parquet")
    ...     read_parquet(f"{folder}/data.parquet").feature_names
    ('bm25',)
    """
    columns = _Columns(query, doc, label)
    clash = sorted(set(astuple(columns)) & set(data.feature_names))
    if clash:
        raise IncompatibleError(
            f"a feature is named {clash[0]!r}, like the column of the query, the document or the label; "
            "give that column another name with query=, doc= or label="
        )
    n_unretrieved = data.judgments.unretrieved_levels.size
    if n_unretrieved:
        lost = counted(n_unretrieved, "judged document was", "judged documents were")
        raise IncompatibleError(
            f"{lost} not retrieved, and a table of candidates has no row for these; write .npz to keep them"
        )
    pa, pq = _pyarrow("writing Parquet")
    number = pa.float32() if data.features.dtype == np.float32 else pa.float64()
    fields = [pa.field(columns.query, pa.dictionary(pa.int32(), pa.string()))]
    if data.document_ids is not None:
        fields.append(pa.field(columns.doc, pa.string()))
    fields += [pa.field(columns.label, pa.float64())] + [pa.field(name, number) for name in data.feature_names]
    schema = pa.schema(fields)
    with atomic_writer(path) as file, pq.ParquetWriter(file, schema) as writer:
        for first in range(0, data.n_documents, _ROW_GROUP):
            block = slice(first, min(first + _ROW_GROUP, data.n_documents))
            writer.write_table(pa.table(_block_columns(pa, data, block), schema=schema))


def _block_columns(pa: ModuleType, data: RankingDataset, block: slice) -> list[Any]:
    query = pa.array(data.judgments.query_of_document[block].astype(np.int32))
    columns = [pa.DictionaryArray.from_arrays(query, pa.array(data.query_ids, pa.string()))]
    if data.document_ids is not None:
        columns.append(pa.array(data.document_ids[block].to_list(), pa.string()))
    columns.append(pa.array(data.grades[block], from_pandas=True))  # NaN, unjudged, becomes a missing label
    features = take_rows(data.features, np.arange(block.start, block.stop))
    dense = features if isinstance(features, np.ndarray) else features.toarray(order="F")
    return columns + [pa.array(dense[:, j]) for j in range(data.n_features)]


def read_parquet(
    path: str | os.PathLike[str],
    *,
    query: str = "query",
    doc: str = "doc",
    label: str = "label",
    features: Sequence[str] | None = None,
) -> RankingDataset:
    """Read a data set from a Parquet table; the documents of a query may be in any rows.

    Parameters
    ----------
    path : path
    query, doc, label : str
        Names of the columns that are not features. The column `doc` is optional; a missing label marks an unjudged
        document.
    features : sequence of str, optional
        Columns to use as features; by default all others.

    Examples
    --------
    >>> read_parquet("no-such.parquet")
    Traceback (most recent call last):
    rankmax.errors.DataFormatError: no-such.parquet: no such file
    """
    pa, pq = _pyarrow("reading Parquet")
    columns = _Columns(query, doc, label)
    with open_binary(path) as file, _damage_reported(pa, path):
        table = pq.ParquetFile(file)
        chosen = _choose_features(pa, table.schema_arrow, columns, features, path)
        X = _read_features(pa, table, chosen)
        has_ids = columns.doc in table.schema_arrow.names
        others = table.read([columns.query, columns.label] + [columns.doc] * has_ids)
        qid = _as_query(pa, others.column(columns.query))
        grades = _as_floats(pa, others.column(columns.label), columns.label)
        ids = others.column(columns.doc).cast(pa.string()).to_pylist() if has_ids else None
    if ids is not None and None in ids:
        raise DataFormatError(path, f"column {columns.doc!r} has a missing value in row {ids.index(None) + 1}")
    try:
        return RankingDataset.from_arrays(X, grades, qid=qid, feature_names=chosen, document_ids=ids, copy=False)
    except InvalidDataError as error:
        raise DataFormatError(path, str(error)) from None


def read_columns(
    path: str | os.PathLike[str], content: bytes, choose: Callable[[Sequence[str]], Sequence[str]]
) -> list[list[Any]]:
    """Return some columns of a Parquet table as Python values; a missing value is None.

    Parameters
    ----------
    path : path
        Path to name in error messages.
    content : bytes
        The whole file.
    choose : callable
        Returns the columns to read, given the names of all.
    """
    pa, pq = _pyarrow("reading Parquet")
    with _damage_reported(pa, path):
        table = pq.ParquetFile(io.BytesIO(content))
        names = list(choose(table.schema_arrow.names))
        columns = table.read(names)
        return [columns.column(name).to_pylist() for name in names]


def _choose_features(
    pa: ModuleType,
    schema: Any,
    columns: _Columns,
    features: Sequence[str] | None,
    path: str | os.PathLike[str],
) -> list[str]:
    chosen = [name for name in schema.names if name not in astuple(columns)] if features is None else list(features)
    missing = [name for name in (columns.query, columns.label, *chosen) if name not in schema.names]
    if missing:
        raise DataFormatError(
            path, f"has no column {', '.join(map(repr, missing))}; its columns are {', '.join(schema.names)}"
        )
    repeated = {name for name in schema.names if schema.names.count(name) > 1}
    if repeated:
        raise DataFormatError(path, f"several columns are named {', '.join(sorted(repeated))}")
    is_number = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    other = [name for name in chosen if not any(test(schema.field(name).type) for test in is_number)]
    if other:
        raise DataFormatError(path, f"no numbers in column {', '.join(other)}; choose the columns with features=[...]")
    return chosen


def _read_features(pa: ModuleType, table: Any, names: list[str]) -> NDArray[Any]:
    """Fill one array by row group and column."""
    kinds = {table.schema_arrow.field(name).type for name in names}
    dtype = np.float32 if kinds == {pa.float32()} else np.float64
    X = np.empty((table.metadata.num_rows, len(names)), dtype, order="F")
    first = 0
    for group in range(table.num_row_groups):
        block = table.read_row_group(group, names)
        for j, name in enumerate(names):
            X[first : first + block.num_rows, j] = _as_floats(pa, block.column(name), name)
        first += block.num_rows
    if first != len(X):
        raise InvalidDataError(f"{first} rows found, {len(X)} announced")
    return X


def _as_floats(pa: ModuleType, column: Any, name: str) -> F64:
    kind = column.type
    if not (pa.types.is_floating(kind) or pa.types.is_null(kind)):
        column = column.cast(pa.float64())
    try:
        return np.asarray(column.to_numpy(), np.float64)
    except (TypeError, ValueError):
        raise InvalidDataError(f"column {name!r} holds {kind}, expected numbers") from None


def _as_query(pa: ModuleType, column: Any) -> NDArray[Any]:
    if column.null_count:
        raise InvalidDataError("a query is missing; every row needs one")
    if pa.types.is_integer(column.type):
        return np.asarray(column.to_numpy())
    return np.asarray(column.cast(pa.string()).to_numpy(), dtype=object)


@contextmanager
def _damage_reported(pa: ModuleType, path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, MemoryError, UnicodeDecodeError) as error:
        reason = str(error) if isinstance(error, InvalidDataError) else f"not an intact Parquet file ({error})"
        raise DataFormatError(path, reason) from None


def _pyarrow(purpose: str) -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingDependencyError("pyarrow", "parquet", purpose) from None
    return pyarrow, pyarrow.parquet
