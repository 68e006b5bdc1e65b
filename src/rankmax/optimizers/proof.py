"""What is proven of a metric over all weights."""

from __future__ import annotations

from dataclasses import dataclass

from rankmax.arrays import F64


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
        The best found, up to a positive factor.
    value : float
        The mean of the metric there, scores compared in exact arithmetic.
    bound : float
        No weights of the space are worth more.
    cuts : bytes
        The faces of the space, cut into cells none of which is worth more than the bound; see
        kernels/cell_search.py for the codes and :func:`~rankmax.optimizers.faces.faces` for the order of the faces.
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
