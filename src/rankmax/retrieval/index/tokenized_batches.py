"""Tokenization of document batches into arrays, the part of building that runs in several processes."""

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

from rankmax._arrays import I32
from rankmax._io.interrupts import uninterrupted_children
from rankmax.data.ids import Ids
from rankmax.data.query_documents import check_ids
from rankmax.errors import IncompatibleError
from rankmax.retrieval.analysis.analyzer import Analyzer, letter_table, spaced_words
from rankmax.retrieval.index.document_files import Batch
from rankmax.retrieval.index.line_batches import Fields
from rankmax.retrieval.index.text_store import pack_texts

_WORTH_STARTING = 32  # batches: analyzing fewer takes no longer than starting other processes


@dataclass(frozen=True)
class FieldTokens:
    """The words of one field of a batch's documents, concatenated.

    Parameters
    ----------
    n_words : array of int32
        Number of words of each document.
    terms : array of int32
        Term of each word, -1 for a word without a term.
    """

    n_words: I32
    terms: I32


@dataclass(frozen=True)
class TokenBatch:
    """Result of tokenizing a batch of documents.

    Parameters
    ----------
    ids : Ids
    vocabulary : sequence of str
        Terms, by their numbers in this batch.
    fields : mapping
        Tokens by field.
    texts : sequence of bytes
        Blocks of text to store.
    names : set of str
        All fields that occur, including those that are not indexed.
    """

    ids: Ids
    vocabulary: Sequence[str]
    fields: Mapping[str, FieldTokens]
    texts: Sequence[bytes]
    names: set[str]


class Numbering(defaultdict[str, int]):
    """Numbers of strings, in the order of their first lookup.

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
            self[string]  # the lookup assigns a number


class Tokenizer:
    """Turns batches of documents into arrays of tokens.

    Parameters
    ----------
    analyzer : Analyzer
    fields : sequence of str, optional
        Fields to tokenize; None: all.
    store : sequence of str
        Fields whose text is stored.

    Examples
    --------
    >>> batch = Tokenizer(Analyzer(stop="short")).tokens([("d1", {"text": "The wing of the wing"})])
    >>> batch.vocabulary, batch.fields["text"].terms
    (['wing'], array([-1,  0, -1, -1,  0], dtype=int32))
    """

    def __init__(self, analyzer: Analyzer, fields: Sequence[str] | None = None, store: Sequence[str] = ()) -> None:
        self._analyzer = analyzer
        self._fields = fields
        self._store = store

    def tokens(self, pairs: Iterable[tuple[str, Fields]]) -> TokenBatch:
        """Analyze documents, given as ids and fields."""
        ids: list[str] = []
        texts: dict[str, list[bytes]] = {}
        kept: list[Fields] = []
        names: set[str] = set()
        for identifier, fields in pairs:
            names.update(fields)
            for name, text in fields.items():
                if self._fields is None or name in self._fields:
                    found = texts.setdefault(name, [])
                    found += [b""] * (len(ids) - len(found))  # for documents without the field
                    found.append(spaced_words(text, lowercase=self._analyzer.lowercase))
            ids.append(identifier)
            if self._store:
                kept.append({name: fields[name] for name in self._store if name in fields})
        numbers = Numbering([""])  # 0 is for words without a term
        by_field = {name: self._analyze(texts[name], len(ids), numbers) for name in texts}
        check_ids("document id", ids)
        return TokenBatch(Ids.from_strings(ids), list(numbers)[1:], by_field, pack_texts(kept), names)

    def _analyze(self, texts: list[bytes], n_documents: int, numbers: Numbering) -> FieldTokens:
        from rankmax._kernels.text.words import number_words

        ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
        text = np.frombuffer(b"".join(texts), np.uint8)
        word_numbers, n_words, spelled = number_words(text, ends, letter_table(lowercase=self._analyzer.lowercase))
        words = spelled.tobytes().decode().split()
        terms = np.fromiter(map(numbers.__getitem__, self._analyzer.terms(words)), np.int32, len(words))
        absent = np.zeros(n_documents - len(texts), np.int32)
        return FieldTokens(np.concatenate([n_words, absent]), terms[word_numbers] - np.int32(1))


def token_batches(batches: Iterator[Batch], tokenizer: Tokenizer, *, n_jobs: int) -> Iterator[TokenBatch]:
    """Analyze batches of documents in order, in `n_jobs` processes if there are many.

    Parameters
    ----------
    batches : iterator of Batch
    tokenizer : Tokenizer
    n_jobs : int
        Number of processes; only a few batches per process are in memory at any time.
    """
    ahead = list(islice(batches, _WORTH_STARTING)) if n_jobs > 1 else []
    waiting = chain(ahead, batches)
    if n_jobs == 1 or len(ahead) < _WORTH_STARTING:
        for batch in waiting:
            yield tokenizer.tokens(batch.pairs())
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_jobs, mp_context=context, initializer=_begin, initargs=(tokenizer,)) as pool:
        under_way: deque[Future[TokenBatch]] = deque()
        try:
            with uninterrupted_children():
                others = [pool.submit(os.getpid) for _ in range(n_jobs)]  # answered when one is ready
            for batch in waiting:
                if not any(other.done() for other in others):
                    yield tokenizer.tokens(batch.pairs())
                    continue
                under_way.append(pool.submit(_tokens, batch))
                if len(under_way) == 2 * n_jobs:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        except BrokenProcessPool:
            raise IncompatibleError(
                "a process that analyzes documents ended unexpectedly; a script that builds an index with n_jobs > 1 "
                'must do so below `if __name__ == "__main__":`'
            ) from None
        finally:
            for future in under_way:
                future.cancel()


_tokenizer: Tokenizer  # of a worker process


def _begin(tokenizer: Tokenizer) -> None:
    global _tokenizer
    _tokenizer = tokenizer
    tokenizer.tokens([("none", {"none": ""})])  # loads compiled code


def _tokens(batch: Batch) -> TokenBatch:
    return _tokenizer.tokens(batch.pairs())
