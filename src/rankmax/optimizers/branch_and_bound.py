"""The global maximum of a metric over the weights of a few features, with a proof."""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count, product, repeat

import numpy as np
from numpy.typing import ArrayLike

from rankmax.arrays import F64, readonly
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.lines.objective import LinearObjective
from rankmax.optimizers.layered import Layered, layered
from rankmax.spaces import Euclidean, ParameterSpace, Simplex

MOST_FEATURES = 6
"""Cells of more dimensions are too many to finish, and their edges do not fit into a byte."""

_OPEN = 255
_CELLS_AT_ONCE = 8  # whatever the number of threads, so that this changes nothing
_LITTLE, _MUCH = 1 << 17, 1 << 22  # looks at pairs of documents, until there are cells for all threads and then
_MOST_CODES = 1 << 16
_MOST_WAITING = 4096


@dataclass(frozen=True)
class ProofProgress:
    """How far a proof is.

    Attributes
    ----------
    value : float
        The best found.
    bound : float
        No weights are worth more.
    n_cells : int
        Cells cut so far.
    seconds : float
    """

    value: float
    bound: float
    n_cells: int
    seconds: float

    @property
    def gap(self) -> float:
        """How much more than the best found is not ruled out."""
        return self.bound - self.value


@dataclass(frozen=True, eq=False)
class Proof:
    """What is proven of a metric over all weights.

    Attributes
    ----------
    weights : array, shape (n_features,)
        The best found.
    value : float
        The mean of the metric there, scores compared in exact arithmetic.
    bound : float
        No weights of the space are worth more.
    cuts : bytes
        The faces of the space, cut into cells none of which is worth more than the bound; see
        kernels/cell_search.py for the codes and :func:`faces` for the order of the faces.
    n_cells : int
        Cells that were cut.
    history : tuple of ProofProgress
        One for each time that value or bound had changed.
    stopped_by : str
        "proven", "seconds", "cells", "precision" (cells have become as small as numbers get) or "interrupted".
    """

    weights: F64
    value: float
    bound: float
    cuts: bytes
    n_cells: int
    history: tuple[ProofProgress, ...]
    stopped_by: str

    @property
    def gap(self) -> float:
        """How much more than the best found is not ruled out; 0 where the maximum is proven."""
        return self.bound - self.value


def faces(space: ParameterSpace, n_features: int) -> list[F64]:
    """Return the open simplexes that a space consists of, each by its vertices, as far as rankings can tell.

    The simplex of d weights has 2^d - 1 faces. Weights of any sign, but not all 0, are positive multiples of points on
    the 3^d - 1 faces of the cross-polytope. Their order is that of the weights' signs, 0 before 1 before -1.

    Parameters
    ----------
    space : ParameterSpace
        :class:`~rankmax.spaces.simplex.Simplex` or :class:`~rankmax.spaces.euclidean.Euclidean`.
    n_features : int

    Examples
    --------
    >>> [len(vertices) for vertices in faces(Simplex(), 3)]
    [1, 1, 2, 1, 2, 2, 3]
    >>> len(faces(Euclidean(), 2)), faces(Euclidean(), 2)[-1]
    (8, array([[-1.,  0.],
           [ 0., -1.]]))
    """
    if type(space) not in (Simplex, Euclidean):
        raise IncompatibleError(f"nothing is proven over the space {space.name}; take simplex or euclidean")
    signs = (0.0, 1.0) if isinstance(space, Simplex) else (0.0, 1.0, -1.0)
    return [np.diag(pattern)[np.flatnonzero(pattern)] for pattern in product(signs, repeat=n_features) if any(pattern)]


@dataclass(frozen=True)
class BranchAndBound:
    r"""Cut the space of weights into cells until none can hold weights that are better than the best found.

    In a cell, an open simplex of weights, the order of two documents is settled if it is the same at all vertices, as
    scores are linear in the weights. What is settled bounds every document's rank, and so the metric of every query
    (see kernels/cell_bounds.py). A cell whose bound is no more than the best value found is done with;
    the others are cut, those with the highest bound first. So at any time no weights are worth more than the highest
    bound that is left, and where that is the best value found, it is the maximum.

    Cells are open and their faces are cells of their own, so documents that tie on a face are ordered there as the
    metric orders them, and nothing is left out. Scores are compared in exact arithmetic. What is proven holds for the
    numbers in the data and all real weights.

    Parameters
    ----------
    gap : float
        Stop where no weights are worth more than this above the best found; 0: the maximum itself.
    seconds : float, optional
        Stop after so long.
    cells : int, optional
        Stop after cutting so many cells, about.
    n_threads : int, optional
        As many as there are processors when left out; changes nothing but the time.

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.metrics import AP
    >>> objective = LinearObjective(planted_linear(20, 10, 3, noise=0.5, seed=2).data, AP())
    >>> proof = BranchAndBound().prove(objective)
    >>> proof.gap, proof.stopped_by
    (0.0, 'proven')
    >>> abs(objective.at(proof.weights).value - proof.value) < 1e-9
    True

    References
    ----------
    Land & Doig 1960 for branch and bound. Metzler & Croft 2007, section 2.3, ask whether the metric is nearly concave
    over the simplex; with the maximum known, how far an ascent is from it can be told.
    """

    gap: float = 0.0
    seconds: float | None = None
    cells: int | None = None
    n_threads: int | None = None

    def __post_init__(self) -> None:
        if not (self.gap >= 0 and math.isfinite(self.gap)):
            raise InvalidParameterError(f"gap is {self.gap}; give a number from 0")
        for name in ("seconds", "cells", "n_threads"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InvalidParameterError(f"{name} is {value}; give a positive number, or leave it out")

    def prove(
        self,
        objective: LinearObjective,
        space: ParameterSpace | None = None,
        *,
        start: ArrayLike | None = None,
        callback: Callable[[ProofProgress], None] | None = None,
    ) -> Proof:
        """Find the maximum; an interrupt (Ctrl-C) returns what is proven so far.

        Parameters
        ----------
        objective : LinearObjective
            Of 1 to 6 features, with a metric that is tables.
        space : ParameterSpace, optional
            :class:`~rankmax.spaces.simplex.Simplex`, also when left out, or
            :class:`~rankmax.spaces.euclidean.Euclidean`.
        start : array-like, optional
            Good weights of the space, if some are known: the better they are, the fewer cells are cut.
        callback : callable, optional
            Called with a :class:`ProofProgress` several times a second.
        """
        space = Simplex() if space is None else space
        if not 1 <= objective.n_features <= MOST_FEATURES:
            raise IncompatibleError(
                f"{objective.n_features} features: the maximum can be proven for 1 to {MOST_FEATURES}; choose those "
                "that matter most"
            )
        search = _Search(layered(objective), self, faces(space, objective.n_features), callback)
        uniform = space.start(objective.n_features)
        search.try_weights(uniform)
        if start is not None:
            search.try_weights(space.project(start))
        return search.run()


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


class _Search:
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
        """Take some weights for the best if they are: a point is a cell in which everything is settled."""
        point = np.array(weights, np.float64)
        value = int(self._metric.settle(point[None]).bound[0])
        if value > self._best:
            self._best, self._weights = value, point

    def run(self) -> Proof:
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
