"""Documents grouped by query, and the nested dictionaries that hold the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankmax.arrays import I64, readonly
from rankmax.data.ids import Ids
from rankmax.errors import InvalidDataError

_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True, eq=False)
class DocumentsByQuery:
    """Documents grouped by query.

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
    """Yield the values of ``{query: {document: value}}``; where `convert` raises a ValueError, say which it was.

    Examples
    --------
    >>> list(flatten_values({"q1": {"d1": "1", "d2": 0}}, "grade", int))
    [1, 0]
    """
    for query_id, documents in nested.items():
        for document_id, value in documents.items():
            try:
                yield convert(value)
            except (TypeError, ValueError) as error:
                where = f"{kind} {value!r} of document {document_id!r} in query {query_id!r}"
                raise InvalidDataError(f"{where}: {error}") from None


def nest(table: DocumentsByQuery, values: NDArray[Any]) -> dict[str, dict[str, Any]]:
    """Return ``{query: {document: value}}``."""
    documents, numbers, offsets = table.document_ids.to_list(), values.tolist(), table.query_offsets.tolist()
    return {
        query_id: dict(zip(documents[start:stop], numbers[start:stop], strict=True))
        for query_id, start, stop in zip(table.query_ids, offsets[:-1], offsets[1:], strict=True)
    }


def check_ids(kind: str, ids: Iterable[str]) -> None:
    """Refuse identifiers that could not be written as one column and read back.

    Examples
    --------
    >>> check_ids("query id", ["q1", "q 2"])
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: query id 'q 2' must not be empty or hold blanks
    """
    for identifier in ids:
        try:
            raw = identifier.encode()
        except (AttributeError, UnicodeEncodeError):
            raise InvalidDataError(f"{kind} {identifier!r} is not a string of Unicode text") from None
        if not raw or min(raw) <= ord(" "):
            raise InvalidDataError(f"{kind} {identifier!r} must not be empty or hold blanks")
