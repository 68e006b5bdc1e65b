"""Lookup of equal (query, document) pairs over whole columns.

Pairs are compared by 64-bit keys, and matches are checked byte by byte; if two different pairs ever share a key, a
dictionary is used instead. The results are therefore exact, and fast.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankmax._arrays import I64, U64
from rankmax.data.ids import Ids

_QUERY_FACTOR = np.uint64(0xD6E8FEB86659FD93)
_KEY_FACTOR = np.uint64(0xFF51AFD7ED558CCD)
_SLOTS_PER_KEY = 8
_SLICE = 1 << 16  # keys looked up at a time, so that derived arrays stay in cache


def pair_keys(query: I64, documents: Ids) -> U64:
    """Return a 64-bit key of each pair: equal for equal pairs, nearly always different for others.

    Examples
    --------
    >>> keys = pair_keys(np.array([0, 0, 1]), Ids.from_strings(["a", "a", "a"]))
    >>> bool(keys[0] == keys[1]), bool(keys[0] == keys[2])
    (True, False)
    """
    keys = query.astype(np.uint64)
    keys *= _QUERY_FACTOR
    keys ^= documents.hashes()
    keys *= _KEY_FACTOR
    return keys


def first_rows(query: I64, documents: Ids) -> I64:
    """Return, for each row, the first row with the same pair, which may be the row itself.

    Examples
    --------
    >>> first_rows(np.array([0, 0, 1, 0]), Ids.from_strings(["a", "b", "a", "a"]))
    array([0, 1, 2, 0])
    """
    keys = pair_keys(query, documents)
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    begins = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))[: keys.size]
    first = np.empty(keys.size, np.int64)
    first[order] = np.repeat(order[begins], np.diff(begins, append=keys.size))
    if _same_pairs(query, documents, query[first], documents.take(first)):
        return first
    seen: dict[tuple[int, bytes], int] = {}
    return np.array([seen.setdefault(pair, row) for row, pair in enumerate(_pairs(query, documents))], np.int64)


def find_pairs(query: I64, documents: Ids, in_query: I64, in_documents: Ids) -> I64:
    """Return, for each row, the row of the second table with the same pair, or -1.

    The pairs of the second table must be distinct.

    Examples
    --------
    >>> judged = Ids.from_strings(["b", "c"])
    >>> find_pairs(np.array([0, 0, 1]), Ids.from_strings(["a", "b", "c"]), np.array([0, 0]), judged)
    array([-1,  0, -1])
    """
    table = _KeyTable(pair_keys(in_query, in_documents))
    found = np.empty(query.size, np.int64)
    for start in range(0, query.size, _SLICE):
        part = slice(start, start + _SLICE)
        found[part] = table.find(pair_keys(query[part], documents[part]))
    rows = np.flatnonzero(found >= 0)
    matches = found[rows]
    if _same_pairs(query[rows], documents.take(rows), in_query[matches], in_documents.take(matches)):
        return found
    known = {pair: row for row, pair in enumerate(_pairs(in_query, in_documents))}
    return np.array([known.get(pair, -1) for pair in _pairs(query, documents)], np.int64)


def in_trec_order(query: I64, documents: Ids) -> I64:
    """Return the rows by query, each query's documents by descending id, as trec_eval ranks equal scores.

    Parameters
    ----------
    query : array of int64
    documents : Ids

    Examples
    --------
    >>> in_trec_order(np.array([0, 0, 1, 0]), Ids.from_strings(["d1", "d2", "d1", "d10"]))
    array([1, 3, 0, 2])
    """
    descending = documents.ascending()[::-1]
    return descending[np.argsort(query[descending], kind="stable")]


class _KeyTable:
    """Positions of keys in an array.

    A table indexed by the top bits of a key, its slot, gives the position in the sorted array at which the slot begins.
    Most slots are empty and few hold more than one key, so this is faster than a binary search.
    """

    def __init__(self, keys: U64) -> None:
        self._order = np.argsort(keys)
        self._keys = keys[self._order]
        n_bits = (_SLOTS_PER_KEY * keys.size + 1).bit_length()
        self._shift = np.uint64(64 - n_bits)
        slots = self._slots(self._keys)
        begins = np.flatnonzero(np.diff(slots, prepend=-1))
        self._begin = np.full(1 << n_bits, -1, np.int64)
        self._begin[slots[begins]] = begins
        self._goes_on = np.diff(slots, append=-1) == 0

    def find(self, sought: U64) -> I64:
        """Return a position of each key, or -1 if it does not occur."""
        found = np.full(sought.size, -1, np.int64)
        position = self._begin[self._slots(sought)]
        rows = np.flatnonzero(position >= 0)
        position = position[rows]
        while rows.size:
            hit = self._keys[position] == sought[rows]
            found[rows[hit]] = self._order[position[hit]]
            left = self._goes_on[position] & ~hit
            rows, position = rows[left], position[left] + 1
        return found

    def _slots(self, keys: U64) -> I64:
        return (keys >> self._shift).view(np.int64)


def _same_pairs(query: I64, documents: Ids, other_query: I64, other_documents: Ids) -> bool:
    return np.array_equal(query, other_query) and bool(documents.equal(other_documents).all())


def _pairs(query: I64, documents: Ids) -> Iterator[tuple[int, bytes]]:
    return zip(query.tolist(), documents.to_bytes(), strict=True)
