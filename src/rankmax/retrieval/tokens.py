"""Batches of documents turned into arrays of tokens: the part of building that runs in several processes."""

from __future__ import annotations

import multiprocessing
import signal
from array import array
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice

import numpy as np

from rankmax.arrays import I32
from rankmax.data.ids import Ids
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.retrieval.analyzer import Analyzer
from rankmax.retrieval.documents import Document
from rankmax.retrieval.store import pack_texts

_MOST_DOCUMENTS = 1000  # in a batch
_MOST_CHARACTERS = 1 << 20
_BATCHES_HERE = 32  # analysed before other processes are started, which takes as long


@dataclass(frozen=True)
class FieldTokens:
    """The terms of one field of a batch's documents, back to back.

    Parameters
    ----------
    lengths : array of int32
        Number of terms of each document.
    terms, positions : arrays of int32
        Of each token.
    """

    lengths: I32
    terms: I32
    positions: I32


@dataclass(frozen=True)
class TokenBatch:
    """What a batch of documents gives to an index.

    Parameters
    ----------
    ids : Ids
    vocabulary : sequence of str
        The terms by the numbers they have in this batch.
    fields : mapping
        The tokens of each field that occurs.
    texts : sequence of bytes
        Blocks of text to keep.
    names : set of str
        All fields that occur, those not looked at included.
    """

    ids: Ids
    vocabulary: Sequence[str]
    fields: Mapping[str, FieldTokens]
    texts: Sequence[bytes]
    names: set[str]


class Numbering(defaultdict[str, int]):
    """Numbers for strings, in the order in which they are first asked for.

    Examples
    --------
    >>> numbers = Numbering()
    >>> numbers["wing"], numbers["flow"], numbers["wing"]
    (0, 1, 0)
    """

    def __init__(self, strings: Iterable[str] = ()) -> None:
        super().__init__()
        self.default_factory = self.__len__
        for string in strings:
            self[string]  # asking for it gives it a number


def tokenise(
    documents: Sequence[Document], analyzer: Analyzer, fields: Sequence[str] | None, store: Sequence[str]
) -> TokenBatch:
    """Analyse a batch of documents.

    Parameters
    ----------
    documents : sequence of Document
    analyzer : Analyzer
    fields : sequence of str, optional
        Fields to look at; None for all.
    store : sequence of str
        Fields whose text is kept.

    Examples
    --------
    >>> batch = tokenise([Document("d1", {"text": "The wing of the wing"})], Analyzer(stop="short"), None, [])
    >>> batch.vocabulary, batch.fields["text"].terms, batch.fields["text"].positions
    (['wing'], array([0, 0], dtype=int32), array([1, 4], dtype=int32))
    """
    numbers = Numbering([""])  # number 0 is for words without a term
    tokens: dict[str, array[int]] = {}
    n_words: dict[str, I32] = {}
    names: set[str] = set()
    for d, document in enumerate(documents):
        names.update(document.fields)
        for name, text in document.fields.items():
            if fields is not None and name not in fields:
                continue
            if name not in tokens:
                tokens[name] = array("i")
                n_words[name] = np.zeros(len(documents), np.int32)
            words = analyzer.slots(text)
            n_words[name][d] = len(words)
            tokens[name].extend(map(numbers.__getitem__, words))
    by_field = {name: _without_gaps(np.frombuffer(tokens[name], np.int32), n_words[name]) for name in tokens}
    texts = pack_texts(documents, store) if store else []
    return TokenBatch(_ids(documents), list(numbers)[1:], by_field, texts, names)


def _without_gaps(numbers: I32, n_words: I32) -> FieldTokens:
    """Drop the words without a term; positions count them."""
    document = np.repeat(np.arange(n_words.size), n_words)
    position = np.arange(numbers.size) - (np.cumsum(n_words) - n_words)[document]
    kept = numbers > 0
    lengths = np.bincount(document[kept], minlength=n_words.size)
    return FieldTokens(lengths.astype(np.int32), numbers[kept] - np.int32(1), position[kept].astype(np.int32))


def _ids(documents: Sequence[Document]) -> Ids:
    try:
        return Ids.from_strings(document.id for document in documents)
    except UnicodeEncodeError as error:
        raise InvalidDataError(f"the document id {error.object!r} cannot be written as UTF-8") from None


def token_batches(
    documents: Iterable[Document],
    analyzer: Analyzer,
    fields: Sequence[str] | None,
    store: Sequence[str] = (),
    *,
    n_jobs: int,
) -> Iterator[TokenBatch]:
    """Analyse a stream of documents, batch after batch in its order, in `n_jobs` processes when it is long.

    Parameters
    ----------
    documents : iterable of Document
    analyzer, fields, store
        As in :func:`tokenise`.
    n_jobs : int
        Only a few batches a process are in memory at any time.
    """
    batches = _batches(documents)
    for batch in batches if n_jobs == 1 else islice(batches, _BATCHES_HERE):
        yield tokenise(batch, analyzer, fields, store)
    following = next(batches, None)
    if following is None:
        return
    context = multiprocessing.get_context("spawn")
    # A terminal's Ctrl-C reaches all processes; this one decides.
    quiet = (signal.SIGINT, signal.SIG_IGN)
    with ProcessPoolExecutor(n_jobs, mp_context=context, initializer=signal.signal, initargs=quiet) as pool:
        under_way: deque[Future[TokenBatch]] = deque()
        try:
            while under_way or following is not None:
                while following is not None and len(under_way) < 2 * n_jobs:
                    pairs = [(document.id, document.fields) for document in following]
                    under_way.append(pool.submit(_tokenise_pairs, pairs, analyzer, fields, store))
                    following = next(batches, None)
                yield under_way.popleft().result()
        except BrokenProcessPool:
            raise IncompatibleError(
                "a process that analyses documents ended unexpectedly; a script that builds an index with n_jobs > 1 "
                'must do so below `if __name__ == "__main__":`'
            ) from None
        finally:
            for future in under_way:
                future.cancel()


def _tokenise_pairs(
    pairs: Sequence[tuple[str, dict[str, str]]],
    analyzer: Analyzer,
    fields: Sequence[str] | None,
    store: Sequence[str],
) -> TokenBatch:
    """Analyse documents given as plain tuples, which are packed for another process in a sixth of the time."""
    return tokenise([Document(*pair) for pair in pairs], analyzer, fields, store)


def _batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    n_characters = 0
    for document in documents:
        batch.append(document)
        n_characters += sum(map(len, document.fields.values()))
        if len(batch) == _MOST_DOCUMENTS or n_characters >= _MOST_CHARACTERS:
            yield batch
            batch, n_characters = [], 0
    if batch:
        yield batch
