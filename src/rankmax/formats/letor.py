"""LETOR files: the SVMlight format with a query id.

Each line holds one document, ``grade qid:query feature:value ... # comment``. A feature missing from the line is 0; ids
may come in any order and have gaps. A comment ``#docid = X`` names the document; other comments are ignored, including
whole lines.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from io import BufferedReader
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rankmax._arrays import I64, U8
from rankmax._io.files import atomic_writer, open_binary
from rankmax.data.dataset import RankingDataset
from rankmax.data.ids import Ids
from rankmax.data.judgments import Judgments
from rankmax.errors import DataFormatError, InvalidDataError, InvalidParameterError
from rankmax.formats.letor_lines import EXAMPLE, LineError, Piece, line_blocks, parse_block, zeros_in_own_pages

if TYPE_CHECKING:
    from scipy.sparse import csc_array

_LARGEST_FEATURE = 2**31 - 1
_FREE_FEATURES = 1 << 16  # ids up to this one are allowed however few values the file has
_FREE_CELLS = 1 << 16  # a matrix up to this size is dense however few values the file has,
_CELLS_PER_VALUE = 8  # a larger one if at least every eighth cell is in the file;
_FREE_CELLS_ON_REQUEST = 1 << 24  # and if dense is asked for, up to this size,
_CELLS_PER_VALUE_ON_REQUEST = 1 << 10  # or if every 1024th cell is

_ROWS_WRITTEN = 1 << 10  # documents formatted at a time
_QUERY_ID = re.compile(r"[^ \t\n\v\f\r#\ud800-\udfff]+")  # surrogates have no UTF-8
_DOCUMENT_ID = re.compile(rb"[^ \t\n\v\f\r]*")


def read_letor(
    path: str | os.PathLike[str],
    *,
    dtype: DTypeLike = np.float64,
    n_features: int | None = None,
    sparse: bool | None = None,
) -> RankingDataset:
    r"""Read a LETOR file, plain or gzip, on all cores.

    The documents of a query must be on consecutive lines: the data set keeps the order of the file.

    Parameters
    ----------
    path : path
        File to read, plain or gzipped.
    dtype : float64 or float32
        Type of the features. Every number is parsed as Python's ``float()`` does, then cast.
    n_features : int, optional
        Number of features; by default the largest id in the file. Give it if the largest id may be missing, as in
        a small test set, or to allow ids out of proportion to the file.
    sparse : bool, optional
        Whether to store the features as CSC; by default if less than an eighth of the matrix is in the file.

    Returns
    -------
    RankingDataset
        Data with features named f1, f2, ... by id. A document without ``docid`` gets an empty id if others have one.

    Raises
    ------
    DataFormatError
        If the file is not in the format; the error names the line.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "train.txt"
    ...     _ = path.write_text("2 qid:10 1:0.5 3:1e-3 #docid = d7\n0 qid:10 2:1 #docid = d8\n")
    ...     data = read_letor(path)
    >>> data.features
    array([[0.5  , 0.   , 0.001],
           [0.   , 1.   , 0.   ]])
    >>> data.grades, data.query_ids, data.document_ids.to_list()
    (array([2., 0.]), ('10',), ['d7', 'd8'])
    """
    from rankmax._kernels.threads import n_threads

    value_type = np.dtype(dtype)
    if value_type not in (np.float32, np.float64):
        raise InvalidParameterError(f"dtype is {value_type}; features are float32 or float64")
    if n_features is not None and not 1 <= n_features <= _LARGEST_FEATURE:
        raise InvalidParameterError(f"n_features is {n_features}; expected 1 to {_LARGEST_FEATURE}")

    def parse(text: U8) -> Piece:
        return parse_block(text, value_type, n_features or _LARGEST_FEATURE)

    with ThreadPoolExecutor(n_threads()) as pool:
        with open_binary(path) as file:
            blocks = line_blocks(cast(BufferedReader, file))
            pieces, query_ids, query_offsets = _join(path, _in_order(pool, parse, blocks, ahead=n_threads() + 1))
        n_documents = int(query_offsets[-1])
        if n_documents == 0:
            raise DataFormatError(path, f"no documents; {EXAMPLE}")
        n_values = sum(piece.values.size for piece in pieces)
        shape = (n_documents, n_features or _count_features(path, pieces, n_values))
        stored_sparse = _is_sparse(path, sparse, shape, n_values)
        try:
            judgments = Judgments.from_grades(
                np.concatenate([piece.grades for piece in pieces]),
                query_offsets,
                query_ids=query_ids,
                document_ids=_document_ids(pieces),
            )
        except InvalidDataError as error:
            raise DataFormatError(path, str(error)) from None
        features = _csc(pool, n_threads(), pieces, shape) if stored_sparse else _dense(pool, pieces, shape)
    return RankingDataset(features, tuple(f"f{j + 1}" for j in range(shape[1])), judgments)


def write_letor(data: RankingDataset, path: str | os.PathLike[str]) -> None:
    """Write a LETOR file, gzip if the name ends in .gz, that reads back bit for bit.

    Feature j is written with id j + 1, as the format has no names. Of sparse features only nonzero values are written,
    and the last feature of the first document, so that every reader finds the same number of features.

    Parameters
    ----------
    data : RankingDataset
        Data to write.
    path : path
        Output file, replaced at the end and never half-written.

    Raises
    ------
    InvalidDataError
        If a document is unjudged or an id contains a blank, which the format cannot express.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> data = RankingDataset.from_arrays([[0.5, 0.1], [0.0, 1.0]], [2, 0], qid=[10, 10], document_ids=["d7", "d8"])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "train.txt"
    ...     write_letor(data, path)
    ...     print(path.read_text())
    2 qid:10 1:0.5 2:0.1 #docid = d7
    0 qid:10 1:0.0 2:1.0 #docid = d8
    """
    if np.isnan(data.grades).any():
        document = int(np.flatnonzero(np.isnan(data.grades))[0])
        raise InvalidDataError(f"document {document} is not judged; a LETOR file needs a grade on every line")
    for query in data.query_ids:
        if not _QUERY_ID.fullmatch(query):
            raise InvalidDataError(f"query id {query!r} cannot be written; LETOR's have no blank and no '#'")
    document_ids = [b""] * data.n_documents if data.document_ids is None else data.document_ids.to_bytes()
    for raw in document_ids:
        if not _DOCUMENT_ID.fullmatch(raw):
            shown = repr(raw.decode(errors="replace"))
            raise InvalidDataError(f"document id {shown} cannot be written; LETOR's have no blank")
    query_ids = [query.encode() for query in data.query_ids]
    heads = [
        b"%d qid:%b" % (grade, query_ids[q]) if grade.is_integer() else b"%a qid:%b" % (grade, query_ids[q])
        for grade, q in zip(data.grades.tolist(), data.judgments.query_of_document.tolist(), strict=True)
    ]
    tails = [b" #docid = %b\n" % raw if raw else b"\n" for raw in document_ids]
    with atomic_writer(path) as file:
        for head, features, tail in zip(heads, _feature_texts(data), tails, strict=True):
            file.write(head)
            file.write(features)
            file.write(tail)


def _join(path: str | os.PathLike[str], parsed: Iterator[Piece]) -> tuple[list[Piece], list[str], I64]:
    """Collect the pieces, and the ids and offsets of the queries, which may continue from one piece to the next."""
    pieces: list[Piece] = []
    query_ids: list[str] = []
    first_lines: dict[str, int] = {}
    starts: list[int] = []
    n_documents = n_lines = 0
    try:
        for piece in parsed:
            for row, line, query in piece.queries:
                if row == 0 and query_ids and query == query_ids[-1]:
                    continue
                if query in first_lines:
                    raise LineError(
                        line,
                        f"query {query!r} again, after other queries (first in line {first_lines[query]}); "
                        "the documents of a query must be on consecutive lines",
                    )
                first_lines[query] = n_lines + line
                query_ids.append(query)
                starts.append(n_documents + row)
            pieces.append(piece)
            n_documents += piece.grades.size
            n_lines += piece.n_lines
    except LineError as error:
        raise DataFormatError(path, error.reason, line=n_lines + error.line) from None
    return pieces, query_ids, np.array([*starts, n_documents], np.int64)


def _in_order(
    pool: ThreadPoolExecutor, parse: Callable[[U8], Piece], blocks: Iterable[U8], *, ahead: int
) -> Iterator[Piece]:
    """Map a function on the pool's threads, with at most `ahead` blocks waiting or running."""
    pending: deque[Future[Piece]] = deque()
    for block in blocks:
        pending.append(pool.submit(parse, block))
        if len(pending) > ahead:
            yield pending.popleft().result()
    while pending:
        yield pending.popleft().result()


def _count_features(path: str | os.PathLike[str], pieces: list[Piece], n_values: int) -> int:
    """Return the largest feature id, unless that many features would be out of proportion to the file."""
    n_features = max(piece.last_feature for piece in pieces)
    allowed = max(_FREE_FEATURES, n_values)
    if n_features > allowed:
        n_lines = 0
        for piece in pieces:
            if piece.last_feature == n_features:
                break
            n_lines += piece.n_lines
        raise DataFormatError(
            path,
            f"feature id {n_features} in a file of {n_values} values; "
            f"ids up to {allowed} are allowed for it, and larger ones with n_features={n_features}",
            line=n_lines + piece.last_feature_line,
        )
    return n_features


def _is_sparse(path: str | os.PathLike[str], sparse: bool | None, shape: tuple[int, int], n_values: int) -> bool:
    n_cells = shape[0] * shape[1]
    if sparse is None:
        return n_cells > max(_FREE_CELLS, _CELLS_PER_VALUE * n_values)
    if not sparse and n_cells > max(_FREE_CELLS_ON_REQUEST, _CELLS_PER_VALUE_ON_REQUEST * n_values):
        raise DataFormatError(
            path,
            f"{shape[0]} documents x {shape[1]} features are too many to be dense with only {n_values} values "
            "in the file; read it with sparse=True",
        )
    return sparse


def _document_ids(pieces: list[Piece]) -> Ids | None:
    """Join the identifiers; None if no document has one."""
    if not any(piece.docids.size for piece in pieces):
        return None
    lengths = np.concatenate([np.diff(piece.docid_stops, prepend=0) for piece in pieces])
    return Ids(np.concatenate([piece.docids for piece in pieces]), np.cumsum(lengths) - lengths, lengths)


def _dense(pool: ThreadPoolExecutor, pieces: list[Piece], shape: tuple[int, int]) -> NDArray[Any]:
    """Store the values by feature, emptying `pieces` meanwhile so that no value is held twice for long."""
    from rankmax._kernels.parsing.letor_text import fill_dense

    by_feature = zeros_in_own_pages(shape[0] * shape[1], pieces[0].values.dtype).reshape(shape[::-1])
    tasks = []
    row = shape[0]
    while pieces:
        piece = pieces.pop()
        row -= piece.grades.size
        tasks.append(pool.submit(fill_dense, piece.values, piece.columns, piece.row_stops, row, by_feature))
    for task in tasks:
        task.result()
    return by_feature.T


def _csc(pool: ThreadPoolExecutor, n_parts: int, pieces: list[Piece], shape: tuple[int, int]) -> csc_array:
    """Store the nonzero values by feature; each thread handles a part of the features."""
    from scipy.sparse import csc_array

    from rankmax._kernels.parsing.letor_text import count_nonzeros, fill_sparse

    counts = np.zeros(shape[1], np.int64)
    for piece in pieces:
        count_nonzeros(piece.values, piece.columns, counts)
    n_nonzeros = int(counts.sum())
    data = np.empty(n_nonzeros, pieces[0].values.dtype)
    index_type: type[np.int32] | type[np.int64] = (
        np.int32 if max(n_nonzeros, shape[0]) <= np.iinfo(np.int32).max else np.int64
    )
    indptr: NDArray[np.integer[Any]] = np.concatenate([[0], np.cumsum(counts)]).astype(index_type)
    indices = np.empty(n_nonzeros, index_type)

    def fill(first: int, stop: int) -> None:
        next_free = indptr[first:stop].astype(np.int64)
        row = 0
        for piece in pieces:
            fill_sparse(piece.values, piece.columns, piece.row_stops, row, first, next_free, indices, data)
            row += piece.grades.size

    shares = np.arange(1, n_parts) * n_nonzeros // n_parts
    bounds = [0, *np.searchsorted(indptr[:-1], shares).tolist(), shape[1]]
    list(pool.map(fill, bounds[:-1], bounds[1:]))
    return csc_array((data, indices, indptr), shape=shape)


def _feature_texts(data: RankingDataset) -> Iterator[bytes]:
    """Yield `` id:value id:value ...`` of each document."""
    if isinstance(data.features, np.ndarray):
        line = "".join(f" {j + 1}:%r" for j in range(data.n_features))
        for first in range(0, data.n_documents, _ROWS_WRITTEN):
            for row in data.features[first : first + _ROWS_WRITTEN].tolist():
                yield (line % tuple(row)).encode()
        return
    rows = data.features.tocsr()
    for document, (start, stop) in enumerate(pairwise(rows.indptr.tolist())):
        by_id = dict(zip((rows.indices[start:stop] + 1).tolist(), rows.data[start:stop].tolist(), strict=True))
        if document == 0:
            by_id.setdefault(data.n_features, 0.0)
        yield "".join(f" {j}:{value!r}" for j, value in by_id.items()).encode()
