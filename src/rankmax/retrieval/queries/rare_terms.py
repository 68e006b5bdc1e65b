"""Rare terms of queries, by an index or by a table of document frequencies."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from rankmax._io.files import read_bytes
from rankmax.errors import DataFormatError, InvalidDataError, not_utf8
from rankmax.preprocessing.query_features import RARE_TERMS, TEXT
from rankmax.retrieval.index.inverted_index import Index

RARE_SHARE = 0.01
"""Share of the documents up to which a term is rare."""
_WORD = re.compile(r"\w+")


def rare_share(terms: Iterable[str], frequency: Callable[[str], int], n_documents: int) -> float:
    """Return the share of terms that at most 1% of the documents have; 0 without terms.

    Parameters
    ----------
    terms : iterable of str
        A term that occurs twice counts twice.
    frequency : callable
        Returns the number of documents that have a term, 0 for an unknown one.
    n_documents : int

    Examples
    --------
    >>> rare_share(["flutter", "of", "wing", "of"], {"flutter": 1, "wing": 2, "of": 90}.get, 100)
    0.25
    """
    rare = [frequency(term) <= RARE_SHARE * n_documents for term in terms]
    return sum(rare) / len(rare) if rare else 0.0


def with_rare_terms(
    rows: Mapping[str, Mapping[str, str]], source: str | os.PathLike[str] | Mapping[str, int] | Index
) -> dict[str, dict[str, str]]:
    r"""Return what is known of queries with one column more, the share of rare terms.

    Parameters
    ----------
    rows : mapping of str to mapping of str to str
        Columns by query, of which "text" is the text.
    source : Index, path, or mapping of str to int
        An index of ``rankmax index``, whose analyzer cuts the text into terms, and of whose fields the one counts in
        which most documents have the term; or document frequencies by lower-case word: a mapping, or a file with lines
        of word, tab, number. Where no number of documents is told, the largest frequency stands for it.

    Examples
    --------
    >>> with_rare_terms({"q1": {"text": "Flutter of the wing"}}, {"flutter": 3, "wing": 50, "of": 900, "the": 1000})
    {'q1': {'text': 'Flutter of the wing', 'rare terms': '0.25'}}
    """
    if isinstance(source, str | os.PathLike):
        source = Index.open(source) if Path(source).is_dir() else read_frequencies(source)
    index = source if isinstance(source, Index) else None
    table = {} if isinstance(source, Index) else source
    n_documents = index.n_documents if index is not None else max(table.values(), default=0)

    def frequency(term: str) -> int:
        if index is None:
            return table.get(term, 0)
        return max(index.document_frequency(term, field) for field in index.fields)

    found = {}
    for query, row in rows.items():
        if TEXT not in row:
            raise InvalidDataError(f"query {query!r} has no text in the topics, of which to find the rare terms")
        if RARE_TERMS in row:
            raise InvalidDataError(f"the topics have a column {RARE_TERMS!r} of their own: leave the terms out")
        terms = _WORD.findall(row[TEXT].lower()) if index is None else index.analyzer.analyze(row[TEXT])
        found[query] = {**row, RARE_TERMS: repr(rare_share(terms, frequency, n_documents))}
    return found


def read_frequencies(path: str | os.PathLike[str]) -> dict[str, int]:
    r"""Read document frequencies: lines of word, tab, number; words of any case, whose numbers must not conflict.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "frequencies.tsv")
    ...     _ = path.write_text("wing\t50\nthe\t1000\n")
    ...     read_frequencies(path)
    {'wing': 50, 'the': 1000}
    """
    try:
        lines = read_bytes(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise DataFormatError(path, not_utf8(error)) from None
    found: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        word, tab, count = line.partition("\t")
        if not tab or not word or not count.strip().isascii() or not count.strip().isdigit():
            said = "expected a word, a tab and the number of documents that have it"
            raise DataFormatError(path, f"{said}, not {line[:60]!r}", line=number)
        word = word.lower()
        if found.setdefault(word, int(count)) != int(count):
            raise DataFormatError(path, f"{word!r} occurs twice, with different numbers", line=number)
    if not found:
        raise DataFormatError(path, "has no words: expected lines of word, tab, number of documents")
    return found
