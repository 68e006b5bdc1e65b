"""A data set's features in units in which a descent is easy, without a copy of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.spread import spread_within_queries
from rankmax.losses.products import FeatureProducts


@dataclass(frozen=True, eq=False)
class Design:
    r"""Linear functions of standardised features, each a row of parameters, and what a gradient says of the rows.

    A row v of :attr:`n_columns` numbers stands for the function :math:`\sum_j v_j (x_j - c_j) / \sigma_j + v_0`, with
    :math:`\sigma_j` the standard deviation of feature j within queries and c_j its mean (0 without an intercept
    :math:`v_0`, which comes last). A feature that is constant within every query is left out.

    Attributes
    ----------
    products : FeatureProducts
    centre, scale : arrays of float64, shape (n_features,)
    intercept : bool

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0, 5.0], [3.0, 5.0]], [1, 0], qid=[7, 7])
    >>> design = Design.of(data, intercept=True)
    >>> design.outputs(np.array([[1.0, 9.0, 0.5]]))
    array([[-0.5,  1.5]])
    >>> design.moments(np.array([[1.0, 2.0]]))
    array([[1., 0., 3.]])
    >>> design.restored(np.array([[1.0, 9.0, 0.5]]))
    (array([[1., 0.]]), array([-1.5]))
    """

    products: FeatureProducts
    centre: F64
    scale: F64
    intercept: bool

    @classmethod
    def of(cls, data: RankingDataset, *, intercept: bool) -> Design:
        """Standardise a data set's features.

        Parameters
        ----------
        data : RankingDataset
        intercept : bool
        """
        spread = spread_within_queries(data)
        scale = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1), 0.0)
        products = FeatureProducts.of(data)
        centre = np.zeros(data.n_features)
        if intercept:
            centre += products.moments(np.full(data.n_documents, 1 / max(data.n_documents, 1)))
        return cls(products, centre, scale, intercept)

    @property
    def n_columns(self) -> int:
        """Length of a row of parameters."""
        return self.scale.size + self.intercept

    def outputs(self, rows: F64) -> F64:
        """Return the value of each function for each document, shape (n_rows, n_documents).

        Parameters
        ----------
        rows : array of float64, shape (n_rows, n_columns)
        """
        weights, intercepts = self.restored(rows)
        return self.products.outputs(weights) + intercepts[:, None]

    def moments(self, gradients: F64) -> F64:
        """Return the gradient by each row of parameters, shape (n_rows, n_columns).

        Parameters
        ----------
        gradients : array of float64, shape (n_rows, n_documents)
            By the functions' values.
        """
        totals = gradients.sum(axis=1, keepdims=True)
        by_weight = (self.products.moment_rows(gradients) - totals * self.centre) * self.scale
        return np.hstack([by_weight, totals]) if self.intercept else by_weight

    def restored(self, rows: F64) -> tuple[F64, F64]:
        """Return weights and intercepts in the units of the data, shapes (n_rows, n_features) and (n_rows,).

        Parameters
        ----------
        rows : array of float64, shape (n_rows, n_columns)
        """
        weights = rows[:, : self.scale.size] * self.scale
        intercepts = -(weights * self.centre).sum(axis=1)
        return weights, intercepts + rows[:, -1] if self.intercept else intercepts
