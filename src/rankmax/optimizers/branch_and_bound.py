"""Branch and bound: the global maximum of a metric over the weights of a few features, with a proof."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from rankmax._arrays import readonly
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.optimizers.best_first import BestFirstSearch
from rankmax.optimizers.faces import Box, faces
from rankmax.optimizers.layered import largest_weights, layered_objective
from rankmax.optimizers.proof import Proof, ProofProgress
from rankmax.spaces import ParameterSpace, Simplex

MOST_FEATURES = 6
"""Cells of more dimensions are too many to finish, and their edges do not fit into the byte of a cut."""


@dataclass(frozen=True)
class BranchAndBound:
    r"""Cut the space of weights into cells until none can contain better weights than the best found.

    In a cell, an open simplex of weights, the order of two documents is settled if it is the same at all vertices, as
    scores are linear in the weights. What is settled bounds every document's rank, and so the metric of every query
    (see _kernels/cells/__init__.py). A cell whose bound is no more than the best value found is done with;
    the others are cut, those with the highest bound first. So at any time no weights are worth more than the highest
    bound that is left, and where that is the best value found, it is the maximum.

    Cells are open and their faces are separate cells, so documents that tie on a face are ordered as the metric orders
    ties, and no weights are left out. Scores are compared in exact arithmetic. The proof holds for the numbers in the
    data and all real weights.

    Parameters
    ----------
    gap : float
        Stop when no weights can exceed the best value found by more than this; 0: prove the maximum itself.
    seconds : float, optional
        Time limit in seconds.
    cells : int, optional
        Approximate maximum number of cells to cut.
    n_threads : int, optional
        Number of threads, which changes only the time; by default one per processor.

    Examples
    --------
    >>> from rankmax.data import planted_linear
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
    over the simplex; with the maximum known, the distance of an ascent from it is known, too.
    """

    gap: float = 0.0
    seconds: float | None = None
    cells: int | None = None
    n_threads: int | None = None

    def __post_init__(self) -> None:
        if not (self.gap >= 0 and math.isfinite(self.gap)):
            raise InvalidParameterError(f"gap is {self.gap}; give a nonnegative number")
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
        """Find and prove the maximum; an interrupt (Ctrl-C) returns the bounds proven so far.

        Parameters
        ----------
        objective : LinearObjective
            Objective with 1 to 6 features and a metric defined by tables.
        space : ParameterSpace or Box, optional
            :class:`~rankmax.spaces.simplex.Simplex` (the default),
            :class:`~rankmax.spaces.euclidean.Euclidean`, or a :class:`~rankmax.optimizers.faces.Box`.
        start : array-like, optional
            Good weights of the space, if known: the better they are, the fewer cells are cut.
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
        layered = layered_objective(objective, largest=largest_weights(roots))
        search = BestFirstSearch(layered, self, roots, callback)
        uniform = space.start(objective.n_features)
        search.try_weights(uniform)
        if start is not None:
            search.try_weights(space.project(start))
        proof = search.run()
        inside = space.project(proof.weights)  # where documents tie, a multiple may be all that is exact
        return replace(proof, weights=readonly(inside)) if layered.at(inside) >= layered.at(proof.weights) else proof
