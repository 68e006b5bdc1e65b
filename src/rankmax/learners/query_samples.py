"""Query weights, and the queries that are informative for training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64, Bool
from rankmax.backends.training_data import TrainingData
from rankmax.data.judgments import Judgments
from rankmax.data.query_segments import QuerySegments
from rankmax.errors import InvalidDataError, counted
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric


def weights_by_query(given: ArrayLike | Mapping[Any, float] | None, data: TrainingData) -> F64:
    """Return the weight of each query of a data set.

    Parameters
    ----------
    given : array-like or mapping, optional
        Weights in the order of the queries (that of their first rows), or by query id; a mapping may have more queries
        than the data. Equal weights by default.
    data : TrainingData

    Examples
    --------
    >>> from rankmax.backends.training_data import LocalData
    >>> from rankmax import RankingDataset
    >>> from rankmax.preprocessing import Unchanged
    >>> data = LocalData(RankingDataset.from_arrays([[1.0], [0.5]], [1, 0], qid=["b", "a"]), Unchanged())
    >>> weights_by_query({"a": 1.0, "b": 3.0, "c": 2.0}, data)
    array([3., 1.])
    """
    if given is None:
        return np.ones(data.n_queries)
    if isinstance(given, Mapping):
        by_id = {str(query): weight for query, weight in given.items()}
        missing = [query for query in data.query_ids if query not in by_id]
        if missing:
            lacking = counted(len(missing), "query", "queries")
            raise InvalidDataError(f"query_weights lack {lacking} of the data, such as {missing[0]!r}")
        given = [by_id[query] for query in data.query_ids]
    try:
        weights = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise InvalidDataError("query_weights must be numbers") from None
    if weights.shape != (data.n_queries,):
        raise InvalidDataError(
            f"query_weights have shape {weights.shape}; expected ({data.n_queries},), one for each query"
        )
    if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise InvalidDataError("query_weights must be nonnegative finite numbers, not all 0")
    return weights


def tells_apart(metric: Metric, judgments: Judgments) -> Bool:
    """Return, per query, whether it is informative: the metric counts it, and its documents differ in grade.

    Parameters
    ----------
    metric : Metric
    judgments : Judgments

    Examples
    --------
    >>> from rankmax.metrics import AP
    >>> tells_apart(AP(), Judgments.from_grades([0, 1, 1, 1], [0, 2, 4]))
    array([ True, False])
    """
    counted = ~np.isnan(evaluate_metrics([metric], np.zeros(judgments.n_documents), judgments)[0])
    queries, levels = QuerySegments(judgments.query_offsets), judgments.document_levels.astype(np.float64)
    differ = np.zeros(judgments.n_queries, np.bool_)
    lowest, highest = (queries.reduce(end, levels) for end in (np.minimum, np.maximum))
    differ[judgments.documents_by_query > 0] = lowest < highest
    tells: Bool = counted & differ
    return tells
