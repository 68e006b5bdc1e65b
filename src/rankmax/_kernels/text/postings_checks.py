"""Whether the postings of an index keep to its format, so that other kernels need not look where they step."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import I32, I64
from rankmax._kernels.compilation import njit


@njit(cache=True, nogil=True)
def first_bad_postings(
    first_row: int,
    last_row: int,
    n_documents: int,
    posting_offsets: I64,
    documents: I32,
    position_starts: I64,
    position_offsets: I32,
) -> tuple[int, bool]:
    """Return the first row whose postings are wrong, -1 if none is, and whether it is their documents.

    Documents must ascend within the collection, and each have a position of its own among those of the row.

    Parameters
    ----------
    first_row, last_row : int
        Rows to look at, the last one excluded.
    n_documents : int
    posting_offsets, position_starts : int64
        Known to rise from 0 to the number of postings and of positions.
    documents, position_offsets : int32
        As many as the offsets say.
    """
    for row in range(first_row, last_row):
        begin = posting_offsets[row]
        end = posting_offsets[row + 1]
        previous = np.int64(-1)
        for posting in range(begin, end):
            if documents[posting] <= previous:
                return row, True
            previous = np.int64(documents[posting])
        if previous >= n_documents:
            return row, True
        reached = np.int64(position_offsets[begin + row])
        if reached != 0:
            return row, False
        for posting in range(begin, end):
            if position_offsets[posting + row + 1] <= reached:
                return row, False
            reached = np.int64(position_offsets[posting + row + 1])
        if reached != position_starts[row + 1] - position_starts[row]:
            return row, False
    return -1, False


@njit(cache=True, nogil=True)
def positions_ascend(offsets: I32, positions: I32) -> bool:
    """Return whether the positions of each document of a row ascend from 0 or more.

    Parameters
    ----------
    offsets : int32
        Where in `positions` those of each document begin; known to rise from 0 to their number.
    positions : int32
    """
    for document in range(offsets.size - 1):
        previous = np.int64(-1)
        for place in range(offsets[document], offsets[document + 1]):
            if positions[place] <= previous:
                return False
            previous = np.int64(positions[place])
    return True
