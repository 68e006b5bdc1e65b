"""Exact line search for metrics without tables, by scoring every ranking along the line."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.judgments import Judgments
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.line_search.line_search import LineSearch, require_start_inside
from rankmax.line_search.query_weights import weights_of_counted
from rankmax.line_search.smoothed_line import SmoothedPeak, Smoothing, smoothed_peak
from rankmax.line_search.step_function import Interval, StepFunction
from rankmax.metrics.metric import RankedListMetric

MOST_DOCUMENTS = 5_000_000
"""Default limit of documents in the rankings that are scored for one line."""
_RANKED_FOR_SCORED = 20  # ranking a document again costs less than a twentieth of scoring it in Python


@dataclass(frozen=True, eq=False)
class _Rankings:
    """The distinct rankings of each query along a line."""

    counts: I64  # by query
    begins: F64  # lower end of each ranking's interval
    levels: I64  # ranked levels, the rankings concatenated


class RescoringSweep:
    r"""A metric of ranked levels bound to judgments, swept exactly by scoring every ranking along the line.

    Such a metric can change only where two documents of one query with different levels cross. Between these crossings
    each query is ranked again, and scored wherever the levels up to the metric's cutoff have changed; the queries' step
    functions are added up in integers, as in :class:`~rankmax.line_search.metric_sweep.MetricSweep`. A query of n
    documents has up to n^2 / 2 crossings, which is too many for long lists without a cutoff: a line that needs more
    than `most_documents` is left to another search.

    Parameters
    ----------
    metric : RankedListMetric
    judgments : Judgments
    query_weights : array, optional
        Weight of each query in the mean; by default equal.
    most_documents : int
        Budget per line: number of documents in all the rankings to be scored. (With a cutoff, twenty times as many may
        be ranked, which costs less, to find out which rankings differ.)
    otherwise : LineSearch, optional
        Finds the peaks of lines beyond the budget; None: such lines are an error.

    Examples
    --------
    >>> from rankmax.metrics import from_function
    >>> judgments = Judgments.from_grades([1, 0], [0, 2])
    >>> first = from_function(lambda grades: grades[0], name="first")
    >>> function = RescoringSweep(first, judgments).step_function(np.array([0.0, 1.0]), np.array([1.0, 0.5]))
    >>> function.breakpoints, function.values
    (array([2.]), array([0., 1.]))
    """

    def __init__(
        self,
        metric: RankedListMetric,
        judgments: Judgments,
        *,
        query_weights: F64 | None = None,
        most_documents: int = MOST_DOCUMENTS,
        otherwise: LineSearch | None = None,
    ) -> None:
        counted = ~np.isnan(metric.ranked_values(judgments.document_levels, judgments))
        weights = weights_of_counted(query_weights, counted, metric)
        self._metric = metric
        self._judgments = replace(judgments, document_ids=None)
        self._queries = np.flatnonzero(weights)
        self._shares = weights[self._queries] / weights.sum()
        self._depth = metric.cutoffs(judgments)[self._queries]
        self._most_documents = most_documents
        self._otherwise = otherwise

    def step_function(
        self, scores: F64, slopes: F64, *, low: float = -math.inf, high: float = math.inf
    ) -> StepFunction:
        """Return the metric along scores + mu * slopes, for low < mu < high; raise if it exceeds the budget.

        Breakpoints are the points where the value of some query changes, even if changes of others cancel it.

        Parameters
        ----------
        scores, slopes : arrays, shape (n_documents,)
            Scores at mu = 0, and their rates of change.
        low, high : float
            Ends of the interval, with low <= 0 <= high; they may be infinite.
        """
        rankings = self._rankings(scores, slopes, low, high)
        if rankings is None:
            raise self._beyond_budget()
        return self._sum(rankings, low, high)

    def peaks(self, scores: F64, slopes: F64, *, low: float = -math.inf, high: float = math.inf) -> Iterator[Interval]:
        """Yield the best interval, then others to fall back on, best first.

        Parameters
        ----------
        scores, slopes, low, high
            As in :meth:`step_function`.
        """
        rankings = self._rankings(scores, slopes, low, high)
        if rankings is not None:
            return self._sum(rankings, low, high).peaks()
        if self._otherwise is None:
            raise self._beyond_budget()
        return self._otherwise.peaks(scores, slopes, low=low, high=high)

    def smoothed_peak(
        self, scores: F64, slopes: F64, smoothing: Smoothing, *, low: float = -math.inf, high: float = math.inf
    ) -> SmoothedPeak:
        """Return the maximum of the smoothed metric, or what the other search finds for a line beyond the budget.

        Parameters
        ----------
        scores, slopes, low, high
            As in :meth:`step_function`.
        smoothing : Smoothing
        """
        rankings = self._rankings(scores, slopes, low, high)
        if rankings is not None:
            smooth = self._sum(rankings, low, high).smoothed(smoothing.width)
            return smoothed_peak(smooth(smoothing.places), smoothing, low, high)
        if self._otherwise is None:
            raise self._beyond_budget()
        return self._otherwise.smoothed_peak(scores, slopes, smoothing, low=low, high=high)

    def _beyond_budget(self) -> IncompatibleError:
        return IncompatibleError(
            f"{self._metric} changes too often on this line for an exact search: more than {self._most_documents:,} "
            "documents would have to be scored again; take a metric with a cutoff or with tables "
            "(rankmax.metrics.from_tables makes one), a shorter interval, or fewer queries"
        )

    def _rankings(self, scores: F64, slopes: F64, low: float, high: float) -> _Rankings | None:
        """Return the rankings to be scored, or None if they exceed the budget."""
        from rankmax._kernels.lines.line_rankings import count_crossings, follow_rankings

        require_start_inside(low, high)
        documents = self._judgments.documents_by_query[self._queries]
        line = (
            np.ascontiguousarray(scores, np.float64),
            np.ascontiguousarray(slopes, np.float64),
            self._judgments.query_offsets,
            self._judgments.document_levels,
            self._queries,
        )
        n_crossings, counts = np.empty_like(self._queries), np.empty_like(self._queries)
        count_crossings(*line, float(low), float(high), n_crossings)
        allowance = np.where(self._depth < documents, _RANKED_FOR_SCORED, 1)  # without a cutoff all must be scored
        if (n_crossings * documents / allowance).sum() > self._most_documents:
            return None
        bounds = (n_crossings, self._depth, float(low), float(high), counts)
        follow_rankings(*line, *bounds, np.empty(0), np.empty(0, np.int64))
        n_documents = int((counts * documents).sum())
        if n_documents > self._most_documents:
            return None
        rankings = _Rankings(counts, np.empty(counts.sum()), np.empty(n_documents, np.int64))
        follow_rankings(*line, *bounds, rankings.begins, rankings.levels)
        return rankings

    def _sum(self, rankings: _Rankings, low: float, high: float) -> StepFunction:
        query = np.repeat(np.arange(self._queries.size), rankings.counts)
        copies = self._judgments.select(self._queries[query])
        values = self._metric.ranked_values(rankings.levels, copies)
        if not np.isfinite(values).all():
            raise InvalidDataError(
                f"{self._metric} is {values[~np.isfinite(values)][0]} for some ranking of query "
                f"{copies.query_ids[int(np.argmin(np.isfinite(values)))]!r}; a mean needs finite numbers"
            )
        parts = values * self._shares[query]
        first = np.diff(query, prepend=-1) > 0
        scale = _units_in_one(parts, np.flatnonzero(first))
        units = np.rint(parts * scale).astype(np.int64)
        changes = np.diff(units, prepend=0)
        steps = np.flatnonzero(~first & (changes != 0))
        steps = steps[np.argsort(rankings.begins[steps], kind="stable")]
        points, last = np.unique(rankings.begins[steps][::-1], return_index=True)
        after = np.cumsum(changes[steps])[steps.size - 1 - last]
        return StepFunction(points, (units[first].sum() + np.append(0, after)) / scale, low, high)


def _units_in_one(parts: F64, starts: I64) -> float:
    """Return a power of two such that the sum of one part per query stays far below 2^63 in units."""
    bound = float(np.maximum.reduceat(np.abs(parts), starts).sum())
    return 2.0 ** min(52, 60 - math.ceil(math.log2(max(bound, 1.0))))
