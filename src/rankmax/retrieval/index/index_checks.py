"""Consistency checks of an index, needed before compiled code may use its numbers.

Checksums detect damage, not malice: whoever edits an index can write matching checksums. Sizes and offsets are
therefore checked when an index is opened, which takes as long as reading them once, and the postings of a term on
first use, as an index may be far larger than the part that one search reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import I32, I64
from rankmax.data.ids import WORD
from rankmax.errors import DataFormatError
from rankmax.retrieval.index.text_store import BLOCK


def check_arrays(folder: Path, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise unless the sizes of all arrays are consistent and all offsets increase to the sizes of their targets.

    Parameters
    ----------
    folder : path
        Index to name in error messages.
    meta : mapping
        Result of :func:`~rankmax.retrieval.index.file_format.read_meta`.
    arrays : mapping
        Result of :func:`~rankmax.retrieval.index.file_format.open_arrays`.
    """
    n_documents, n_terms = meta["n_documents"], meta["n_terms"]
    n_rows = len(meta["fields"]) * n_terms
    n_blocks = arrays["stored_firsts"].size

    def require(name: str, holds: bool | np.bool_, expected: str) -> None:
        if not holds:
            raise bad_array(folder, name, expected)

    for name, size in (
        ("term_offsets", n_terms + 1),
        ("id_offsets", n_documents + 1),
        ("lengths", len(meta["fields"]) * n_documents),
        ("posting_offsets", n_rows + 1),
        ("position_starts", n_rows + 1),
        ("position_offsets", arrays["documents"].size + n_rows),
        ("stored_offsets", n_blocks + 1),
        ("columns", len(meta["columns"]) * n_documents),
    ):
        require(name, arrays[name].size == size, f"{size} entries")
    for name, target, padding in (
        ("term_offsets", "term_bytes", WORD),
        ("id_offsets", "id_bytes", WORD),
        ("posting_offsets", "documents", 0),
        ("position_starts", "positions", 0),
        ("stored_offsets", "stored_bytes", 0),
    ):
        offsets, size = arrays[name], arrays[target].size - padding
        rises = offsets[0] == 0 and offsets[-1] == size and (offsets[1:] >= offsets[:-1]).all()
        require(name, rises, f"offsets that increase from 0 to {size}, the length of {target}.bin")
    require("id_offsets", (arrays["id_offsets"][1:] > arrays["id_offsets"][:-1]).all(), "no empty identifier")
    printed = arrays["id_bytes"][:-WORD].min(initial=255) > ord(" ")  # a blank would end an id in a run
    require("id_bytes", printed, "identifiers without blanks")
    lengths = arrays["lengths"].reshape(len(meta["fields"]), n_documents)
    n_occurrences = np.diff(arrays["position_starts"][::n_terms]) if n_rows else np.zeros(len(lengths), np.int64)
    sound = (lengths >= 0).all() and np.array_equal(lengths.sum(axis=1, dtype=np.int64), n_occurrences)
    require("lengths", sound, "as many terms in each field as there are positions")
    firsts = np.append(arrays["stored_firsts"], n_documents)
    if n_blocks:
        steps = np.diff(firsts)
        sound = firsts[0] == 0 and steps.min() >= 1 and steps.max() <= BLOCK
        require("stored_firsts", sound, f"blocks of 1 to {BLOCK} documents")


def bad_array(folder: Path, name: str, expected: str) -> DataFormatError:
    """Return the error for an array that does not conform to the format.

    Parameters
    ----------
    folder : path
    name : str
        Name of the array.
    expected : str
    """
    return DataFormatError(folder / f"{name}.bin", f"damaged: expected {expected}; build the index again")


class CheckedPostings:
    """The postings of an index by row, checked on first use.

    Parameters
    ----------
    folder : path
        Index to name in error messages.
    n_documents : int
    arrays : mapping
        Arrays of the index, which passed :func:`check_arrays`.
    """

    def __init__(self, folder: Path, n_documents: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._folder = folder
        self._n_documents = n_documents
        self.posting_offsets: I64 = arrays["posting_offsets"]
        self.documents: I32 = arrays["documents"]
        self.position_starts: I64 = arrays["position_starts"]
        self.position_offsets: I32 = arrays["position_offsets"]
        self.positions: I32 = arrays["positions"]
        # Several threads may check the same row: they get the same result.
        self._checked: set[int] = set()
        self._positions_checked: set[int] = set()

    @property
    def arrays(self) -> tuple[I64, I32, I64, I32, I32]:
        """All five arrays, as kernels take them."""
        return self.posting_offsets, self.documents, self.position_starts, self.position_offsets, self.positions

    def check_row(self, row: int) -> None:
        """Raise unless documents and frequencies of a row are valid."""
        if row not in self._checked:
            self._check(row, row + 1)
            self._checked.add(row)

    def check_rows(self, first: int, last: int) -> None:
        """Raise unless documents and frequencies of all rows from `first` to before `last` are valid."""
        self._check(first, last)

    def check_positions(self, row: int) -> None:
        """Raise unless a row is valid, including its positions."""
        from rankmax._kernels.text.postings_checks import positions_ascend

        self.check_row(row)
        if row not in self._positions_checked:
            if not positions_ascend(*self.places(row)):
                raise bad_array(self._folder, "positions", "positions that ascend within a document")
            self._positions_checked.add(row)

    def places(self, row: int) -> tuple[I32, I32]:
        """Return the start of each document's positions in a row, and the positions."""
        first, last = self.posting_offsets[row : row + 2].tolist()
        begin, end = self.position_starts[row : row + 2].tolist()
        return self.position_offsets[first + row : last + row + 1], self.positions[begin:end]

    def _check(self, first: int, last: int) -> None:
        from rankmax._kernels.text.postings_checks import first_bad_postings

        bad, is_documents = first_bad_postings(first, last, self._n_documents, *self.arrays[:4])
        if bad >= 0 and is_documents:
            raise bad_array(self._folder, "documents", f"numbers below {self._n_documents} that ascend within a term")
        if bad >= 0:
            raise bad_array(
                self._folder, "position_offsets", "offsets that increase to the number of a term's positions"
            )
