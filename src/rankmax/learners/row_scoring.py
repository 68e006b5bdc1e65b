"""Scores of a model for the rows of a matrix or data frame."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.errors import DividedQueriesWarning, IncompatibleError, InvalidDataError, counted
from rankmax.models.model import Model
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.preprocessing.indicators import Indicator
from rankmax.preprocessing.run_normalization import ZERO_SCORE, RetrievedNormalization


def score_rows(model: Model, X: Any, qid: ArrayLike | None = None, *, nan_is_missing: bool = False) -> F64:
    """Return a score for each row of `X`, in its order.

    Parameters
    ----------
    model : Model
    X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
        The columns of a data frame are found by name, those of a matrix by position.
    qid : array-like, optional
        The query of each row; needed if the model normalizes within queries.
    nan_is_missing : bool
        If True, NaN means that a system did not retrieve the document, and 0 is a score of 0. If False, NaN is an
        error, and normalizations over retrieved documents take 0 as not retrieved. In a sparse matrix, entries that
        are not stored are not retrieved in both cases.

    Examples
    --------
    >>> from rankmax.preprocessing import MinMax
    >>> from rankmax import LinearModel
    >>> score_rows(LinearModel([2.0], ("bm25",), MinMax()), [[3.0], [5.0], [4.0], [9.0]], qid=[1, 2, 1, 2])
    array([0., 0., 2., 2.])
    """
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if qid is None:
        normalization = _within_queries(model)
        if normalization is not None:
            raise IncompatibleError(
                f"the model applies the normalization {normalization!r} within each query; give qid"
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
    """Return rows that a model can score; the columns of a matrix are named as in the training data.

    Parameters
    ----------
    model : Model
    X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
    y : array-like, shape (n_documents,)
        Grades.
    qid : array-like, shape (n_documents,)
    names : sequence of str, optional
        Names of the columns; by default those of the data frame.

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> rows_for(LinearModel([2.0], ("bm25",)), [[3.0]], [0], [7]).feature_names
    ('bm25',)
    """
    data = RankingDataset.from_arrays(X, y, qid=qid, feature_names=names)
    if names is not None or hasattr(X, "columns"):
        return data
    trained_on = model.feature_names
    if data.n_features != len(trained_on):
        raise InvalidDataError(
            f"X has {data.n_features} features, but {type(model).__name__} is expecting {len(trained_on)} features as "
            "input; the columns of a matrix are those of the training data"
        )
    return replace(data, feature_names=trained_on)


def warn_of_divided_queries(trained_on: Mapping[str, int], data: RankingDataset) -> None:
    """Issue a warning if a query has another number of documents than in training: rows were split, not queries.

    Parameters
    ----------
    trained_on : mapping of str to int
        Number of documents of each query in the training data.
    data : RankingDataset
        Data to score.
    """
    counts = dict(zip(data.query_ids, data.judgments.documents_by_query.tolist(), strict=True))
    divided = [query for query, n in counts.items() if trained_on.get(query, n) != n]
    if divided:
        first, some = divided[0], counted(len(divided), "query has", "queries have")
        warnings.warn(
            f"{some} other documents here than in training, such as {first!r} with "
            f"{counts[first]} and {trained_on[first]}. If these are the same queries, rows were split and the score "
            "means little: split by query, with GroupKFold and groups=qid; if not, give them ids of their own",
            DividedQueriesWarning,
            stacklevel=3,
        )


def _within_queries(model: Model) -> str | None:
    """Return the name of a normalization that the model applies, either to features or before binning them."""
    indicators = filter(None, map(Indicator.parse, model.feature_names))
    applied = [model.normalization, *(indicator.normalization for indicator in indicators)]
    return next((normalization.name for normalization in applied if normalization != Unchanged()), None)


def _without_nan(model: Model, X: Any) -> F64:
    """Return rows with 0 in place of NaN, and ZERO_SCORE in place of 0 if the model distinguishes them."""
    try:
        values = np.array(X.to_numpy() if hasattr(X, "to_numpy") else X, np.float64)  # None becomes NaN
    except (TypeError, ValueError) as error:
        raise InvalidDataError(f"features must be numbers in rows of equal length: {error}") from None
    zero = ZERO_SCORE if isinstance(model.normalization, RetrievedNormalization) else 0.0
    return np.where(np.isnan(values), 0.0, np.where(values == 0, zero, values))
