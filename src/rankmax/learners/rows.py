"""Rows of a matrix or data frame, scored by a model in their own order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rankmax.arrays import F64
from rankmax.data.binning import Indicator
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Unchanged
from rankmax.data.retrieved import ZERO_SCORE, RetrievedNormalisation
from rankmax.errors import IncompatibleError, InvalidDataError

if TYPE_CHECKING:
    from rankmax.learners.base import Model


def score_rows(model: Model, X: Any, qid: ArrayLike | None = None, *, nan_is_missing: bool = False) -> F64:
    """Return a score for each row of `X`, in its order.

    Parameters
    ----------
    model : Model
    X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
        The columns of a data frame are found by name, those of a matrix by position.
    qid : array-like, optional
        Needed where the model normalises within queries.
    nan_is_missing : bool
        Whether NaN stands for a document that a system did not retrieve, and 0 for a score of 0. Otherwise NaN is
        refused, and to normalisations of what was retrieved 0 stands for a document that was not. In a sparse matrix
        what is not stored was not retrieved, either way.

    Examples
    --------
    >>> from rankmax.data.normalise import MinMax
    >>> from rankmax.models import LinearModel
    >>> score_rows(LinearModel([2.0], ("bm25",), MinMax()), [[3.0], [5.0], [4.0], [9.0]], qid=[1, 2, 1, 2])
    array([0., 0., 2., 2.])
    """
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if qid is None:
        normalisation = _within_queries(model)
        if normalisation is not None:
            raise IncompatibleError(
                f"the model applies the normalisation {normalisation!r} within each query; give qid"
            )
        qid = np.zeros(n_rows, np.int64)
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    if nan_is_missing and not hasattr(X, "tocsc"):
        X = _without_nan(model, X)
    data = rows_for(model, X, np.zeros(n_rows), qid, names)
    scores = model.scores(data)
    if data.rows is None:
        return scores
    in_order = np.empty_like(scores)
    in_order[data.rows] = scores
    return in_order


def rows_for(model: Model, X: Any, y: ArrayLike, qid: ArrayLike, names: Sequence[str] | None = None) -> RankingDataset:
    """Return rows that a model can score, the columns of a matrix named as those that the model was trained on.

    Parameters
    ----------
    model : Model
    X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
    y : array-like, shape (n_documents,)
        Grades.
    qid : array-like, shape (n_documents,)
    names : sequence of str, optional
        Of the columns; those of a data frame when left out.

    Examples
    --------
    >>> from rankmax.models import LinearModel
    >>> rows_for(LinearModel([2.0], ("bm25",)), [[3.0]], [0], [7]).feature_names
    ('bm25',)
    """
    data = RankingDataset.from_arrays(X, y, qid=qid, feature_names=names)
    if names is not None or hasattr(X, "columns"):
        return data
    trained_on = model.feature_names
    if data.n_features != len(trained_on):
        raise InvalidDataError(f"X has {data.n_features} columns; the model was trained on {len(trained_on)}")
    return replace(data, feature_names=trained_on)


def _within_queries(model: Model) -> str | None:
    """Return the name of a normalisation that the model applies, itself or before it compares with thresholds."""
    indicators = filter(None, map(Indicator.parse, model.feature_names))
    applied = [model.normalisation, *(indicator.normalisation for indicator in indicators)]
    return next((normalisation.name for normalisation in applied if normalisation != Unchanged()), None)


def _without_nan(model: Model, X: Any) -> F64:
    """Return rows in which 0 stands for NaN, and ZERO_SCORE for 0 where the model tells them apart."""
    try:
        values = np.array(X.to_numpy() if hasattr(X, "to_numpy") else X, np.float64)  # None becomes NaN
    except (TypeError, ValueError) as error:
        raise InvalidDataError(f"features must be numbers in rows of equal length: {error}") from None
    zero = ZERO_SCORE if isinstance(model.normalisation, RetrievedNormalisation) else 0.0
    return np.where(np.isnan(values), 0.0, np.where(values == 0, zero, values))
