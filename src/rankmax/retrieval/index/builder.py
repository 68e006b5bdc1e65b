"""Building of an index from a stream of documents, in bounded memory; it appears complete or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from rankmax._arrays import I64
from rankmax._io.folders import building_folder
from rankmax.data.ids import WORD, Ids
from rankmax.data.packed_strings import pack
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.index.document_columns import Columns
from rankmax.retrieval.index.document_files import Document, DocumentFiles, in_batches
from rankmax.retrieval.index.file_format import META, TYPES, ArrayWriter, write_meta
from rankmax.retrieval.index.index_segments import Segment, count_rows, field_lengths, merge_rows
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.index.text_store import BLOCK
from rankmax.retrieval.index.tokenized_batches import FieldTokens, Numbering, TokenBatch, Tokenizer, token_batches

_BYTES_PER_WORD = 24  # for tokens as collected, joined and grouped
_LEAST_MEMORY = 1 << 20


def build_index(
    documents: Iterable[Document],
    path: str | os.PathLike[str],
    *,
    analyzer: Analyzer | None = None,
    fields: Sequence[str] | None = None,
    store: Sequence[str] = (),
    columns: Columns | None = None,
    column_default: float | None = None,
    memory: int = 512 << 20,
    n_jobs: int = 1,
    replace: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Index:
    """Build an index and open it.

    The same documents give the same bytes, whatever the memory and the number of processes.

    Parameters
    ----------
    documents : iterable of Document
        Documents with different ids, read once. Give files as
        :class:`~rankmax.retrieval.index.document_files.DocumentFiles`, which several processes can parse.
    path : str or path-like
        Folder to create; it appears complete or not at all.
    analyzer : Analyzer, optional
        ``Analyzer()`` by default; recorded in the index, so that queries are analyzed alike.
    fields : sequence of str, optional
        Fields to index; by default all, in the order of their first occurrence.
    store : sequence of str, default none
        Fields whose text is stored, compressed, for display: :meth:`Index.text`.
    columns : Columns, optional
        Numbers of documents that do not depend on the query: :meth:`Index.column`.
    column_default : float, optional
        Value of documents missing from `columns`; by default a missing value is an error.
    memory : int, default 512 MB
        Bytes for postings: beyond that they are sorted, kept on disk in the folder being built, and merged at the end.
        The distinct terms and the ids stay in memory in addition.
    n_jobs : int, default 1
        Number of processes that parse files and analyze text.
    replace : bool, default False
        Whether to replace an existing index.
    progress : callable, optional
        Called with the number of documents read so far.

    Returns
    -------
    Index

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index([Document("d1", {"text": "wing flutter"})], f"{folder}/index")
    ...     index.n_documents, index.fields, list(index.terms)
    (1, ('text',), ['flutter', 'wing'])
    """
    if memory < _LEAST_MEMORY:
        raise InvalidParameterError(f"memory must be at least {_LEAST_MEMORY:,} bytes, not {memory:,}")
    if n_jobs < 1:
        raise InvalidParameterError(f"n_jobs must be at least 1, not {n_jobs}")
    for name, chosen in {"fields": fields or (), "store": store}.items():
        if isinstance(chosen, str) or len(set(chosen)) != len(chosen):
            raise InvalidParameterError(f"{name} must be a sequence of different names, not {chosen!r}")
    used = analyzer or Analyzer()
    batches = documents.batches() if isinstance(documents, DocumentFiles) else in_batches(documents)
    with building_folder(path, replaces=META if replace else None) as folder:
        with ExitStack() as stack:
            writers = {name: stack.enter_context(ArrayWriter(folder, name, dtype)) for name, dtype in TYPES.items()}
            collector = _Collector(folder, writers, memory // _BYTES_PER_WORD)
            for tokens in token_batches(batches, Tokenizer(used, fields, store), n_jobs=n_jobs):
                collector.add(tokens)
                if progress is not None:
                    progress(collector.n_documents)
            collector.require([*(fields or ()), *store])
            collector.require_distinct_ids(documents)
            sizes = collector.write(fields, columns, column_default)
        arrays = {name: writer.description for name, writer in writers.items()}
        write_meta(folder, {"analyzer": used.to_dict(), "stored": list(store), **sizes, "arrays": arrays})
    return Index.open(path)


class _Collector:
    """Collects tokens until memory is full, then turns them into a segment on disk."""

    def __init__(self, folder: Path, writers: Mapping[str, ArrayWriter], most_tokens: int) -> None:
        self.n_documents = 0
        self._folder = folder
        self._writers = writers
        self._most_tokens = most_tokens
        self._terms = Numbering()
        self._ids: list[Ids] = []
        self._tokens: dict[str, list[FieldTokens]] = {}
        self._n_tokens = 0
        self._first_document = 0  # of the tokens in memory
        self._segments: dict[str, list[Segment]] = {}
        self._n_spilled = 0
        self._text_sizes: list[int] = []
        self._text_firsts: list[int] = []
        self._names: set[str] = set()

    def add(self, batch: TokenBatch) -> None:
        """Add the tokens of the next documents."""
        size = len(batch.vocabulary)
        numbers = np.append(np.fromiter(map(self._terms.__getitem__, batch.vocabulary), np.int32, size), np.int32(-1))
        for name, found in batch.fields.items():
            parts = self._tokens.setdefault(name, [])
            n_missing = self.n_documents - self._first_document - sum(part.n_words.size for part in parts)
            parts.append(_no_tokens(n_missing))
            parts.append(FieldTokens(found.n_words, numbers[found.terms]))  # index -1, no term, is the last
            self._n_tokens += found.terms.size
        for number, block in enumerate(batch.texts):
            self._writers["stored_bytes"].append(np.frombuffer(block, np.uint8))
            self._text_sizes.append(len(block))
            self._text_firsts.append(self.n_documents + number * BLOCK)
        self._names |= batch.names
        self._ids.append(batch.ids)
        self.n_documents += len(batch.ids)
        if self._n_tokens >= self._most_tokens:
            self._group(spill=True)

    def require(self, names: Iterable[str]) -> None:
        """Check that the requested fields occur in some document, if there is any."""
        for name in names:
            if name not in self._names and self.n_documents:
                raise UnknownNameError("field", name, self._names)

    def require_distinct_ids(self, documents: Iterable[Document]) -> None:
        """Check that no two documents have the same id; name their locations if these can be found."""
        ids = self._all_ids()
        order = ids.ascending()
        repeats = np.ones(len(ids), np.bool_)
        repeats[:1] = False
        repeats[ids.take(order).changes()] = False
        (repeated,) = np.nonzero(repeats)
        if repeated.size:
            first, again = sorted(order[repeated[0] - 1 : repeated[0] + 1].tolist())
            places = list(islice(documents.places(ids[first]), 2)) if isinstance(documents, DocumentFiles) else []
            where = f" ({' and '.join(places)})" if places else ""
            raise InvalidDataError(
                f"documents {first + 1} and {again + 1} have the same id {ids[first]!r}{where}; "
                f"{repeated.size} of {len(ids)} ids are repeated: every document needs its own"
            )

    def _all_ids(self) -> Ids:
        return Ids.concatenate(self._ids) if self._ids else Ids.from_strings([])

    def write(
        self, fields: Sequence[str] | None, columns: Columns | None, column_default: float | None
    ) -> dict[str, Any]:
        """Merge all segments, write the arrays of the index, and return their descriptions."""
        self._group(spill=False)
        chosen = [name for name in (self._segments if fields is None else fields) if name in self._segments]
        ids = self._all_ids()
        names = list(self._terms)
        order = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
        writers = self._writers
        for kind, strings in (("term", sorted(names)), ("id", ids)):
            packed, lengths = pack(strings)
            writers[f"{kind}_bytes"].append(packed)
            writers[f"{kind}_bytes"].append(np.zeros(WORD, np.uint8))
            writers[f"{kind}_offsets"].append(_offsets(lengths))
        df, cf = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for name in chosen:
            writers["lengths"].append(field_lengths(self._segments[name], self.n_documents))
            n_documents, n_occurrences = count_rows(self._segments[name], order)
            df.append(n_documents)
            cf.append(n_occurrences)
            for rows in merge_rows(self._segments[name], order, n_documents, n_occurrences):
                writers["documents"].append(rows.documents)
                writers["position_offsets"].append(rows.position_offsets)
                writers["positions"].append(rows.positions)
        if columns is not None:
            writers["columns"].append(columns.of(ids, missing=column_default))
        writers["posting_offsets"].append(_offsets(np.concatenate(df)))
        writers["position_starts"].append(_offsets(np.concatenate(cf)))
        writers["stored_offsets"].append(_offsets(np.array(self._text_sizes, np.int64)))
        writers["stored_firsts"].append(np.array(self._text_firsts, np.int64))
        self._segments.clear()  # unmapped, so that the files can be deleted
        for number in range(self._n_spilled):
            shutil.rmtree(self._folder / f"segment{number}")
        return {
            "fields": chosen,
            "columns": [] if columns is None else list(columns.names),
            "n_documents": self.n_documents,
            "n_terms": len(names),
        }

    def _group(self, *, spill: bool) -> None:
        for name in list(self._tokens):
            segment = Segment.group(
                self._tokens.pop(name), n_terms=len(self._terms), first_document=self._first_document
            )
            if spill:
                segment = segment.spill(self._folder / f"segment{self._n_spilled}")
                self._n_spilled += 1
            self._segments.setdefault(name, []).append(segment)
        self._first_document = self.n_documents
        self._n_tokens = 0


def _no_tokens(n_documents: int) -> FieldTokens:
    return FieldTokens(np.zeros(n_documents, np.int32), np.zeros(0, np.int32))


def _offsets(lengths: I64) -> I64:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
