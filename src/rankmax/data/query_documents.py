"""Documents grouped by query, and their form as nested dictionaries."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import I64, readonly
from rankmax._io.files import read_bytes
from rankmax._result_views import ResultView, frame_of_columns
from rankmax.data.ids import Ids
from rankmax.errors import DataFormatError, InvalidDataError

_Number = TypeVar("_Number", int, float)
_Built = TypeVar("_Built")

_QUERIES_SHOWN = 2
_MOST_BITS_SHOWN = 256  # of an integer in an error message


@dataclass(frozen=True, eq=False, repr=False)
class DocumentsByQuery(ResultView):
    """Documents grouped by query; they show themselves as a table of the first ones.

    Attributes
    ----------
    query_ids : tuple of str
    query_offsets : array of int64, shape (n_queries + 1,)
        The documents of query q are ``query_offsets[q]:query_offsets[q + 1]``.
    document_ids : Ids
    """

    query_ids: tuple[str, ...]
    query_offsets: I64
    document_ids: Ids

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.query_ids)

    @property
    def n_documents(self) -> int:
        """Number of documents over all queries."""
        return len(self.document_ids)

    def _frame(self, name: str, values: NDArray[Any]) -> Any:
        """Return a data frame with a row for each document, under the names of ir-measures."""
        queries = [self.query_ids[q] for q in self.query_of_document.tolist()]
        return frame_of_columns({"query_id": queries, "doc_id": list(self.document_ids), name: values})

    @property
    def _first_queries(self) -> Iterator[tuple[str, slice]]:
        """Yield the first queries, each with where its documents are."""
        for q, query in enumerate(self.query_ids[:_QUERIES_SHOWN]):
            yield query, slice(*self.query_offsets[q : q + 2].tolist())

    @property
    def _sizes(self) -> dict[str, str]:
        return {"queries": f"{self.n_queries:,}", "documents": f"{self.n_documents:,}"}

    @cached_property
    def query_of_document(self) -> I64:
        """Index of each document's query."""
        return readonly(np.repeat(np.arange(self.n_queries), np.diff(self.query_offsets)))


def flatten(nested: Mapping[str, Mapping[str, Any]]) -> tuple[tuple[str, ...], I64, Ids]:
    """Return the fields of a DocumentsByQuery from ``{query: {document: value}}``.

    Examples
    --------
    >>> flatten({"q1": {"d1": 1, "d2": 0}})
    (('q1',), array([0, 2]), Ids(['d1', 'd2'], n=2))
    """
    document_ids = list(chain.from_iterable(nested.values()))
    check_ids("query id", nested)
    check_ids("document id", set(document_ids))
    offsets = np.cumsum([0, *map(len, nested.values())])
    return tuple(nested), readonly(offsets), Ids.from_strings(document_ids)


def flatten_values(
    nested: Mapping[str, Mapping[str, Any]], kind: str, convert: Callable[[Any], _Number]
) -> Iterator[_Number]:
    """Yield the values of ``{query: {document: value}}``; name the one for which `convert` raises a ValueError.

    Examples
    --------
    >>> list(flatten_values({"q1": {"d1": "1", "d2": 0}}, "grade", int))
    [1, 0]
    """
    for query_id, documents in nested.items():
        for document_id, value in documents.items():
            try:
                yield convert(value)
            except (TypeError, ValueError, OverflowError) as error:
                huge = isinstance(value, int) and value.bit_length() > _MOST_BITS_SHOWN
                shown = f"of {value.bit_length()} bits" if huge else repr(value)
                where = f"{kind} {shown} of document {document_id!r} in query {query_id!r}"
                raise InvalidDataError(f"{where}: {error}") from None


def nest(table: DocumentsByQuery, values: NDArray[Any]) -> dict[str, dict[str, Any]]:
    """Return ``{query: {document: value}}``."""
    documents, numbers, offsets = table.document_ids.to_list(), values.tolist(), table.query_offsets.tolist()
    return {
        query_id: dict(zip(documents[start:stop], numbers[start:stop], strict=True))
        for query_id, start, stop in zip(table.query_ids, offsets[:-1], offsets[1:], strict=True)
    }


def is_nested_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file's name says that it holds nested dictionaries as JSON.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> is_nested_file("bm25.json.gz"), is_nested_file("bm25.run")
    (True, False)
    """
    return Path(path).name.removesuffix(".gz").endswith(".json")


def read_nested(path: str | os.PathLike[str], build: Callable[[Mapping[str, Mapping[str, Any]]], _Built]) -> _Built:
    """Read ``{query: {document: value}}`` from JSON, as ranx writes it, plain or gzip.

    Parameters
    ----------
    path : path
    build : callable
        Makes an object of the dictionaries; its errors are reported as errors of the file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "bm25.json")
    >>> _ = path.write_text('{"q1": {"d1": 0.5}}')
    >>> read_nested(path, dict)
    {'q1': {'d1': 0.5}}
    """
    return parse_nested(path, read_bytes(path), build)


def parse_nested(
    path: str | os.PathLike[str], content: bytes, build: Callable[[Mapping[str, Mapping[str, Any]]], _Built]
) -> _Built:
    """Parse the content of a file as :func:`read_nested` does.

    Examples
    --------
    >>> parse_nested("bm25.json", b'{"q1": {"d1": 0.5}}', dict)
    {'q1': {'d1': 0.5}}
    """
    try:
        nested = msgspec.json.decode(content, type=dict[str, dict[str, int | float]])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataFormatError(path, f"expected JSON such as {{query: {{document: number}}}}: {error}") from None
    if not any(nested.values()):
        raise DataFormatError(path, "holds no documents")
    try:
        return build(nested)
    except InvalidDataError as error:
        raise DataFormatError(path, str(error)) from None


def check_ids(kind: str, ids: Iterable[str]) -> None:
    """Raise if an identifier could not be written as one column and read back.

    Examples
    --------
    >>> check_ids("query id", ["q1", "q 2"])
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: query id 'q 2' must not be empty or contain blanks
    """
    for identifier in ids:
        try:
            raw = identifier.encode()
        except (AttributeError, UnicodeEncodeError):
            raise InvalidDataError(f"{kind} {identifier!r} is not a string of Unicode text") from None
        if not raw or min(raw) <= ord(" "):
            raise InvalidDataError(f"{kind} {identifier!r} must not be empty or contain blanks")
