"""Warnings about the data and the result of a tuning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankmax._arrays import F64
from rankmax.data.judgments import UNJUDGED, Judgments
from rankmax.fusion.signals import Signals
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.run_normalization import L2

MUCH_UNJUDGED = 0.1
"""Share of unjudged documents at the top from which a warning is given."""


def warnings_on_signals(signals: Signals, metrics: Sequence[Metric]) -> list[str]:
    """Return warnings about the data.

    Parameters
    ----------
    signals : Signals
    metrics : sequence of Metric

    Examples
    --------
    >>> from rankmax import Qrels, Run
    >>> from rankmax.fusion.signals import signals_of_runs
    >>> runs = {"bm25": Run.from_dict({"q1": {"d1": 2.0}}), "e5": Run.from_dict({"q1": {"doc-1": 0.5}})}
    >>> warnings_on_signals(signals_of_runs(runs, Qrels.from_dict({"q1": {"d1": 1}})), [])
    ['no document of e5 is judged: check that its documents have the ids of the judgments']
    """
    return [*_runs_without_judgments(signals), *_logs_without_the_rest(signals, metrics)]


def warnings_on_fusion(
    signals: Signals, scores: F64, normalization: Normalization, name: str, *, cutoff: int = 10
) -> list[str]:
    """Return warnings about a fusion of signals.

    Parameters
    ----------
    signals : Signals
    scores : array, shape (n_documents,)
        Fused score of each document of the signals' data.
    normalization : Normalization
        Normalization of the fused scores.
    name : str
        Display name of the fusion.
    cutoff : int
        Number of top documents per query.

    Examples
    --------
    >>> from rankmax import Qrels, Run
    >>> from rankmax.fusion.signals import signals_of_runs
    >>> runs = {"bm25": Run.from_dict({"q1": {"d1": 2.0}}), "e5": Run.from_dict({"q1": {"d1": -1.0, "d2": -2.0}})}
    >>> signals = signals_of_runs(runs, Qrels.from_dict({"q1": {"d1": 1}}))
    >>> for warning in warnings_on_fusion(signals, signals.data.scores([1.0, 1.0]), L2(), "learned"):
    ...     print(warning)
    e5 has negative scores, which l2 keeps: documents that it retrieved rank below those that it did not
    50% of the top 10 documents of learned are not judged, and count as not relevant
    """
    found = _negative_scores(signals) if isinstance(normalization, L2) else []
    share = unjudged_share(signals, scores, cutoff=cutoff)
    if share >= MUCH_UNJUDGED:
        found.append(f"{share:.0%} of the top {cutoff} documents of {name} are not judged, and count as not relevant")
    return found


def unjudged_share(signals: Signals, scores: F64, *, cutoff: int = 10) -> float:
    """Return the share of unjudged documents among the top documents of all queries.

    Parameters
    ----------
    signals : Signals
    scores : array, shape (n_documents,)
        Fused scores; ties are ranked in the order of the data.
    cutoff : int
        Number of top documents per query.

    Examples
    --------
    >>> from rankmax import RankingDataset
    >>> data = RankingDataset.from_arrays([[3.0], [2.0], [1.0]], [1, np.nan, 0], qid=[7, 7, 7])
    >>> unjudged_share(Signals(data), data.column(0), cutoff=2)
    0.5
    """
    judgments = signals.data.judgments
    query = judgments.query_of_document
    order = np.lexsort((-np.asarray(scores), query))
    place = np.arange(order.size) - judgments.query_offsets[query[order]]
    top = judgments.document_levels[order[place < cutoff]]
    return float(np.mean(top == UNJUDGED)) if top.size else 0.0


def _runs_without_judgments(signals: Signals) -> list[str]:
    return [
        f"no document of {name} is judged: check that its documents have the ids of the judgments"
        for name, (_, judgments) in (signals.own_lists or {}).items()
        if (judgments.document_levels == UNJUDGED).all()
    ]


def _logs_without_the_rest(signals: Signals, metrics: Sequence[Metric]) -> list[str]:
    judgments = signals.data.judgments
    if signals.from_runs or judgments.unretrieved_levels.size or not np.nanmax(judgments.levels[1:], initial=0) > 0:
        return []
    relative = [str(metric) for metric in metrics if _depends_on_unretrieved(metric, float(judgments.levels[-1]))]
    if not relative:
        return []
    return [
        f"the log has no judged documents besides the logged ones, so {', '.join(relative)} "
        f"{'compares' if len(relative) == 1 else 'compare'} with the best order of those: values are higher than over "
        "the whole collection"
    ]


def _depends_on_unretrieved(metric: Metric, grade: float) -> bool:
    """Return whether a relevant document that was not retrieved changes the metric, as it does for recall."""
    ranked, grades = np.array([2.0, 1.0]), [grade, 0.0]
    alone = Judgments.from_grades(grades, [0, 2])
    beside = Judgments.from_grades(grades, [0, 2], unretrieved_grades=[grade], unretrieved_offsets=[0, 1])
    values, others = (evaluate_metrics([metric], ranked, judgments) for judgments in (alone, beside))
    return not np.array_equal(values, others, equal_nan=True)


def _negative_scores(signals: Signals) -> list[str]:
    if not signals.from_runs:
        return []
    return [
        f"{name} has negative scores, which l2 keeps: documents that it retrieved rank below those that it did not"
        for j, name in enumerate(signals.names)
        if (signals.data.column(j) < 0).any()
    ]
