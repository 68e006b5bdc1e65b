"""The result of a proof, and its progress."""

from __future__ import annotations

from dataclasses import dataclass

from rankmax._arrays import F64


@dataclass(frozen=True)
class ProofProgress:
    """Progress of a proof.

    Attributes
    ----------
    value : float
        Best value found.
    bound : float
        Upper bound on the value of all weights.
    n_cells : int
        Number of cells cut so far.
    seconds : float
    """

    value: float
    bound: float
    n_cells: int
    seconds: float

    @property
    def gap(self) -> float:
        """Difference between the bound and the best value found."""
        return self.bound - self.value


@dataclass(frozen=True, eq=False)
class Proof:
    """A bound of a metric over all weights, and the cuts that prove it.

    Attributes
    ----------
    weights : array, shape (n_features,)
        Best weights found, up to a positive factor.
    value : float
        Mean of the metric at these weights, with scores compared in exact arithmetic.
    bound : float
        Upper bound on the value of all weights of the space.
    cuts : bytes
        Cuts of the space's faces into cells whose values are all at most the bound; see
        _kernels/cells/cell_search.py for the codes and :func:`~rankmax.optimizers.faces.faces` for the order of the
        faces.
    n_cells : int
        Number of cells that were cut.
    history : tuple of ProofProgress
        One entry per change of value or bound.
    stopped_by : str
        "proven", "seconds", "cells", "precision" (cells have become as small as floats allow) or "interrupted".
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
        """Difference between the bound and the best value found; 0 if the maximum is proven."""
        return self.bound - self.value
