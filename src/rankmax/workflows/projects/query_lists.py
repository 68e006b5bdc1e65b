"""Lists of queries with their values under two models, in an order that shows where to look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.metrics.metric import Metric
from rankmax.models.model import Model
from rankmax.workflows.projects.workbench import Workbench

QueryOrder: TypeAlias = Literal["gain", "loss", "low", "unjudged", "data"]

TOP = 10
"""Number of top documents in which unjudged ones are counted."""


@dataclass(frozen=True, slots=True)
class ListedQuery:
    """A query, with its values under two models.

    Attributes
    ----------
    id : str
    before, after : float
        Value under the reference, and under the other model; NaN where the query is left out.
    gain : float
        Their difference; 0 where the query is left out.
    n_unjudged : int
        Number of unjudged documents among the other model's first ten.
    """

    id: str
    before: float
    after: float
    gain: float
    n_unjudged: int


def ordered_queries(
    bench: Workbench, reference: Model, model: Model, metric: Metric, order: QueryOrder
) -> list[ListedQuery]:
    """Return all queries in an order.

    Parameters
    ----------
    bench : Workbench
    reference, model : Model
    metric : Metric
    order : {"gain", "loss", "low", "unjudged", "data"}
        Largest gain first, largest loss, lowest value, most unjudged documents among the first ten, or as in the data.

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> from rankmax.models import LinearModel
    >>> features = [[0.0, 1.0], [1.0, 0.5], [1.0, 0.0], [0.0, 1.0]]
    >>> data = RankingDataset.from_arrays(features, [1, 0, 1, 0], qid=[7, 7, 8, 8], feature_names=["a", "b"])
    >>> models = (LinearModel([1.0, 0.0], ("a", "b")), LinearModel([0.0, 1.0], ("a", "b")))
    >>> for query in ordered_queries(Workbench(data), *models, RR(), "low"):
    ...     print(query.id, query.before, query.after, query.gain)
    8 1.0 0.5 -0.5
    7 0.5 1.0 0.5
    """
    before, after = (bench.values(one, metric) for one in (reference, model))
    gains = np.nan_to_num(after - before)
    unjudged = unjudged_at_top(bench.data, bench.scores(model))
    keys: dict[str, F64 | I64] = {"gain": -gains, "loss": gains, "low": after, "unjudged": -unjudged}
    ids = bench.data.query_ids
    places = np.argsort(keys[order], kind="stable") if order in keys else np.arange(len(ids))
    return [
        ListedQuery(ids[q], float(before[q]), float(after[q]), float(gains[q]), int(unjudged[q]))
        for q in places.tolist()
    ]


def unjudged_at_top(data: RankingDataset, scores: F64) -> I64:
    """Return the number of unjudged documents among the first ten of each query.

    Parameters
    ----------
    data : RankingDataset
    scores : array, shape (n_documents,)

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0], [0.2], [0.4]], [1, float("nan"), 2], qid=[7, 7, 8])
    >>> unjudged_at_top(data, data.scores([1.0]))
    array([1, 0])
    """
    unknown = np.isnan(data.grades)
    counts = np.zeros(data.n_queries, np.int64)
    if not unknown.any():
        return counts
    offsets = data.judgments.query_offsets
    query_of = np.repeat(np.arange(data.n_queries), np.diff(offsets))
    order = np.lexsort((-scores, query_of))  # stable: ties in the order of the data
    ranks = np.arange(order.size) - offsets[query_of]
    np.add.at(counts, query_of[unknown[order] & (ranks < TOP)], 1)
    return counts
