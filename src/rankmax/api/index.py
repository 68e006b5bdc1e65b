"""`rankmax.index`: a positional index of documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rankmax.errors import InvalidDataError
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_columns import read_columns
from rankmax.retrieval.index.document_files import Document, DocumentFiles
from rankmax.retrieval.index.inverted_index import Index


def index(
    documents: Any,
    path: str | os.PathLike[str],
    *,
    stem: str = "none",
    stop: str | Sequence[str] = "none",
    fields: Sequence[str] | None = None,
    store: Sequence[str] = (),
    columns: str | os.PathLike[str] | None = None,
    column_default: float | None = None,
    memory: int = 512 << 20,
    jobs: int = 1,
    replace: bool = False,
    callback: Callable[[int], None] | None = None,
) -> Index:
    """Index documents by term, field and position; the folder appears complete or not at all.

    Parameters
    ----------
    documents : path, sequence of paths, mapping of str to str, or iterable of Document or of mappings
        Files of JSON lines, tab-separated lines or TREC's SGML; texts by document id; or, as in JSON lines, mappings
        with "id" and a text for each field.
    path : path
        Folder to write.
    stem : {"none", "porter", "porter2", "krovetz"}, default "none"
        Stemmer.
    stop : str or sequence of str, default "none"
        Name of a list of stop words, or the words.
    fields : sequence of str, optional
        Fields to index; by default all.
    store : sequence of str
        Fields whose text is stored for display; by default none.
    columns : path, optional
        Table of numbers or dates by document id: query-independent features.
    column_default : float, optional
        Value of documents that the table lacks; by default they are an error.
    memory : int
        Memory for postings in bytes (512 MiB by default); beyond it they go to disk.
    jobs : int, default 1
        Number of processes; the index does not depend on it.
    replace : bool, default False
        Whether an index at `path` is replaced.
    callback : callable, optional
        Receives the number of documents done so far.

    Returns
    -------
    Index

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index({"d1": "flow over a wing", "d2": "heat"}, f"{folder}/docs.index").n_documents
    2
    """
    return build_index(
        _documents(documents),
        path,
        analyzer=Analyzer(stop=stop if isinstance(stop, str) else tuple(stop), stemmer=stem),
        fields=fields,
        store=tuple(store),
        columns=None if columns is None else read_columns(columns),
        column_default=column_default,
        memory=memory,
        n_jobs=jobs,
        replace=replace,
        progress=callback,
    )


def _documents(documents: Any) -> DocumentFiles | Iterable[Document]:
    if isinstance(documents, Mapping):
        return [Document(str(name), {"text": text}) for name, text in documents.items()]
    if isinstance(documents, str | os.PathLike):
        return DocumentFiles(os.fspath(documents))
    listed = list(documents)
    if listed and all(isinstance(one, str | os.PathLike) for one in listed):
        return DocumentFiles(*map(os.fspath, listed))
    return [one if isinstance(one, Document) else _document(one) for one in listed]


def _document(given: Any) -> Document:
    if not isinstance(given, Mapping) or "id" not in given:
        example = {"id": "d1", "text": "wing flutter"}
        raise InvalidDataError(f"a document is {given!r}; expected a mapping such as {example}")
    return Document(str(given["id"]), {str(field): str(text) for field, text in given.items() if field != "id"})
