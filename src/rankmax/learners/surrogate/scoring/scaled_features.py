"""Standardized features for well-conditioned descent, without a copy of the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64


@dataclass(frozen=True, eq=False)
class Design:
    r"""Linear functions of standardized features, each given by a row of parameters, and their gradients.

    A row v of :attr:`n_columns` numbers stands for the function :math:`\sum_j v_j (x_j - c_j) / \sigma_j + v_0`, with
    :math:`\sigma_j` the standard deviation of feature j within queries and c_j its mean (0 without an intercept
    :math:`v_0`, which comes last). A feature that is constant within every query is left out.

    Attributes
    ----------
    center, scale : arrays of float64, shape (n_features,)
        c and 1 / sigma; 0 if a feature is left out.
    intercept : bool

    Examples
    --------
    >>> design = Design.of(np.array([1.0, 0.0]), np.array([2.0, 5.0]), intercept=True)
    >>> design.restored(np.array([[1.0, 9.0, 0.5]]))
    (array([[1., 0.]]), array([-1.5]))
    >>> design.gradient(np.array([[7.0, 15.0]]), np.array([3.0]))
    array([[1., 0., 3.]])
    """

    center: F64
    scale: F64
    intercept: bool

    @classmethod
    def of(cls, spread: F64, mean: F64, *, intercept: bool) -> Design:
        """Return the design that standardizes features.

        Parameters
        ----------
        spread, mean : arrays of float64, shape (n_features,)
            Each feature's standard deviation within queries, and its mean over documents.
        intercept : bool
        """
        scale = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1), 0.0)
        return cls(mean if intercept else np.zeros_like(mean), scale, intercept)

    @property
    def n_columns(self) -> int:
        """Length of a row of parameters."""
        return self.scale.size + self.intercept

    def gradient(self, moments: F64, totals: F64) -> F64:
        """Return the gradient with respect to each row of parameters, shape (n_rows, n_columns).

        Parameters
        ----------
        moments : array of float64, shape (n_rows, n_features)
            X^T g, where g is the gradient with respect to each function's values.
        totals : array of float64, shape (n_rows,)
            The sum of each g.
        """
        by_weight = (moments - totals[:, None] * self.center) * self.scale
        return np.hstack([by_weight, totals[:, None]]) if self.intercept else by_weight

    def restored(self, rows: F64) -> tuple[F64, F64]:
        """Return weights and intercepts in the units of the data, shapes (n_rows, n_features) and (n_rows,).

        Parameters
        ----------
        rows : array of float64, shape (n_rows, n_columns)
        """
        weights = rows[:, : self.scale.size] * self.scale
        intercepts = -(weights * self.center).sum(axis=1)
        return weights, intercepts + rows[:, -1] if self.intercept else intercepts
