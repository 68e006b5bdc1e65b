"""Counting windows of text that hold given terms, document by document.

As in Indri, the smallest window that begins at each occurrence counts if it is no wider than allowed, and of windows
that overlap the one that begins first is kept. In an ordered window each term stands at most `width` positions after
the one before it, at its first occurrence there; in an unordered window all terms stand within `width` positions.

Postings are rows of an index: `documents[posting_offsets[r] : posting_offsets[r + 1]]` holds row r's documents, and
`position_offsets`, which has one entry more a row, says where the positions of each begin, counted from
`position_starts[r]`.
"""

from __future__ import annotations

import numpy as np

from rankmax._arrays import I32, I64
from rankmax._kernels.compilation import njit


def ordered_windows(
    rows: I64,
    width: int,
    posting_offsets: I64,
    documents: I32,
    position_starts: I64,
    position_offsets: I32,
    positions: I32,
) -> tuple[I32, I32]:
    """Return the documents with windows in which the terms of `rows` follow each other, and the number in each."""
    once = np.ones(rows.size, np.int64)
    found: tuple[I32, I32] = _windows(
        True, rows, once, width, posting_offsets, documents, position_starts, position_offsets, positions
    )
    return found


def unordered_windows(
    rows: I64,
    multiplicities: I64,
    width: int,
    posting_offsets: I64,
    documents: I32,
    position_starts: I64,
    position_offsets: I32,
    positions: I32,
) -> tuple[I32, I32]:
    """Return the documents with windows that hold each of the distinct `rows` as often as asked, and how many."""
    found: tuple[I32, I32] = _windows(
        False, rows, multiplicities, width, posting_offsets, documents, position_starts, position_offsets, positions
    )
    return found


@njit(cache=True, nogil=True)
def _windows(
    ordered: bool,
    rows: I64,
    multiplicities: I64,
    width: int,
    posting_offsets: I64,
    documents: I32,
    position_starts: I64,
    position_offsets: I32,
    positions: I32,
) -> tuple[I32, I32]:
    at, ends, begins, stops, found, counts = _prepare(rows, posting_offsets)
    n_found = 0
    while _next_common(documents, at, ends):
        _locate(rows, at, posting_offsets, position_starts, position_offsets, begins, stops)
        if ordered:
            count = _count_ordered(positions, begins, stops, width)
        else:
            count = _count_unordered(positions, begins, stops, multiplicities, width)
        if count > 0:
            found[n_found] = documents[at[0]]
            counts[n_found] = count
            n_found += 1
        at[0] += 1
    return found[:n_found].copy(), counts[:n_found].copy()


@njit(cache=True)
def _prepare(rows: I64, posting_offsets: I64) -> tuple[I64, I64, I64, I64, I32, I32]:
    at = np.empty(rows.size, np.int64)
    ends = np.empty(rows.size, np.int64)
    fewest = np.iinfo(np.int64).max
    for t in range(rows.size):
        at[t] = posting_offsets[rows[t]]
        ends[t] = posting_offsets[rows[t] + 1]
        fewest = min(fewest, ends[t] - at[t])
    scratch = np.empty((2, rows.size), np.int64)
    return at, ends, scratch[0], scratch[1], np.empty(fewest, np.int32), np.empty(fewest, np.int32)


@njit(cache=True)
def _next_common(documents: I32, at: I64, ends: I64) -> bool:
    """Move all cursors forward to the next document they share; False when there is none."""
    if at[0] == ends[0]:
        return False
    target = documents[at[0]]
    agreed = 0
    t = 0
    while agreed < at.size:
        at[t] = _seek(documents, at[t], ends[t], target)
        if at[t] == ends[t]:
            return False
        if documents[at[t]] == target:
            agreed += 1
        else:
            target = documents[at[t]]
            agreed = 1
        t = t + 1 if t + 1 < at.size else 0
    return True


@njit(cache=True)
def _seek(documents: I32, begin: int, end: int, target: int) -> int:
    """Return the first place from `begin` on whose document is not below `target`, in steps that double."""
    step = 1
    while begin < end and documents[begin] < target:
        begin += step
        step *= 2
    if step <= 2:
        return begin
    low = begin - step // 2 + 1  # the place before it is known to be below the target
    high = min(begin, end)
    while low < high:
        middle = (low + high) // 2
        if documents[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True)
def _locate(
    rows: I64,
    at: I64,
    posting_offsets: I64,
    position_starts: I64,
    position_offsets: I32,
    begins: I64,
    stops: I64,
) -> None:
    """Fill in where the positions of each row's current document begin and stop."""
    for t in range(rows.size):
        slot = at[t] + rows[t]
        begins[t] = position_starts[rows[t]] + position_offsets[slot]
        stops[t] = position_starts[rows[t]] + position_offsets[slot + 1]


@njit(cache=True)
def _count_ordered(positions: I32, begins: I64, stops: I64, width: int) -> int:
    count = 0
    last = -1
    for first in range(begins[0], stops[0]):
        if positions[first] <= last:
            continue
        previous = positions[first]
        matches = True
        for t in range(1, begins.size):
            while begins[t] < stops[t] and positions[begins[t]] <= previous:
                begins[t] += 1
            if begins[t] == stops[t]:
                return count
            if positions[begins[t]] - previous > width:
                matches = False
                break
            previous = positions[begins[t]]
        if matches:
            count += 1
            last = previous
    return count


@njit(cache=True)
def _count_unordered(positions: I32, begins: I64, stops: I64, multiplicities: I64, width: int) -> int:
    count = 0
    while True:
        first = np.iinfo(np.int32).max
        last = -1
        for t in range(begins.size):
            if begins[t] + multiplicities[t] > stops[t]:
                return count
            first = min(first, positions[begins[t]])
            last = max(last, positions[begins[t] + multiplicities[t] - 1])
        if last - first < width:
            count += 1
            next_first = last + 1
        else:  # a window that begins later ends no earlier, so this is the first that can be narrow enough
            next_first = last - width + 1
        for t in range(begins.size):
            while begins[t] < stops[t] and positions[begins[t]] < next_first:
                begins[t] += 1
