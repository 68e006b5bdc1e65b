"""The global maximum of a metric over the weights of a few features, with a proof."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from rankmax.arrays import readonly
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.lines.objective import LinearObjective
from rankmax.optimizers.best_first import BestFirst
from rankmax.optimizers.faces import Box, faces
from rankmax.optimizers.layered import largest_weights, layered
from rankmax.optimizers.proof import Proof, ProofProgress
from rankmax.spaces import ParameterSpace, Simplex

MOST_FEATURES = 6
"""Cells of more dimensions are too many to finish, and their edges do not fit into a byte."""


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
        space: ParameterSpace | Box | None = None,
        *,
        start: ArrayLike | None = None,
        callback: Callable[[ProofProgress], None] | None = None,
    ) -> Proof:
        """Find the maximum; an interrupt (Ctrl-C) returns what is proven so far.

        Parameters
        ----------
        objective : LinearObjective
            Of 1 to 6 features, with a metric that is tables.
        space : ParameterSpace or Box, optional
            :class:`~rankmax.spaces.simplex.Simplex`, also when left out,
            :class:`~rankmax.spaces.euclidean.Euclidean`, or a :class:`~rankmax.optimizers.faces.Box`.
        start : array-like, optional
            Good weights of the space, if some are known: the better they are, the fewer cells are cut.
        callback : callable, optional
            Called with a :class:`~rankmax.optimizers.proof.ProofProgress` several times a second.
        """
        space = Simplex() if space is None else space
        if not 1 <= objective.n_features <= MOST_FEATURES:
            raise IncompatibleError(
                f"{objective.n_features} features: the maximum can be proven for 1 to {MOST_FEATURES}; choose those "
                "that matter most"
            )
        roots = faces(space, objective.n_features)
        metric = layered(objective, largest=largest_weights(roots))
        search = BestFirst(metric, self, roots, callback)
        uniform = space.start(objective.n_features)
        search.try_weights(uniform)
        if start is not None:
            search.try_weights(space.project(start))
        proof = search.run()
        inside = space.project(proof.weights)  # where documents tie, a multiple may be all that is exact
        return replace(proof, weights=readonly(inside)) if metric.at(inside) >= metric.at(proof.weights) else proof
