"""Evaluation of features on judged queries, in several processes, each feature once."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import Any, Self

import numpy as np

from rankmax._arrays import F64
from rankmax._io.interrupts import uninterrupted_children
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.metrics.metric import Metric
from rankmax.retrieval.features.feature import Feature
from rankmax.workflows.searching.judged_queries import JudgedQueries


class Trials:
    """Metric values over judged queries, for one feature after the other; to be used in a ``with`` block.

    Each process has some of the queries and caches their matches. The values do not depend on the number of
    processes. Scripts that use more than one must do so below ``if __name__ == "__main__":``.

    Parameters
    ----------
    queries : JudgedQueries
    metrics : sequence of Metric
        Metrics that are computed for every feature.
    n_jobs : int
        Number of processes; with 1, no other process is started.
    callback : callable, optional
        Called after each trial.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax import Qrels
    >>> from rankmax.metrics import RR
    >>> from rankmax.retrieval import Document, build_index
    >>> from rankmax.retrieval.features import BM25
    >>> documents = [Document("d1", {"text": "a wing"}), Document("d2", {"text": "wing wing wing"})]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index(documents, f"{folder}/index")
    ...     queries = JudgedQueries.of(index, {"q1": "wing"}, Qrels.from_dict({"q1": {"d1": 1}}))
    ...     with Trials(queries, [RR()]) as trials:
    ...         trials.mean(BM25(), RR())
    0.5
    """

    def __init__(
        self,
        queries: JudgedQueries,
        metrics: Sequence[Metric],
        *,
        n_jobs: int = 1,
        callback: Callable[[], None] | None = None,
    ) -> None:
        if n_jobs < 1:
            raise InvalidParameterError(f"n_jobs is {n_jobs}; expected a positive integer")
        self.metrics = tuple(metrics)
        self._queries = queries
        self._callback = callback
        self._seen: dict[Any, F64] = {}
        parts = queries.parts(n_jobs)
        context = multiprocessing.get_context("spawn")
        # One process per part, not a pool, so that each gets its own queries again.
        self._processes = [
            ProcessPoolExecutor(1, context, initializer=_keep, initargs=(part, self.metrics))
            for part in (parts if len(parts) > 1 else [])
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.shutdown(cancel_futures=True)

    def values(self, feature: Feature, metric: Metric) -> F64:
        """Return a metric's value for each query when a feature ranks the collection.

        Parameters
        ----------
        feature : Feature
        metric : Metric
            One of the metrics of the trials.
        """
        if feature not in self._seen:
            self._seen[feature] = self._try(feature)
            if self._callback is not None:
                self._callback()
        values: F64 = self._seen[feature][self.metrics.index(metric)]
        return values

    def mean(self, feature: Feature, metric: Metric) -> float:
        """Return the mean of a metric over the queries that count for it.

        Parameters
        ----------
        feature, metric
            As in :meth:`values`.
        """
        return float(np.nanmean(self.values(feature, metric)))

    def _try(self, feature: Feature) -> F64:
        if not self._processes:
            return self._queries.values(feature, self.metrics)
        with uninterrupted_children():
            waiting = [process.submit(_values, feature) for process in self._processes]
        try:
            return np.concatenate([part.result() for part in waiting], axis=1)
        except BrokenProcessPool:
            raise IncompatibleError(
                "a worker process ended unexpectedly; a script that uses n_jobs > 1 must do so below "
                '`if __name__ == "__main__":`'
            ) from None


_kept: tuple[JudgedQueries, tuple[Metric, ...]]  # state of a worker process


def _keep(queries: JudgedQueries, metrics: tuple[Metric, ...]) -> None:
    global _kept
    _kept = queries, metrics


def _values(feature: Feature) -> F64:
    queries, metrics = _kept
    return queries.values(feature, metrics)
