"""Cells of weights that wait to be cut: the one with the highest bound first."""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count, repeat
from typing import TYPE_CHECKING

import numpy as np

from rankmax.arrays import F64, readonly
from rankmax.interrupts import plain_interrupts
from rankmax.optimizers.layered import Layered
from rankmax.optimizers.proof import Proof, ProofProgress

if TYPE_CHECKING:
    from rankmax.optimizers.branch_and_bound import BranchAndBound

_OPEN = 255
_CELLS_AT_ONCE = 8  # whatever the number of threads, so that this changes nothing
_LITTLE, _MUCH = 1 << 17, 1 << 22  # looks at pairs of documents, until there are cells for all threads and then
_MOST_CODES = 1 << 16
_MOST_WAITING = 4096


@dataclass(order=True)
class _Waiting:
    """A cell that waits; the one with the highest bound comes first, then the oldest."""

    rank: tuple[float, int]
    vertices: F64 = field(compare=False)

    @property
    def bound(self) -> float:
        return -self.rank[0]


@dataclass(eq=False)
class _Found:
    """What became of a cell."""

    codes: bytes
    n_cut: int
    waiting: list[tuple[int, F64]]
    best: int
    weights: F64
    highest_leaf: int


class BestFirst:
    """A search that takes the most promising cells first, several at once, and keeps what became of each.

    Parameters
    ----------
    metric : Layered
    limits : BranchAndBound
    roots : list of array
        Vertices of the cells that make up the space.
    callback : callable, optional
        Called with a :class:`~rankmax.optimizers.proof.ProofProgress` after each round.
    """

    def __init__(
        self,
        metric: Layered,
        limits: BranchAndBound,
        roots: list[F64],
        callback: Callable[[ProofProgress], None] | None,
    ) -> None:
        self._metric = metric
        self._limits = limits
        self._gap = int(limits.gap * metric.scale)
        self._callback = callback
        self._began = time.monotonic()
        self._serial = count()
        self._roots = [self._wait(math.inf, vertices) for vertices in roots]
        self._heap = list(self._roots)
        self._cuts: dict[int, tuple[bytes, list[_Waiting]]] = {}
        self._best = -(1 << 62)
        self._weights: F64 = roots[-1].mean(axis=0)
        self._highest_leaf: float = -(1 << 62)
        self._n_cells = 0
        self._history: list[ProofProgress] = []

    def try_weights(self, weights: F64) -> None:
        """Take some weights for the best if they are.

        Parameters
        ----------
        weights : array, shape (n_features,)
        """
        point = np.array(weights, np.float64)
        value = self._metric.at(point)
        if value > self._best:
            self._best, self._weights = value, point

    def run(self) -> Proof:
        """Cut cells until a limit is reached or nothing is left to cut."""
        from rankmax.kernels.threads import n_threads

        self._search(self._roots[0], self._best, 0)  # compiles: that is not the search's time
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
        value = self._metric.value(self._best)
        return Proof(
            weights=readonly(self._weights),
            value=value,
            bound=max(value, self._history[-1].bound),
            cuts=self._all_cuts(),
            n_cells=self._n_cells,
            history=tuple(self._history),
            stopped_by=stopped_by,
        )

    def _wait(self, bound: float, vertices: F64) -> _Waiting:
        return _Waiting((-bound, next(self._serial)), vertices)

    def _next_cells(self) -> Iterator[_Waiting]:
        """Take the cells to work on: all that have no bound yet, then those with the highest."""
        n = 0
        while self._heap and (n < _CELLS_AT_ONCE or self._heap[0].bound == math.inf):
            yield heapq.heappop(self._heap)
            n += 1

    def _search(self, cell: _Waiting, known: int, work: int) -> _Found:
        from rankmax.kernels.cell_search import search_cell

        first = self._metric.settle(cell.vertices)
        if cell.bound < math.inf:
            first.bound[0] = min(first.bound[0], int(cell.bound))
        n_features = cell.vertices.shape[1]
        codes = np.empty(_MOST_CODES, np.uint8)
        waiting = np.empty((_MOST_WAITING, n_features, n_features))
        sizes, bounds = np.empty(_MOST_WAITING, np.int64), np.empty(_MOST_WAITING, np.int64)
        weights = np.empty(n_features)
        n_codes, n_cut, n_waiting, best, highest_leaf = search_cell(
            self._metric.problem, first, known, self._gap, work, codes, waiting, sizes, bounds, weights
        )
        left = [(int(bounds[i]), waiting[i, : sizes[i]].copy()) for i in range(n_waiting)]
        return _Found(codes[:n_codes].tobytes(), n_cut, left, best, weights, highest_leaf)

    def _record(self, cell: _Waiting, found: _Found) -> None:
        parts = [self._wait(bound, vertices) for bound, vertices in found.waiting]
        self._cuts[cell.rank[1]] = found.codes, parts
        for part in parts:
            heapq.heappush(self._heap, part)
        self._n_cells += found.n_cut
        self._highest_leaf = max(self._highest_leaf, found.highest_leaf)
        if found.best > self._best:
            self.try_weights(found.weights)

    def _bound(self) -> float:
        left = self._heap[0].bound if self._heap else -math.inf
        return self._metric.value(max(self._highest_leaf, left))

    def _reason_to_stop(self) -> str | None:
        if not self._heap or self._heap[0].bound <= self._best + self._gap:
            return "proven" if self._highest_leaf <= self._best + self._gap else "precision"
        limits = self._limits
        if limits.seconds is not None and time.monotonic() - self._began >= limits.seconds:
            return "seconds"
        return "cells" if limits.cells is not None and self._n_cells >= limits.cells else None

    def _report(self) -> None:
        value = self._metric.value(self._best)
        seconds = time.monotonic() - self._began
        progress = ProofProgress(value, max(value, self._bound()), self._n_cells, seconds)
        if not self._history or (progress.value, progress.bound) != (self._history[-1].value, self._history[-1].bound):
            self._history.append(progress)
        if self._callback is not None:
            self._callback(progress)

    def _all_cuts(self) -> bytes:
        """Put the codes of every cell in place of the mark where it was left open."""
        cuts = bytearray()
        left = self._roots[::-1]
        streams: list[Iterator[bytes | _Waiting]] = []
        while left or streams:
            if not streams:
                streams.append(self._pieces(left.pop()))
            piece = next(streams[-1], None)
            if piece is None:
                streams.pop()
            elif isinstance(piece, _Waiting):
                streams.append(self._pieces(piece))
            else:
                cuts += piece
        return bytes(cuts)

    def _pieces(self, cell: _Waiting) -> Iterator[bytes | _Waiting]:
        if cell.rank[1] not in self._cuts:
            yield bytes([_OPEN])
            return
        codes, parts = self._cuts[cell.rank[1]]
        *stretches, last = codes.split(bytes([_OPEN]))
        for stretch, part in zip(stretches, parts, strict=True):
            yield stretch
            yield part
        yield last
