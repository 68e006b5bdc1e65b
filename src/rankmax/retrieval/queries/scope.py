"""The searched part of every document: one field of an index, or several read as one text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I32
from rankmax.errors import InvalidParameterError
from rankmax.retrieval.index.inverted_index import Index


@dataclass(frozen=True, slots=True)
class Matches:
    """Documents in which an expression occurs, with its frequencies.

    Parameters
    ----------
    documents : array of int32
        Document numbers, ascending.
    frequencies : array of int32
        Number of occurrences in each, at least 1.
    """

    documents: I32
    frequencies: I32

    @property
    def n_documents(self) -> int:
        """Number of documents that have it, df."""
        return len(self.documents)

    @property
    def n_occurrences(self) -> int:
        """Number of occurrences in all documents, cf."""
        return int(self.frequencies.sum())

    def frequencies_in(self, documents: NDArray[Any]) -> F64:
        """Return the number of occurrences in each of the given documents, 0 if there is none.

        Parameters
        ----------
        documents : array of int
            Document numbers, in any order.
        """
        found = np.zeros(len(documents))
        if len(self.documents):
            places = np.minimum(np.searchsorted(self.documents, documents), len(self.documents) - 1)
            here = self.documents[places] == documents
            found[here] = self.frequencies[places[here]]
        return found


class Scope:
    """One field of an index, or several read as one text: statistics, and occurrences of expressions.

    Windows do not cross fields.

    Parameters
    ----------
    index : Index
    fields : sequence of str
        Names of the fields; empty for all fields of the index.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval import Document, build_index
    >>> documents = [Document("d1", {"title": "wing", "text": "flow past a wing"}), Document("d2", {"text": "a flow"})]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index(documents, f"{folder}/index")
    >>> Scope(index).term("wing")
    Matches(documents=array([0], dtype=int32), frequencies=array([2], dtype=int32))
    >>> Scope(index, ["text"]).lengths
    array([4, 2], dtype=int32)
    """

    def __init__(self, index: Index, fields: Sequence[str] = ()) -> None:
        if len(set(fields)) != len(fields):
            raise InvalidParameterError(f"a field is named twice: {', '.join(fields)}")
        self.index = index
        self.fields = tuple(fields) or index.fields
        self.n_documents = index.n_documents
        self.n_occurrences = sum(index.n_occurrences(field) for field in self.fields)

    @classmethod
    def of(cls, index: Index, fields: Sequence[str] = ()) -> Scope:
        """Return the scope that all queries to an index share.

        Parameters
        ----------
        index : Index
        fields : sequence of str
            Names of the fields; empty for all fields of the index.
        """
        key = (cls, tuple(fields))
        if key not in index.derived:
            index.derived[key] = cls(index, fields)
        scope: Scope = index.derived[key]
        return scope

    @cached_property
    def lengths(self) -> I32:
        """Number of terms of each document, ``|D|``."""
        if len(self.fields) == 1:
            return self.index.lengths(self.fields[0])
        total = np.zeros(self.n_documents, np.int32)
        for field in self.fields:
            total += self.index.lengths(field)
        return total

    @cached_property
    def vector_norms(self) -> F64:
        """Euclidean norm of each document's vector of tf * log((N + 1) / (df + 0.5)), over all terms."""
        return self.index.vector_norms(self.fields)

    @property
    def average_length(self) -> float:
        """Mean number of terms of a document."""
        return self.n_occurrences / max(self.n_documents, 1)

    def term(self, term: str) -> Matches:
        """Return the occurrences of a term, given as the analyzer produces it."""

        def in_field(field: str) -> Matches:
            postings = self.index.postings(term, field)
            return Matches(postings.documents, postings.frequencies)

        return self._over_fields(in_field)

    def ordered(self, terms: Sequence[str], *, width: int = 1) -> Matches:
        """Return where terms follow each other at most `width` positions apart, Indri's ``#N``; 1 is a phrase."""

        def in_field(field: str) -> Matches:
            windows = self.index.ordered_windows(terms, field, width=width)
            return Matches(windows.documents, windows.counts)

        return self._over_fields(in_field)

    def unordered(self, terms: Sequence[str], *, width: int = 8) -> Matches:
        """Return where terms occur within `width` positions in any order, Indri's ``#uwN``."""

        def in_field(field: str) -> Matches:
            windows = self.index.unordered_windows(terms, field, width=width)
            return Matches(windows.documents, windows.counts)

        return self._over_fields(in_field)

    def _over_fields(self, in_field: Callable[[str], Matches]) -> Matches:
        parts = [part for part in map(in_field, self.fields) if part.n_documents]
        if not parts:
            return Matches(np.zeros(0, np.int32), np.zeros(0, np.int32))
        if len(parts) == 1:
            return parts[0]
        documents = np.concatenate([part.documents for part in parts])
        frequencies = np.concatenate([part.frequencies for part in parts])
        order = np.argsort(documents, kind="stable")  # merges sorted runs, and each field is one
        documents = documents[order]
        first = np.flatnonzero(np.append(True, documents[1:] != documents[:-1]))
        return Matches(documents[first], np.add.reduceat(frequencies[order], first, dtype=np.int32))
