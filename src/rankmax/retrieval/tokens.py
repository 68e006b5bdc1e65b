"""Batches of documents turned into arrays of tokens: the part of building that runs in several processes."""

from __future__ import annotations

import multiprocessing
import os
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
from rankmax.data.documents import check_ids
from rankmax.data.ids import Ids
from rankmax.errors import IncompatibleError
from rankmax.retrieval.analyzer import Analyzer, split_words
from rankmax.retrieval.documents import Batch
from rankmax.retrieval.lines import Fields
from rankmax.retrieval.store import pack_texts

_BATCHES_HERE = 8  # analysed before other processes are started, which takes as long
_MOST_REMEMBERED = 1 << 18  # words whose number is kept; 40 MB


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


class _WordNumbers(dict[str, int]):
    """The number of each word's term, 0 for words without one; worked out when a word is first asked for."""

    def __init__(self, analyzer: Analyzer) -> None:
        super().__init__()
        self._analyzer = analyzer
        self._terms = Numbering([""])

    def __missing__(self, word: str) -> int:
        number = self[word] = self._terms[self._analyzer.term(word)]
        return number

    def terms(self) -> list[str]:
        """Return all terms by number."""
        return list(self._terms)


class Tokeniser:
    """Turns batches of documents into arrays of tokens; what it remembers of words makes it fast, nothing else.

    Parameters
    ----------
    analyzer : Analyzer
    fields : sequence of str, optional
        Fields to look at; None for all.
    store : sequence of str
        Fields whose text is kept.

    Examples
    --------
    >>> batch = Tokeniser(Analyzer(stop="short")).tokens([("d1", {"text": "The wing of the wing"})])
    >>> batch.vocabulary, batch.fields["text"].terms, batch.fields["text"].positions
    (['wing'], array([0, 0], dtype=int32), array([1, 4], dtype=int32))
    """

    def __init__(self, analyzer: Analyzer, fields: Sequence[str] | None = None, store: Sequence[str] = ()) -> None:
        self._analyzer = analyzer
        self._fields = fields
        self._store = store
        self._numbers = _WordNumbers(analyzer)

    def __reduce__(self) -> tuple[type[Tokeniser], tuple[Analyzer, Sequence[str] | None, Sequence[str]]]:
        return Tokeniser, (self._analyzer, self._fields, self._store)  # remembered words stay behind

    def tokens(self, pairs: Iterable[tuple[str, Fields]]) -> TokenBatch:
        """Analyse documents, given as ids and fields."""
        if len(self._numbers) > _MOST_REMEMBERED:
            self._numbers = _WordNumbers(self._analyzer)
        number_of, lowercase = self._numbers.__getitem__, self._analyzer.lowercase
        numbers: dict[str, array[int]] = {}
        n_words: dict[str, array[int]] = {}
        ids: list[str] = []
        kept: list[Fields] = []
        names: set[str] = set()
        for identifier, fields in pairs:
            names.update(fields)
            for name, text in fields.items():
                if self._fields is not None and name not in self._fields:
                    continue
                if name not in numbers:
                    numbers[name], n_words[name] = array("i"), array("i")
                words = split_words(text, lowercase=lowercase)
                numbers[name].extend(map(number_of, words))
                _put(n_words[name], len(ids), len(words))
            ids.append(identifier)
            if self._store:
                kept.append({name: fields[name] for name in self._store if name in fields})
        vocabulary, renumbered = self._renumbered(numbers.values())
        by_field: dict[str, FieldTokens] = {}
        for name in numbers:
            _put(n_words[name], len(ids), 0)
            by_field[name] = _without_gaps(renumbered[numbers[name]], np.array(n_words[name][:-1]))
        return TokenBatch(_packed(ids), vocabulary, by_field, pack_texts(kept), names)

    def _renumbered(self, found: Iterable[array[int]]) -> tuple[list[str], I32]:
        """Return the terms that occur, and their number by the number they have here; -1 for no term."""
        terms = self._numbers.terms()
        occurs = np.zeros(len(terms), np.bool_)
        for numbers in found:
            occurs[numbers] = True
        occurs[0] = False
        (used,) = np.nonzero(occurs)
        renumbered = np.full(len(terms), -1, np.int32)
        renumbered[used] = np.arange(used.size)
        return [terms[number] for number in used.tolist()], renumbered


def _put(counts: array[int], place: int, count: int) -> None:
    """Append a count at a place; those left out before it are 0."""
    counts.frombytes(bytes(counts.itemsize * (place - len(counts))))
    counts.append(count)


def _without_gaps(terms: I32, n_words: I32) -> FieldTokens:
    """Drop the words without a term; positions count them."""
    document = np.repeat(np.arange(n_words.size), n_words)
    position = np.arange(terms.size) - (np.cumsum(n_words) - n_words)[document]
    kept = terms >= 0
    lengths = np.bincount(document[kept], minlength=n_words.size)
    return FieldTokens(lengths.astype(np.int32), terms[kept], position[kept].astype(np.int32))


def _packed(ids: Sequence[str]) -> Ids:
    check_ids("document id", ids)
    return Ids.from_strings(ids)


def token_batches(batches: Iterator[Batch], tokeniser: Tokeniser, *, n_jobs: int) -> Iterator[TokenBatch]:
    """Analyse batches of documents in their order, in `n_jobs` processes when there are many.

    Parameters
    ----------
    batches : iterator of Batch
    tokeniser : Tokeniser
    n_jobs : int
        Only a few batches a process are in memory at any time.
    """
    for batch in batches if n_jobs == 1 else islice(batches, _BATCHES_HERE):
        yield tokeniser.tokens(batch.pairs())
    following = next(batches, None)
    if following is None:
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_jobs, mp_context=context, initializer=_begin, initargs=(tokeniser,)) as pool:
        under_way: deque[Future[TokenBatch]] = deque()
        try:
            started = pool.submit(os.getpid)
            while following is not None and not started.done():  # starting takes as long as a few batches
                yield tokeniser.tokens(following.pairs())
                following = next(batches, None)
            while under_way or following is not None:
                while following is not None and len(under_way) < 2 * n_jobs:
                    under_way.append(pool.submit(_tokens, following))
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


_tokeniser: Tokeniser  # of a process that analyses batches for another


def _begin(tokeniser: Tokeniser) -> None:
    global _tokeniser
    _tokeniser = tokeniser
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C reaches all processes; the first one decides


def _tokens(batch: Batch) -> TokenBatch:
    return _tokeniser.tokens(batch.pairs())
