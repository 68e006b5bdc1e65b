"""What a reader may return: anything else that it accepted is garbage."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from rankmax.data.binned_matrix import BinnedMatrix
from rankmax.data.dataset import RankingDataset
from rankmax.data.query_documents import DocumentsByQuery
from rankmax.data.runs import Qrels, Run
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric

METRIC = parse_metric("nDCG@10")


class AcceptedGarbageError(Exception):
    """A reader returned what nobody can work with."""


def require(holds: Any, what: str) -> None:
    """Raise unless something holds.

    Parameters
    ----------
    holds : object
        Anything with a truth value.
    what : str
        Said if it does not hold.
    """
    if not holds:
        raise AcceptedGarbageError(what)


def check_dataset(data: RankingDataset) -> None:
    """Require finite features, grades that a metric can use, offsets that rise, names that differ.

    Parameters
    ----------
    data : RankingDataset
    """
    features = data.features
    if not isinstance(features, BinnedMatrix):  # whose codes are whole numbers, and checked by the type
        values = features if isinstance(features, np.ndarray) else features.data
        require(np.isfinite(values).all(), "features that are not finite")
    require(data.features.shape == (data.n_documents, data.n_features), "features of another shape")
    require(len(set(data.feature_names)) == data.n_features, "feature names that are equal")
    check_texts([*data.feature_names, *data.query_ids])
    check_offsets(data.query_offsets, data.n_documents)
    grades = data.grades[~np.isnan(data.grades)]
    require(np.isfinite(grades).all(), "grades that are not finite")  # of a run, they may be below 0
    require(data.document_ids is None or len(data.document_ids) == data.n_documents, "ids that are too many or too few")
    if data.n_features and data.n_documents:
        with np.errstate(all="ignore"):
            scores = np.nan_to_num(data.column(0))
        measured = evaluate_metrics([METRIC], scores, data.judgments, compiled=False)
        known = measured[~np.isnan(measured)]
        require(
            ((known >= 0) & (known <= 1 + 1e-9)).all(), f"nDCG@10 outside of 0 to 1: {known.min()} to {known.max()}"
        )


def check_run(run: Run) -> None:
    """Require finite scores, and ids that can be written again.

    Parameters
    ----------
    run : Run
    """
    _check_documents(run)
    require(np.isfinite(run.scores).all() and run.scores.shape == (run.n_documents,), "scores that are not finite")
    check_texts([run.tag])


def check_qrels(qrels: Qrels) -> None:
    """Require one grade for each document.

    Parameters
    ----------
    qrels : Qrels
    """
    _check_documents(qrels)
    require(qrels.grades.shape == (qrels.n_documents,), "grades that are too many or too few")


def check_offsets(offsets: Any, total: int) -> None:
    """Require offsets that rise from 0 to a total.

    Parameters
    ----------
    offsets : array of int
    total : int
    """
    require(offsets[0] == 0 and offsets[-1] == total and (np.diff(offsets) >= 0).all(), "offsets that do not rise")


def check_texts(texts: Iterable[str]) -> None:
    """Require text that has a UTF-8 encoding.

    Parameters
    ----------
    texts : iterable of str
    """
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise AcceptedGarbageError(f"text that cannot be written: {text!r}") from None


def check_numbers(numbers: Iterable[float | None]) -> None:
    """Require finite numbers.

    Parameters
    ----------
    numbers : iterable of float or None
    """
    require(all(number is None or math.isfinite(number) for number in numbers), "numbers that are not finite")


def _check_documents(table: DocumentsByQuery) -> None:
    check_offsets(table.query_offsets, table.n_documents)
    check_texts(table.query_ids)
    ids = [*table.query_ids, *table.document_ids.to_list()]
    require(all(one and min(one) > " " for one in ids), "ids that are empty or hold blanks")
    require(len(set(table.query_ids)) == table.n_queries, "queries that are equal")
