"""A positional inverted index, memory-mapped from disk."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I32, I64, U8
from rankmax._io.folders import restore_replaced
from rankmax._result_views import Block, Facts, ResultView
from rankmax.data.ids import Ids
from rankmax.data.query_document_pairs import find_pairs
from rankmax.errors import DataFormatError, InvalidParameterError, RankmaxError, UnknownNameError
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.index.file_format import open_arrays, read_meta
from rankmax.retrieval.index.index_checks import CheckedPostings, check_arrays
from rankmax.retrieval.index.text_store import TextStore


@dataclass(frozen=True, slots=True)
class Postings:
    """Occurrences of a term in a field.

    Parameters
    ----------
    documents : array of int32
        Document numbers, ascending.
    offsets : array of int32
        Start of each document's entries in `positions`; one more than there are documents.
    positions : array of int32
        Positions of the term, counted from 0, ascending within a document.
    """

    documents: I32
    offsets: I32
    positions: I32

    @property
    def frequencies(self) -> I32:
        """Number of occurrences in each document."""
        return np.diff(self.offsets)


@dataclass(frozen=True, slots=True)
class WindowCounts:
    """Number of windows of some terms in each document that has any.

    Parameters
    ----------
    documents : array of int32
        Document numbers, ascending.
    counts : array of int32
    """

    documents: I32
    counts: I32


class Index(ResultView):
    """A positional inverted index of a collection; made by :func:`~rankmax.retrieval.index.builder.build_index`.

    Documents are numbered from 0 in the order of input. Nothing is loaded before it is accessed, and one index may
    serve several threads.

    Parameters
    ----------
    path : path
        Folder of the index.
    meta : dict
        Description of the index: analyzer, fields and sizes.
    arrays : dict of arrays
        Arrays by their names in the file format.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval import Document, build_index
    >>> texts = {"d1": "the wing and the wing", "d2": "a flow past a wing"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index([Document(i, {"text": text}) for i, text in texts.items()], f"{folder}/index")
    >>> found = index.postings("wing", "text")
    >>> found.documents, found.frequencies, found.positions
    (array([0, 1], dtype=int32), array([2, 1], dtype=int32), array([1, 4, 4], dtype=int32))
    >>> index.ordered_windows(["past", "a", "wing"], "text").documents
    array([1], dtype=int32)
    """

    def __init__(self, path: Path, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        self.path = path
        self.analyzer = Analyzer.from_dict(meta["analyzer"])
        self.fields: tuple[str, ...] = tuple(meta["fields"])
        self.stored: tuple[str, ...] = tuple(meta["stored"])
        self.columns: tuple[str, ...] = tuple(meta["columns"])
        self.n_documents: int = meta["n_documents"]
        self.n_terms: int = meta["n_terms"]
        self.n_bytes = sum(array.nbytes for array in arrays.values())
        self.terms = _strings(arrays["term_bytes"], arrays["term_offsets"])
        self.ids = _strings(arrays["id_bytes"], arrays["id_offsets"])
        # Items of a memoryview are read three times as fast as those of an array.
        self._term_bytes = arrays["term_bytes"].data
        self._term_offsets = arrays["term_offsets"].data
        self._lengths: I32 = arrays["lengths"].reshape(len(self.fields), self.n_documents)
        self._columns: F64 = arrays["columns"].reshape(len(self.columns), self.n_documents)
        self._postings = CheckedPostings(path, self.n_documents, arrays)
        self._numbers: dict[str, int] = {}  # cache of looked-up terms: windows use the same ones again and again
        self.derived: dict[Any, Any] = {}
        """Cache of results that serve all queries, by keys of the code that computed them."""
        self._texts = TextStore(path, *(arrays[f"stored_{part}"] for part in ("bytes", "offsets", "firsts")))

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: bool = False) -> Index:
        """Open an index.

        Parameters
        ----------
        path : str or path-like
            Folder of the index.
        verify : bool, default False
            Whether to compare the checksums of all files. Otherwise damage is detected by a file's size, and by its
            checksum if the index has at most 256 MB, or the file at most 16 MB.

        Examples
        --------
        >>> Index.open("no-such-index")
        Traceback (most recent call last):
        rankmax.errors.DataFormatError: no-such-index: not an index: it has no meta.json
        """
        restore_replaced(path)
        meta = read_meta(path)
        arrays = open_arrays(path, meta, verify=verify)
        check_arrays(Path(path), meta, arrays)
        try:
            return cls(Path(path), meta, arrays)
        except RankmaxError as error:
            raise DataFormatError(path, str(error)) from None

    def __reduce__(self) -> tuple[Callable[[Path], Index], tuple[Path]]:
        return Index.open, (self.path.absolute(),)  # another process maps the same files

    @property
    def facts(self) -> dict[str, str]:
        """Sizes, fields and analysis in words."""
        stop = self.analyzer.stop if isinstance(self.analyzer.stop, str) else f"{len(self.analyzer.stop)} words"
        return {
            "documents": f"{self.n_documents:,}",
            "terms": f"{self.n_terms:,}",
            **{f"words in {name}": f"{self.n_occurrences(name):,}" for name in self.fields},
            **({"stored": ", ".join(self.stored)} if self.stored else {}),
            **({"columns": ", ".join(self.columns)} if self.columns else {}),
            "stop words": stop,
            "stemmer": self.analyzer.stemmer,
            "size": f"{self.n_bytes / 1e6:,.1f} MB",
        }

    @property
    def blocks(self) -> list[Block]:
        """The folder, and the facts that are shown."""
        return [Facts({"index": str(self.path), **self.facts})]

    def find(self, ids: Sequence[str]) -> I64:
        """Return the numbers of documents, -1 for an unknown id.

        Parameters
        ----------
        ids : sequence of str
        """
        sought = ids if isinstance(ids, Ids) else Ids.from_strings(ids)
        return find_pairs(np.zeros(len(sought), np.int64), sought, np.zeros(self.n_documents, np.int64), self.ids)

    def text(self, document: int) -> dict[str, str]:
        """Return the stored fields of a document by its number; empty if the index stores no text."""
        if not 0 <= document < self.n_documents:
            raise InvalidParameterError(f"no document {document}: the index has {self.n_documents}, counted from 0")
        return self._texts.fields_of(document)

    def lengths(self, field: str) -> I32:
        """Return the number of terms that each document has in a field."""
        lengths: I32 = self._lengths[self._field(field)]
        return lengths

    def column(self, name: str) -> F64:
        """Return the value of each document in a column."""
        if name not in self.columns:
            raise UnknownNameError("column", name, self.columns)
        values: F64 = self._columns[self.columns.index(name)]
        return values

    def n_occurrences(self, field: str) -> int:
        """Return the total number of terms in a field, over all documents."""
        first = self._field(field) * self.n_terms
        starts = self._postings.position_starts
        return int(starts[first + self.n_terms] - starts[first])

    def vector_norms(self, fields: Sequence[str]) -> F64:
        """Return the Euclidean norm of each document's vector of tf * log((N + 1) / (df + 0.5)), fields read as one.

        Parameters
        ----------
        fields : sequence of str
        """
        from rankmax._kernels.text.document_norms import vector_norms

        numbers = self._checked_fields(fields)
        offsets, documents, _, position_offsets, _ = self._postings.arrays
        norms: F64 = vector_norms(numbers, self.n_terms, self.n_documents, offsets, documents, position_offsets)
        return norms

    def documents_by_kind(self, kinds: U8, n_kinds: int, fields: Sequence[str]) -> I64:
        """Return the number of documents of each kind that have each term in some fields, shape (n_kinds, n_terms).

        Parameters
        ----------
        kinds : array of uint8
            Kind of each document; those of kind 0 do not count.
        n_kinds : int
            Number of kinds, one more than the highest.
        fields : sequence of str
        """
        from rankmax._kernels.text.term_counts import count_by_kind

        numbers = self._checked_fields(fields)
        counts: I64 = count_by_kind(kinds, n_kinds, numbers, self.n_terms, *self._postings.arrays[:2])
        return counts

    def document_frequency(self, term: str, field: str) -> int:
        """Return the number of documents with a term in a field."""
        row = self._row(term, field)
        offsets = self._postings.posting_offsets
        return 0 if row < 0 else int(offsets[row + 1] - offsets[row])

    def collection_frequency(self, term: str, field: str) -> int:
        """Return the number of occurrences of a term in a field of all documents."""
        row = self._row(term, field)
        starts = self._postings.position_starts
        return 0 if row < 0 else int(starts[row + 1] - starts[row])

    def postings(self, term: str, field: str) -> Postings:
        """Return the occurrences of a term in a field, as views of the index without copying.

        Parameters
        ----------
        term : str
            Term as the analyzer produces it.
        field : str
        """
        row = self._row(term, field)
        if row < 0:
            return Postings(self._postings.documents[:0], _NO_OFFSETS, self._postings.positions[:0])
        self._postings.check_row(row)
        first, last = self._postings.posting_offsets[row : row + 2].tolist()
        return Postings(self._postings.documents[first:last], *self._postings.places(row))

    def ordered_windows(self, terms: Sequence[str], field: str, *, width: int = 1) -> WindowCounts:
        """Count windows in which terms follow each other: Indri's ``#N``, a phrase for width 1.

        Each term is at most `width` positions after the one before it, at its first occurrence in that range. The
        window from each occurrence of the first term counts, except for those that overlap an earlier counted one.

        Parameters
        ----------
        terms : sequence of str
            At least one term, as the analyzer produces it.
        field : str
        width : int, default 1
        """
        from rankmax._kernels.text.windows import ordered_windows

        rows = self._rows(terms, field, width)
        return _NO_WINDOWS if rows is None else WindowCounts(*ordered_windows(rows, width, *self._postings.arrays))

    def unordered_windows(self, terms: Sequence[str], field: str, *, width: int = 8) -> WindowCounts:
        """Count windows of `width` positions that hold all terms in any order: Indri's ``#uwN``.

        The smallest window from each occurrence of any of the terms counts, except for those that overlap an earlier
        counted one. A term given twice must occur twice, where Indri lets one occurrence serve both.

        Parameters
        ----------
        terms : sequence of str
            At least one term, as the analyzer produces it.
        field : str
        width : int, default 8
        """
        from rankmax._kernels.text.windows import unordered_windows

        times = Counter(terms)
        rows = self._rows(list(times), field, width)
        if rows is None:
            return _NO_WINDOWS
        multiplicities = np.array(list(times.values()), np.int64)
        return WindowCounts(*unordered_windows(rows, multiplicities, width, *self._postings.arrays))

    def _checked_fields(self, names: Sequence[str]) -> I64:
        """Return the numbers of fields after checking all their postings."""
        numbers = [self._field(name) for name in names]
        for number in numbers:
            self._postings.check_rows(number * self.n_terms, (number + 1) * self.n_terms)
        return np.array(numbers, np.int64)

    def _field(self, name: str) -> int:
        try:
            return self.fields.index(name)
        except ValueError:
            raise UnknownNameError("field", name, self.fields) from None

    def _row(self, term: str, field: str) -> int:
        """Return the row of a term in a field, -1 for a term that does not occur."""
        first = self._field(field) * self.n_terms
        if term not in self._numbers:
            sought = term.encode(errors="replace")
            number = bisect_left(range(self.n_terms), sought, key=self._term)
            if number == self.n_terms or self._term(number) != sought:
                return -1
            self._numbers[term] = number
        return first + self._numbers[term]

    def _term(self, number: int) -> bytes:
        return bytes(self._term_bytes[self._term_offsets[number] : self._term_offsets[number + 1]])

    def _rows(self, terms: Sequence[str], field: str, width: int) -> I64 | None:
        """Return the rows of terms, or None if one of them does not occur."""
        if not terms or width < 1:
            raise InvalidParameterError(
                f"a window needs a term and a width of at least 1, not {len(terms)} and {width}"
            )
        rows = [self._row(term, field) for term in terms]
        if min(rows) < 0:
            return None
        for row in rows:
            self._postings.check_positions(row)
        return np.array(rows, np.int64)


_NO_OFFSETS = np.zeros(1, np.int32)
_NO_WINDOWS = WindowCounts(np.zeros(0, np.int32), np.zeros(0, np.int32))


def _strings(packed: NDArray[np.uint8], offsets: I64) -> Ids:
    return Ids(packed, offsets[:-1], np.diff(offsets))
