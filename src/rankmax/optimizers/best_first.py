"""Best-first branch and bound over cells of weights: the cell with the highest bound is searched first."""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count, repeat
from typing import TYPE_CHECKING

import numpy as np

from rankmax._arrays import F64, readonly
from rankmax._io.interrupts import plain_interrupts
from rankmax.optimizers.layered import LayeredObjective
from rankmax.optimizers.proof import Proof, ProofProgress

if TYPE_CHECKING:
    from rankmax.optimizers.branch_and_bound import BranchAndBound

_CELLS_AT_ONCE = 8  # whatever the number of threads, so that this changes nothing
_LITTLE, _MUCH = 1 << 17, 1 << 22  # looks at pairs of documents, until there are cells for all threads and then
_MOST_CODES = 1 << 16
_MOST_LEFT = 4096
_NOTHING = -(1 << 62)  # less than any value in units


@dataclass(frozen=True, eq=False)
class _OpenCell:
    """A cell that waits to be searched; the one with the highest bound comes first, then the oldest.

    Attributes
    ----------
    bound : float
        In units; infinite where it is not known yet.
    serial : int
        The number of the cell, in the order in which they were found.
    vertices : array, shape (n_vertices, n_features)
    """

    bound: float
    serial: int
    vertices: F64

    def __lt__(self, other: _OpenCell) -> bool:
        return (-self.bound, self.serial) < (-other.bound, other.serial)


@dataclass(frozen=True, eq=False)
class _Searched:
    """What search_cell found in a cell.

    Attributes
    ----------
    codes : bytes
        The cuts; see _kernels/cells/cell_search.py.
    n_cut : int
        Cells cut.
    left : list of (int, array)
        Bound and vertices of the cells left open, in the order of their codes.
    best : int
        The best value, at `weights` if it is better than what was known.
    weights : array, shape (n_features,)
    highest_leaf : int
        The highest bound of a leaf.
    """

    codes: bytes
    n_cut: int
    left: list[tuple[int, F64]]
    best: int
    weights: F64
    highest_leaf: int


class BestFirstSearch:
    """A search that takes the most promising cells first, several at once, and keeps what became of each.

    Parameters
    ----------
    layered : LayeredObjective
    limits : BranchAndBound
    roots : list of array
        Vertices of the cells that cover the space.
    callback : callable, optional
        Called with a :class:`~rankmax.optimizers.proof.ProofProgress` after each round.
    """

    def __init__(
        self,
        layered: LayeredObjective,
        limits: BranchAndBound,
        roots: list[F64],
        callback: Callable[[ProofProgress], None] | None,
    ) -> None:
        self._layered = layered
        self._limits = limits
        self._gap = int(limits.gap * layered.scale)
        self._callback = callback
        self._began = time.monotonic()
        self._serials = count()
        self._roots = [self._open(math.inf, vertices) for vertices in roots]
        self._heap = list(self._roots)
        self._codes: dict[int, tuple[bytes, list[_OpenCell]]] = {}  # by serial: the codes, and the cells left open
        self._best = _NOTHING
        self._weights: F64 = roots[-1].mean(axis=0)
        self._highest_leaf: float = _NOTHING
        self._n_cells = 0
        self._history: list[ProofProgress] = []

    def try_weights(self, weights: F64) -> None:
        """Keep the given weights if they are better than the best so far.

        Parameters
        ----------
        weights : array, shape (n_features,)
        """
        point = np.array(weights, np.float64)
        value = self._layered.at(point)
        if value > self._best:
            self._best, self._weights = value, point

    def run(self) -> Proof:
        """Cut cells until a limit is reached or none is left to cut."""
        from rankmax._kernels.threads import n_threads

        self._search(self._roots[0], self._best, 0)  # compiles, which does not count as search time
        self._began = time.monotonic()
        stopped_by = None
        with ThreadPoolExecutor(self._limits.n_threads or n_threads()) as pool:
            try:
                while stopped_by is None:
                    cells = list(self._next_cells())
                    work = _LITTLE if len(self._heap) < _CELLS_AT_ONCE else _MUCH
                    found = pool.map(self._search, cells, repeat(self._best), repeat(work))
                    with plain_interrupts():
                        for cell, result in zip(cells, found, strict=True):
                            self._record(cell, result)
                    self._report()
                    stopped_by = self._reason_to_stop()
            except KeyboardInterrupt:
                if not self._history:
                    raise
                stopped_by = "interrupted"
        value = self._layered.value(self._best)
        return Proof(
            weights=readonly(self._weights),
            value=value,
            bound=max(value, self._history[-1].bound),
            cuts=self._joined_codes(),
            n_cells=self._n_cells,
            history=tuple(self._history),
            stopped_by=stopped_by,
        )

    def _open(self, bound: float, vertices: F64) -> _OpenCell:
        return _OpenCell(bound, next(self._serials), vertices)

    def _next_cells(self) -> Iterator[_OpenCell]:
        """Take the cells to work on: all that have no bound yet, then those with the highest."""
        n = 0
        while self._heap and (n < _CELLS_AT_ONCE or self._heap[0].bound == math.inf):
            yield heapq.heappop(self._heap)
            n += 1

    def _search(self, cell: _OpenCell, known: int, work: int) -> _Searched:
        """Cut a cell up until no part is worth more than `known`, or some work is done."""
        from rankmax._kernels.cells.cell_search import CellsLeft, search_cell

        first = self._layered.settled_cell(cell.vertices)
        if cell.bound < math.inf:
            first.bound[0] = min(first.bound[0], int(cell.bound))
        n_features = cell.vertices.shape[1]
        codes = np.empty(_MOST_CODES, np.uint8)
        room = CellsLeft(
            vertices=np.empty((_MOST_LEFT, n_features, n_features)),
            n_vertices=np.empty(_MOST_LEFT, np.int64),
            bounds=np.empty(_MOST_LEFT, np.int64),
        )
        weights = np.empty(n_features)
        n_codes, n_cut, n_left, best, highest_leaf = search_cell(
            self._layered.metric, first, known, self._gap, work, codes, room, weights
        )
        left = [(int(room.bounds[i]), room.vertices[i, : room.n_vertices[i]].copy()) for i in range(n_left)]
        return _Searched(codes[:n_codes].tobytes(), n_cut, left, best, weights, highest_leaf)

    def _record(self, cell: _OpenCell, found: _Searched) -> None:
        """Keep the codes of a cell, and let the cells that are left of it wait."""
        parts = [self._open(bound, vertices) for bound, vertices in found.left]
        self._codes[cell.serial] = found.codes, parts
        for part in parts:
            heapq.heappush(self._heap, part)
        self._n_cells += found.n_cut
        self._highest_leaf = max(self._highest_leaf, found.highest_leaf)
        if found.best > self._best:
            self.try_weights(found.weights)

    def _bound(self) -> float:
        """Return what no weights are worth more than: the highest bound of a leaf or a cell that waits."""
        left = self._heap[0].bound if self._heap else -math.inf
        return self._layered.value(max(self._highest_leaf, left))

    def _reason_to_stop(self) -> str | None:
        if not self._heap or self._heap[0].bound <= self._best + self._gap:
            return "proven" if self._highest_leaf <= self._best + self._gap else "precision"
        limits = self._limits
        if limits.seconds is not None and time.monotonic() - self._began >= limits.seconds:
            return "seconds"
        return "cells" if limits.cells is not None and self._n_cells >= limits.cells else None

    def _report(self) -> None:
        value = self._layered.value(self._best)
        seconds = time.monotonic() - self._began
        progress = ProofProgress(value, max(value, self._bound()), self._n_cells, seconds)
        if not self._history or (progress.value, progress.bound) != (self._history[-1].value, self._history[-1].bound):
            self._history.append(progress)
        if self._callback is not None:
            self._callback(progress)

    def _joined_codes(self) -> bytes:
        """Return the codes of the whole space: those of every cell stand where it was left open."""
        cuts = bytearray()
        left = self._roots[::-1]
        streams: list[Iterator[bytes | _OpenCell]] = []
        while left or streams:
            if not streams:
                streams.append(self._pieces(left.pop()))
            piece = next(streams[-1], None)
            if piece is None:
                streams.pop()
            elif isinstance(piece, _OpenCell):
                streams.append(self._pieces(piece))
            else:
                cuts += piece
        return bytes(cuts)

    def _pieces(self, cell: _OpenCell) -> Iterator[bytes | _OpenCell]:
        """Yield the codes of a cell, and between them the cells that were left open."""
        from rankmax._kernels.cells.cell_search import OPEN

        if cell.serial not in self._codes:
            yield bytes([OPEN])
            return
        codes, parts = self._codes[cell.serial]
        *stretches, last = codes.split(bytes([OPEN]))
        for stretch, part in zip(stretches, parts, strict=True):
            yield stretch
            yield part
        yield last
