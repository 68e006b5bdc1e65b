"""Which (query, document) pairs are equal, over whole columns.

Pairs are compared by 64-bit keys, and what the keys find is checked byte by byte: should two different pairs ever
share a key, the same question is answered by a dictionary instead. So the answers are exact, and fast.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankmax.arrays import I64, U64
from rankmax.data.ids import Ids

_QUERY_FACTOR = np.uint64(0xD6E8FEB86659FD93)
_KEY_FACTOR = np.uint64(0xFF51AFD7ED558CCD)
_SLOTS_PER_KEY = 8


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
    """Return, for each row, the first row that holds the same pair (itself where it is the first).

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
    """Return, for each row, the row of the second table that holds the same pair, or -1.

    The pairs of the second table are all different.

    Examples
    --------
    >>> judged = Ids.from_strings(["b", "c"])
    >>> find_pairs(np.array([0, 0, 1]), Ids.from_strings(["a", "b", "c"]), np.array([0, 0]), judged)
    array([-1,  0, -1])
    """
    found = _find_keys(pair_keys(query, documents), pair_keys(in_query, in_documents))
    rows = np.flatnonzero(found >= 0)
    matches = found[rows]
    if _same_pairs(query[rows], documents.take(rows), in_query[matches], in_documents.take(matches)):
        return found
    known = {pair: row for row, pair in enumerate(_pairs(in_query, in_documents))}
    return np.array([known.get(pair, -1) for pair in _pairs(query, documents)], np.int64)


def _find_keys(keys: U64, in_keys: U64) -> I64:
    """Return, for each key, a position of `in_keys` that holds it, or -1.

    A table by the keys' top bits, their slot, says where in the sorted `in_keys` a slot begins. Most slots are
    empty and few hold more than one key, so this beats a binary search.
    """
    found = np.full(keys.size, -1, np.int64)
    if not in_keys.size:
        return found
    order = np.argsort(in_keys)
    ranked = in_keys[order]
    n_bits = (_SLOTS_PER_KEY * in_keys.size).bit_length()
    shift = np.uint64(64 - n_bits)
    slots = (ranked >> shift).view(np.int64)
    goes_on = np.append(slots[1:] == slots[:-1], False)
    begins = np.flatnonzero(np.append(True, ~goes_on[:-1]))
    begin_of_slot = np.full(1 << n_bits, -1, np.int64)
    begin_of_slot[slots[begins]] = begins
    position = begin_of_slot[(keys >> shift).view(np.int64)]
    rows = np.flatnonzero(position >= 0)
    position, sought = position[rows], keys[rows]
    while rows.size:
        hit = ranked[position] == sought
        found[rows[hit]] = order[position[hit]]
        left = goes_on[position] & ~hit
        rows, position, sought = rows[left], position[left] + 1, sought[left]
    return found


def _same_pairs(query: I64, documents: Ids, other_query: I64, other_documents: Ids) -> bool:
    return np.array_equal(query, other_query) and bool(documents.equal(other_documents).all())


def _pairs(query: I64, documents: Ids) -> Iterator[tuple[int, bytes]]:
    return zip(query.tolist(), documents.to_bytes(), strict=True)
