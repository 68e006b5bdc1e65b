"""Rows of a matrix or data frame, scored by a model in their own order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rankmax.arrays import F64
from rankmax.data.binning import Indicator
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Unchanged
from rankmax.errors import IncompatibleError, InvalidDataError

if TYPE_CHECKING:
    from rankmax.learners.base import Model


def score_rows(model: Model, X: Any, qid: ArrayLike | None = None) -> F64:
    """Return a score for each row of `X`, in its order.

    Parameters
    ----------
    model : Model
    X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
        The columns of a data frame are found by name, those of a matrix by position.
    qid : array-like, optional
        Needed where the model normalises within queries.

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
    data = rows_for(model, X, np.zeros(n_rows), qid)
    scores = model.scores(data)
    if data.rows is None:
        return scores
    in_order = np.empty_like(scores)
    in_order[data.rows] = scores
    return in_order


def rows_for(model: Model, X: Any, y: ArrayLike, qid: ArrayLike) -> RankingDataset:
    """Return rows that a model can score, the columns of a matrix named as those that the model was trained on.

    Parameters
    ----------
    model : Model
    X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
    y : array-like, shape (n_documents,)
        Grades.
    qid : array-like, shape (n_documents,)

    Examples
    --------
    >>> from rankmax.models import LinearModel
    >>> rows_for(LinearModel([2.0], ("bm25",)), [[3.0]], [0], [7]).feature_names
    ('bm25',)
    """
    data = RankingDataset.from_arrays(X, y, qid=qid)
    if hasattr(X, "columns"):
        return data
    names = model.feature_names
    if data.n_features != len(names):
        raise InvalidDataError(f"X has {data.n_features} columns; the model was trained on {len(names)}")
    return replace(data, feature_names=names)


def _within_queries(model: Model) -> str | None:
    """Return the name of a normalisation that the model applies, itself or before it compares with thresholds."""
    indicators = filter(None, map(Indicator.parse, model.feature_names))
    applied = [model.normalisation, *(indicator.normalisation for indicator in indicators)]
    return next((normalisation.name for normalisation in applied if normalisation != Unchanged()), None)
