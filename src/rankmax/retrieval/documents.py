"""Documents of a text collection, and the formats they are read from.

All readers stream: one document is in memory at a time. Every format may be gzipped.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from rankmax.data.documents import check_ids
from rankmax.errors import DataFormatError, InvalidDataError, MissingDependencyError, RankmaxError, UnknownNameError
from rankmax.files import open_binary
from rankmax.retrieval.sgml import read_sgml

_ID_KEYS = ("id", "_id", "docno", "doc_id", "docid")
_IR_DATASETS = "ir_datasets:"
_EXPECTED = "expected JSON lines, lines of id, tab, text, or TREC's <DOC><DOCNO>"
_SHOWN = 60  # characters of a bad line in a message

_Lines = Iterator[tuple[int, bytes]]  # with their numbers
_Found = Iterator[tuple[int, Any, dict[str, str]]]  # line, id and fields of each document


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
    fields: dict[str, str] = field(default_factory=dict)


def read_documents(*sources: str | os.PathLike[str]) -> Iterator[Document]:
    r"""Yield the documents of files or of a collection known to ir_datasets, one after the other.

    The first character of a file tells its format:

    - ``{``: JSON lines. An object's id is its ``id``, ``_id``, ``docno``, ``doc_id`` or ``docid``, a string or an
      integer; its other strings are fields, and what is not a string is read past.
    - ``<``: TREC's SGML, ``<DOC><DOCNO>d1</DOCNO> ... </DOC>``. The elements of a document are its fields, without
      their inner tags; text outside of any element is the field ``text``.
    - else lines of id, tab, text. When the first line starts with one of the names of an id above, it is a header
      that names the columns, and each further column is a field.

    Ids that occur twice are not looked for here: whoever gathers the documents has to.

    Parameters
    ----------
    *sources : str or path-like
        Paths, or ``"ir_datasets:"`` and the name of a collection (needs the extra ``collections``).

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "docs.tsv")
    >>> _ = path.write_text("id\ttitle\ttext\nd1\tFlutter\tof swept wings\n")
    >>> list(read_documents(path))
    [Document(id='d1', fields={'title': 'Flutter', 'text': 'of swept wings'})]
    """
    for source in sources:
        if isinstance(source, str) and source.startswith(_IR_DATASETS):
            yield from _read_ir_dataset(source.removeprefix(_IR_DATASETS))
        else:
            yield from _read_file(source)


def _read_file(path: str | os.PathLike[str]) -> Iterator[Document]:
    number = 0

    def counted(lines: Iterable[bytes]) -> _Lines:
        nonlocal number  # the line that a reader is at when it fails
        for number, line in enumerate(lines, 1):
            yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line

    with open_binary(path) as file:
        lines = counted(file)
        first = next(((n, line) for n, line in lines if not line.isspace()), None)
        if first is None:
            raise DataFormatError(path, f"empty file; {_EXPECTED}")
        found = _reader_of(first[1])(chain([first], lines))
        n_documents = 0
        try:
            for number, identifier, fields in found:  # noqa: B007
                yield Document(_checked(identifier), fields)
                n_documents += 1
        except UnicodeDecodeError as error:
            reason = f"not UTF-8 text (byte 0x{error.object[error.start]:02x}); convert it, as with iconv -t utf-8"
            raise DataFormatError(path, reason, line=number) from None
        except (ValueError, RecursionError) as error:
            raise DataFormatError(path, str(error), line=number) from None
        if not n_documents:
            raise DataFormatError(path, f"no documents; {_EXPECTED}")


def _reader_of(first: bytes) -> Callable[[_Lines], _Found]:
    start = first.lstrip()[:1]
    return _read_json if start == b"{" else read_sgml if start == b"<" else _read_tabs


def _checked(identifier: Any) -> str:
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        return str(identifier)
    if not isinstance(identifier, str):
        raise ValueError(f"the document's id must be a string or an integer, not {identifier!r}")
    stripped = str(identifier).strip()
    check_ids("document id", [stripped])
    return stripped


def _read_json(lines: _Lines) -> _Found:
    import msgspec

    decoder = msgspec.json.Decoder()
    for number, line in lines:
        if line.isspace():
            continue
        try:
            content = decoder.decode(line)
        except msgspec.DecodeError as error:
            raise ValueError(f"not JSON ({error}): {_shortened(line)!r}") from None
        if not isinstance(content, dict):
            raise ValueError(f"expected a JSON object, found {_shortened(line)!r}")
        id_key = next((key for key in _ID_KEYS if key in content), None)
        if id_key is None:
            has = ", ".join(content) or "nothing"
            raise ValueError(f"expected a JSON object with one of {', '.join(_ID_KEYS)}; it has {has}")
        identifier = content.pop(id_key)
        yield number, identifier, {key: value for key, value in content.items() if isinstance(value, str)}


def _read_tabs(lines: _Lines) -> _Found:
    names: list[str] | None = None
    first = True
    for number, raw in lines:
        line = raw.decode().rstrip("\r\n")
        if not line.strip():
            continue
        identifier, tab, text = line.partition("\t")
        if not tab:
            raise ValueError(f"expected id, tab, text, found {_shortened(raw)!r}")
        if first and identifier.strip().lower() in _ID_KEYS:
            names = _column_names(text)
        elif names is None:
            yield number, identifier, {"text": text}
        else:
            values = text.split("\t")
            if len(values) != len(names):
                raise ValueError(f"expected {len(names) + 1} columns as in the header, found {len(values) + 1}")
            yield number, identifier, dict(zip(names, values, strict=True))
        first = False


def _column_names(header: str) -> list[str]:
    names = [name.strip() for name in header.split("\t")]
    if not all(names) or len(set(names)) < len(names):
        raise ValueError(f"the header must name every column once, found {', '.join(map(repr, names))}")
    return names


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
        except Exception as error:  # whatever its downloads and parsers raise
            raise RankmaxError(f"ir_datasets could not read the collection {name!r}: {error}") from error
        if document is None:
            return
        fields = document._asdict()
        identifier = _checked(fields.pop("doc_id"))
        yield Document(identifier, {key: value for key, value in fields.items() if isinstance(value, str)})


def _shortened(line: bytes) -> str:
    text = line[: 4 * _SHOWN].decode(errors="replace").strip()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
