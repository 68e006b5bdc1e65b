"""Least-squares regression on the grades, the pointwise baseline."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import ClassVar, Self

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_matrix import take_rows
from rankmax.errors import IncompatibleError, InvalidDataError, InvalidParameterError
from rankmax.learners.declared_options import Option
from rankmax.learners.learner import LinearLearner
from rankmax.learners.presets import LEAST_SQUARES
from rankmax.models import LinearModel, Provenance
from rankmax.preprocessing.feature_normalization import Normalization

_BLOCK = 1 << 13  # documents whose features are copied to float64 at a time
_MOST_FEATURES = 10_000  # their Gram matrix takes 0.8 GB


class LeastSquaresRanker(LinearLearner):
    r"""Regress the grades on the features, and rank by the prediction.

    .. math:: \min_{w,b} \sum_i (w^T x_i + b - y_i)^2 + ridge \, \lVert w \rVert^2

    The intercept b is the same for all documents, changes no ranking and is not kept. Features are centered and
    scaled before the normal equations are summed, block by block, so neither large offsets nor different units cost
    precision. If features are linearly dependent, the solution of minimum norm (for the scaled features) is taken.

    Parameters
    ----------
    ridge : float
        Nonnegative penalty on the weights, in the features' own units, as in scikit-learn's Ridge.
    normalization : str or Normalization
        Applied within each query before fitting, and again when predicting.

    Attributes
    ----------
    coef_ : array of float64, shape (n_features,)
    model_ : LinearModel

    Examples
    --------
    >>> X = [[1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0]]
    >>> ranker = LeastSquaresRanker().fit(X, [0, 0, 1, 1], qid=[1, 1, 2, 2])
    >>> ranker.coef_.round(6)
    array([ 0.5, -0.5])
    >>> ranker.predict([[0.0, 0.0], [1.0, 0.0]]).round(6)
    array([0. , 0.5])

    References
    ----------
    Qin, Liu, Xu & Li 2010, LETOR: A benchmark collection for research on learning to rank, section 6.1
    ("Regression").
    """

    options: ClassVar[tuple[Option, ...]] = LEAST_SQUARES.options

    def __init__(self, ridge: float = 0.0, normalization: str | Normalization = "none") -> None:
        self.ridge = ridge
        self.normalization = normalization

    def fit_dataset(self, data: RankingDataset) -> Self:
        """Learn from the judged documents of a data set.

        Parameters
        ----------
        data : RankingDataset
        """
        if not (isinstance(self.ridge, Real) and np.isfinite(float(self.ridge)) and self.ridge >= 0):
            raise InvalidParameterError(f"ridge is {self.ridge!r}; expected a nonnegative number")
        normalization = Normalization.named(self.normalization)
        self.model_ = LinearModel(
            _least_squares(normalization.apply(data), self.ridge),
            data.feature_names,
            normalization,
            provenance=Provenance(
                learner=type(self).__name__,
                parameters=self._described_parameters(),
                data_hash=data_hash(data),
            ),
        )
        return self


def _least_squares(data: RankingDataset, ridge: float) -> F64:
    if data.n_features > _MOST_FEATURES:
        raise IncompatibleError(
            f"the normal equations of {data.n_features} features do not fit in memory (at most "
            f"{_MOST_FEATURES}); choose some with select_features"
        )
    judged = np.flatnonzero(~np.isnan(data.grades))
    if not judged.size:
        raise InvalidDataError("no document is judged; there is nothing to learn from")
    center, scale = _center_and_scale(data, judged)
    gram = np.zeros((data.n_features, data.n_features))
    moment = np.zeros(data.n_features)
    target = data.grades[judged] - data.grades[judged].mean()
    for rows, z in _dense_blocks(data, judged):
        z -= center
        z /= scale
        gram += z.T @ z
        moment += z.T @ target[rows]
    gram[np.diag_indices_from(gram)] += ridge / scale**2  # w = v / scale
    return _solve(gram, moment) / scale


def _center_and_scale(data: RankingDataset, judged: I64) -> tuple[F64, F64]:
    """Return each feature's mean over the judged documents, and its largest deviation from the mean.

    For a constant feature these are its value and 1, so that it becomes exactly 0 and gets no weight.
    """
    center, scale = np.empty((2, data.n_features))
    for j in range(data.n_features):
        column = data.column(j)[judged]
        varies = column.min() < column.max()
        center[j] = column.mean() if varies else column[0]
        scale[j] = np.abs(column - center[j]).max() if varies else 1.0
    return center, scale


def _dense_blocks(data: RankingDataset, judged: I64) -> Iterator[tuple[slice, F64]]:
    """Yield the judged documents' features as float64, some at a time, with their places in `judged`."""
    by_row = None if isinstance(data.features, np.ndarray) else data.features.tocsr()
    for first in range(0, judged.size, _BLOCK):
        rows = slice(first, first + _BLOCK)
        block = take_rows(data.features, judged[rows]) if by_row is None else by_row[judged[rows]].toarray(order="F")
        yield rows, np.array(block, np.float64, order="F")


def _solve(gram: F64, moment: F64) -> F64:
    """Return the minimum-norm solution v of gram v = moment, which is 0 in directions without variance."""
    values, vectors = np.linalg.eigh(gram)
    noise = 16 * np.finfo(np.float64).eps * values.size * values.max(initial=0.0)
    certain = values > noise
    directions = vectors[:, certain]
    solution: F64 = directions @ ((directions.T @ moment) / values[certain])
    return solution
