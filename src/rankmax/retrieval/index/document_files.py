"""Documents of a text collection, and readers of their sources.

All readers stream: only one batch of documents is in memory at a time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from rankmax.data.query_documents import check_ids
from rankmax.errors import InvalidDataError, MissingDependencyError, RankmaxError, UnknownNameError
from rankmax.retrieval.index.line_batches import Fields, cut_lines

_IR_DATASETS = "ir_datasets:"
_MOST_DOCUMENTS = 1000  # per batch
_MOST_CHARACTERS = 1 << 20


@dataclass(frozen=True, slots=True)
class Document:
    """One document: an identifier, and text by field.

    Parameters
    ----------
    id : str
    fields : dict of str to str

    Examples
    --------
    >>> Document("d1", {"title": "Flutter", "text": "of swept wings"}).fields["title"]
    'Flutter'
    """

    id: str
    fields: Fields = field(default_factory=dict)


class Batch(Protocol):
    """Some documents, in a form that is quickly sent to another process."""

    def pairs(self) -> Iterable[tuple[str, Fields]]:
        """Return the id and the fields of each document."""


@dataclass(frozen=True, slots=True)
class PairBatch:
    """Documents given as Python objects, kept as plain tuples, which pickle in a sixth of the time."""

    content: list[tuple[str, Fields]]

    def pairs(self) -> Iterable[tuple[str, Fields]]:
        """Return the id and the fields of each document."""
        return self.content


class DocumentFiles:
    r"""The documents of files, or of a collection of ir_datasets, one source after another.

    The format of a file, plain or gzip, is recognized by its first character:

    - ``{``: JSON lines. An object's id is its ``id``, ``_id``, ``docno``, ``doc_id`` or ``docid``, a string or an
      integer; its other strings are fields, and values that are not strings are ignored.
    - ``<``: TREC's SGML, ``<DOC><DOCNO>d1</DOCNO> ... </DOC>``. The elements of a document are its fields, without
      their inner tags; text outside any element is the field ``text``.
    - otherwise lines of id, tab, text. If the first line starts with one of the names of an id above, it is a header
      that names the columns, and each further column is a field.

    Processes that build an index parse these files in parallel; with any other iterable of documents, they only
    analyze the text. Repeated ids are not detected by this class but when an index is built.

    Parameters
    ----------
    *sources : str or path-like
        Paths, ``"-"`` for standard input, or ``"ir_datasets:"`` and the name of a collection (needs the extra
        ``collections``).

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "docs.tsv")
    >>> _ = path.write_text("id\ttitle\ttext\nd1\tFlutter\tof swept wings\n")
    >>> list(DocumentFiles(path))
    [Document(id='d1', fields={'title': 'Flutter', 'text': 'of swept wings'})]
    """

    def __init__(self, *sources: str | os.PathLike[str]) -> None:
        self.sources = sources

    def __iter__(self) -> Iterator[Document]:
        for batch in self.batches():
            for identifier, fields in batch.pairs():
                yield Document(identifier, fields)

    def places(self, identifier: str) -> Iterator[str]:
        """Yield the path and line of each document with a given id, in files that can be read again.

        Parameters
        ----------
        identifier : str
        """
        for source in self.sources:
            if os.path.isfile(source):
                for batch in cut_lines(source):
                    for line, found, _ in batch.numbered():
                        if found == identifier:
                            yield f"{batch.path}:{line}"

    def batches(self) -> Iterator[Batch]:
        """Yield the documents in batches; those of files are not parsed yet."""
        for source in self.sources:
            if isinstance(source, str) and source.startswith(_IR_DATASETS):
                yield from in_batches(_read_ir_dataset(source.removeprefix(_IR_DATASETS)))
            else:
                yield from cut_lines("/dev/stdin" if source == "-" else source)


def read_documents(*sources: str | os.PathLike[str]) -> Iterator[Document]:
    r"""Yield the documents of files or of a collection of ir_datasets, one after another.

    Parameters
    ----------
    *sources : str or path-like
        Sources, as for :class:`DocumentFiles`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "docs.jsonl")
    >>> _ = path.write_text('{"id": "d1", "text": "of swept wings"}')
    >>> next(read_documents(path)).fields
    {'text': 'of swept wings'}
    """
    return iter(DocumentFiles(*sources))


def in_batches(documents: Iterable[Document]) -> Iterator[PairBatch]:
    """Yield documents in batches of bounded number and size.

    Parameters
    ----------
    documents : iterable of Document

    Examples
    --------
    >>> [len(batch.content) for batch in in_batches(Document(str(n)) for n in range(1500))]
    [1000, 500]
    """
    pairs: list[tuple[str, Fields]] = []
    n_characters = 0
    for document in documents:
        pairs.append((document.id, document.fields))
        n_characters += sum(map(len, document.fields.values()))
        if len(pairs) == _MOST_DOCUMENTS or n_characters >= _MOST_CHARACTERS:
            yield PairBatch(pairs)
            pairs, n_characters = [], 0
    if pairs:
        yield PairBatch(pairs)


def _read_ir_dataset(name: str) -> Iterator[Document]:
    try:
        import ir_datasets
    except ImportError:
        raise MissingDependencyError("ir_datasets", "collections", "reading its collections") from None
    try:
        dataset = ir_datasets.load(name)
    except KeyError:
        raise UnknownNameError("collection of ir_datasets", name, list(ir_datasets.registry)) from None
    if not dataset.has_docs():
        raise InvalidDataError(f"the collection {name!r} of ir_datasets has no documents, only queries or judgments")
    documents = iter(dataset.docs_iter())
    while True:
        try:
            document = next(documents, None)
        except Exception as error:  # its downloads and parsers may raise anything
            reason = f"ir_datasets could not read the collection {name!r}, which it keeps once it has downloaded it"
            raise RankmaxError(f"{reason}: {str(error)[:200]}") from error
        if document is None:
            return
        fields: dict[str, Any] = document._asdict()
        identifier = str(fields.pop("doc_id")).strip()
        check_ids("document id", [identifier])
        yield Document(identifier, {key: value for key, value in fields.items() if isinstance(value, str)})
