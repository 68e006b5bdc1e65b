"""Batches of documents turned into arrays of tokens: the part of building that runs in several processes."""

from __future__ import annotations

import multiprocessing
import os
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from rankmax.arrays import I32
from rankmax.data.documents import check_ids
from rankmax.data.ids import Ids
from rankmax.errors import IncompatibleError
from rankmax.interrupts import uninterrupted_children
from rankmax.retrieval.analyzer import Analyzer, letter_table, spaced_words
from rankmax.retrieval.documents import Batch
from rankmax.retrieval.lines import Fields
from rankmax.retrieval.store import pack_texts

_WORTH_STARTING = 32  # batches: analysing fewer takes no longer than starting other processes


@dataclass(frozen=True)
class FieldTokens:
    """The words of one field of a batch's documents, back to back.

    Parameters
    ----------
    n_words : array of int32
        Of each document.
    terms : array of int32
        Of each word, -1 for a word without a term.
    """

    n_words: I32
    terms: I32


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


class Tokeniser:
    """Turns batches of documents into arrays of tokens.

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
    >>> batch.vocabulary, batch.fields["text"].terms
    (['wing'], array([-1,  0, -1, -1,  0], dtype=int32))
    """

    def __init__(self, analyzer: Analyzer, fields: Sequence[str] | None = None, store: Sequence[str] = ()) -> None:
        self._analyzer = analyzer
        self._fields = fields
        self._store = store

    def tokens(self, pairs: Iterable[tuple[str, Fields]]) -> TokenBatch:
        """Analyse documents, given as ids and fields."""
        ids: list[str] = []
        texts: dict[str, list[bytes]] = {}
        kept: list[Fields] = []
        names: set[str] = set()
        for identifier, fields in pairs:
            names.update(fields)
            for name, text in fields.items():
                if self._fields is None or name in self._fields:
                    found = texts.setdefault(name, [])
                    found += [b""] * (len(ids) - len(found))  # of documents without the field
                    found.append(spaced_words(text, lowercase=self._analyzer.lowercase))
            ids.append(identifier)
            if self._store:
                kept.append({name: fields[name] for name in self._store if name in fields})
        numbers = Numbering([""])  # 0 is for words without a term
        by_field = {name: self._analyse(texts[name], len(ids), numbers) for name in texts}
        check_ids("document id", ids)
        return TokenBatch(Ids.from_strings(ids), list(numbers)[1:], by_field, pack_texts(kept), names)

    def _analyse(self, texts: list[bytes], n_documents: int, numbers: Numbering) -> FieldTokens:
        from rankmax.kernels.words import number_words

        ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
        text = np.frombuffer(b"".join(texts), np.uint8)
        word_numbers, n_words, spelled = number_words(text, ends, letter_table(lowercase=self._analyzer.lowercase))
        words = spelled.tobytes().decode().split()
        terms = np.fromiter(map(numbers.__getitem__, self._analyzer.terms(words)), np.int32, len(words))
        absent = np.zeros(n_documents - len(texts), np.int32)
        return FieldTokens(np.concatenate([n_words, absent]), terms[word_numbers] - np.int32(1))


def token_batches(batches: Iterator[Batch], tokeniser: Tokeniser, *, n_jobs: int) -> Iterator[TokenBatch]:
    """Analyse batches of documents in their order, in `n_jobs` processes when there are many.

    Parameters
    ----------
    batches : iterator of Batch
    tokeniser : Tokeniser
    n_jobs : int
        Only a few batches a process are in memory at any time.
    """
    ahead = list(islice(batches, _WORTH_STARTING)) if n_jobs > 1 else []
    waiting = chain(ahead, batches)
    if n_jobs == 1 or len(ahead) < _WORTH_STARTING:
        for batch in waiting:
            yield tokeniser.tokens(batch.pairs())
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_jobs, mp_context=context, initializer=_begin, initargs=(tokeniser,)) as pool:
        under_way: deque[Future[TokenBatch]] = deque()
        try:
            with uninterrupted_children():
                others = [pool.submit(os.getpid) for _ in range(n_jobs)]  # answered when one is ready
            for batch in waiting:
                if not any(other.done() for other in others):
                    yield tokeniser.tokens(batch.pairs())
                    continue
                under_way.append(pool.submit(_tokens, batch))
                if len(under_way) == 2 * n_jobs:
                    yield under_way.popleft().result()
            while under_way:
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
    tokeniser.tokens([("none", {"none": ""})])  # loads compiled code


def _tokens(batch: Batch) -> TokenBatch:
    return _tokeniser.tokens(batch.pairs())
