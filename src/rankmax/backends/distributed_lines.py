"""Line searches over distributed data: contributions of the parts, and the best point found from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.backends.line_buckets import Buckets, Division, find, sums_in
from rankmax.line_search.metric_sweep import N_BUCKETS, BucketSums, MetricSweep
from rankmax.line_search.query_subset import Part
from rankmax.line_search.smoothed_line import SmoothedSums, Smoothing
from rankmax.line_search.step_function import Interval, StepFunction
from rankmax.line_search.sweep_facts import SweepFacts

_MOST_STEPS = 2000  # that a part sends; with more in buckets of interest, these are divided first
_MOST_DIVISIONS = 4


@dataclass(frozen=True, eq=False)
class Line:
    """A line to be searched.

    Attributes
    ----------
    weights, direction : arrays of float64, shape (n_features,)
    low, high : float
        Ends of the line, low <= 0 <= high, possibly infinite.
    size : float
        Estimated size of a typical step.
    """

    weights: F64
    direction: F64
    low: float
    high: float
    size: float

    @property
    def key(self) -> tuple[bytes, bytes, float, float, float]:
        """All values that determine the steps and their buckets."""
        return self.weights.tobytes(), self.direction.tobytes(), self.low, self.high, self.size


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps of a line: their positions, changes of the sum in units, and buckets."""

    steps: F64
    changes: I64
    buckets: I64

    @classmethod
    def joined(cls, parts: Sequence[Steps]) -> Steps:
        """Return the steps of several parts."""
        return cls(
            np.concatenate([part.steps for part in parts]),
            np.concatenate([part.changes for part in parts]),
            np.concatenate([part.buckets for part in parts]),
        )


class _Sweeping:
    """The sweep of a part, and the last line that it has counted."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._sweep: MetricSweep | None = None
        self._last: tuple[Any, ...] = ()

    def count(self, facts: SweepFacts, line: Line) -> BucketSums:
        scores, slopes = self._part.scores(line.weights), self._part.slopes(line.direction)
        self._last = line.key
        return self._ready(facts).count(scores, slopes, low=line.low, high=line.high, size=line.size)

    def within(self, facts: SweepFacts, line: Line, buckets: I64) -> Steps:
        if self._last != line.key:
            self.count(facts, line)
        chosen = np.zeros(N_BUCKETS, np.bool_)
        chosen[buckets] = True
        steps, changes, places = self._ready(facts).within(chosen)
        return Steps(steps, changes, places.astype(np.int64))

    def smoothed_sums(self, facts: SweepFacts, line: Line, smoothing: Smoothing) -> SmoothedSums:
        scores, slopes = self._part.scores(line.weights), self._part.slopes(line.direction)
        self._last = ()
        return self._ready(facts).smoothed_sums(scores, slopes, smoothing, low=line.low, high=line.high)

    def give_back(self) -> None:
        self._last = ()
        if self._sweep is not None:
            self._sweep.give_back()

    def _ready(self, facts: SweepFacts) -> MetricSweep:
        if self._sweep is None:
            own = self._part
            self._sweep = MetricSweep(own.metric, own.data.judgments, query_weights=own.query_weights, facts=facts)
        return self._sweep


def facts_of(part: Part) -> SweepFacts:
    """Return the facts about one part that the sweeps of all parts need."""
    return SweepFacts.of(part.metric, part.data.judgments, part.query_weights)


def count_lines(part: Part, facts: SweepFacts, lines: Sequence[Line]) -> list[BucketSums]:
    """Return the sums of a part's steps in buckets, for each line."""
    return [part.kept(_Sweeping).count(facts, line) for line in lines]


def smoothed_sums_of(part: Part, facts: SweepFacts, line: Line, smoothing: Smoothing) -> SmoothedSums:
    """Return the sums of a part's steps that determine the smoothed metric on a line."""
    return part.kept(_Sweeping).smoothed_sums(facts, line, smoothing)


def steps_of(
    part: Part, facts: SweepFacts, line: Line, divisions: Sequence[Division], chosen: I64, then: Division | None
) -> Steps | I64:
    """Return a part's steps in chosen buckets, or their sums in smaller buckets where there are too many.

    Parameters
    ----------
    part : Part
    facts : SweepFacts
    line : Line
    divisions : sequence of Division
        Divisions that lead to the buckets.
    chosen : array of int64
        Numbers of the chosen buckets.
    then : Division, optional
        Next division of the chosen buckets; with None, all steps are returned, however many.
    """
    found = part.kept(_Sweeping).within(facts, line, divisions[0].chosen if divisions else chosen)
    kept, buckets = find(found.steps, found.buckets, divisions)
    inside = np.isin(buckets, chosen)
    return _sendable(Steps(found.steps[kept][inside], found.changes[kept][inside], buckets[inside]), then)


def _sendable(found: Steps, then: Division | None) -> Steps | I64:
    """Return the steps, or their sums in smaller buckets where there are too many."""
    return found if then is None or found.steps.size <= _MOST_STEPS else _divided(found, then)


def _divided(found: Steps | I64, division: Division) -> I64:
    if not isinstance(found, Steps):
        return found
    return sums_in(division.find(found.steps, found.buckets), found.changes, division.n_buckets)


def joined_steps(then: Division | None, a: Steps | I64, b: Steps | I64) -> Steps | I64:
    """Return the result of :func:`steps_of` for two parts together.

    Parameters
    ----------
    then : Division, optional
        The division given for both parts.
    a, b : Steps or array of int64
    """
    if isinstance(a, Steps) and isinstance(b, Steps):
        return _sendable(Steps.joined([a, b]), then)
    if then is None:
        raise TypeError("steps without a further division have no sums")
    return _divided(a, then) + _divided(b, then)


def joined_counts(a: Sequence[BucketSums], b: Sequence[BucketSums]) -> list[BucketSums]:
    """Return the result of :func:`count_lines` for two parts together.

    Parameters
    ----------
    a, b : sequences of BucketSums
    """
    return [_joined_count(one, other) for one, other in zip(a, b, strict=True)]


def _joined_count(a: BucketSums, b: BucketSums) -> BucketSums:
    """Return the sums of both; the typical size is the geometric mean, weighted by the number of steps."""
    n_steps = a.n_steps + b.n_steps
    logarithm = a.n_steps * math.log(a.typical_step) + b.n_steps * math.log(b.typical_step)
    return BucketSums(a.start + b.start, a.sums + b.sums, math.exp(logarithm / max(n_steps, 1)), n_steps)


count_lines.reads_few = steps_of.reads_few = True  # type: ignore[attr-defined]  # one column, along an axis
smoothed_sums_of.reads_few = True  # type: ignore[attr-defined]

Ask = Callable[..., list[Any]]
"""Calls a function on every part with the same arguments, and combines the results of a worker's parts."""


@dataclass(frozen=True, eq=False)
class CountedLine:
    """A line whose steps are counted in all parts.

    Attributes
    ----------
    ask : callable
    facts : SweepFacts
    line : Line
    buckets : Buckets
    """

    ask: Ask
    facts: SweepFacts
    line: Line
    buckets: Buckets

    @property
    def bound(self) -> float:
        """Upper bound of the metric on the line."""
        return float(self.facts.value(int(self.buckets.reach.max())))

    def peaks(self, above: float) -> Iterator[Interval]:
        """Yield the best interval, then alternatives, best first, as long as their values exceed a number.

        Parameters
        ----------
        above : float
        """
        best = self._best()
        if best is None:  # the intervals that seemed best were artifacts of rounding
            best = self._function(np.arange(N_BUCKETS)).best()
        yield best
        chosen = np.flatnonzero(self.facts.value(self.buckets.reach) > above)
        if chosen.size:
            for interval in self._function(chosen).peaks():
                if interval != best and not interval.is_narrow:
                    yield interval

    def _best(self) -> Interval | None:
        """Return the widest interval on which the metric is largest, None where it is an artifact of rounding."""
        buckets, divisions = self.buckets, list[Division]()
        while len(divisions) < _MOST_DIVISIONS:
            division = buckets.divided()
            answers = self._ask(divisions, buckets.of_interest, division)
            if all(isinstance(answer, Steps) for answer in answers):
                break
            sums = np.sum([_divided(answer, division) for answer in answers], axis=0)
            buckets = buckets.within(division, sums)
            divisions.append(division)
        else:
            answers = self._ask(divisions, buckets.of_interest, None)
        best = self._assembled(buckets, answers).best()
        return None if best.is_narrow or best.value < self.facts.value(buckets.reached) else best

    def _function(self, chosen: I64) -> StepFunction:
        return self._assembled(self.buckets, self._ask([], chosen, None))

    def _assembled(self, buckets: Buckets, answers: Sequence[Steps]) -> StepFunction:
        found = Steps.joined(answers)
        steps, values = buckets.values(found.steps, found.changes, found.buckets)
        return StepFunction(steps, self.facts.value(values), self.line.low, self.line.high)

    def _ask(self, divisions: Sequence[Division], chosen: I64, then: Division | None) -> list[Any]:
        join = partial(joined_steps, then)
        return self.ask(steps_of, self.facts, self.line, divisions, chosen, then, combine=join)


def counted(ask: Ask, facts: SweepFacts, lines: Sequence[Line]) -> list[tuple[CountedLine, float]]:
    """Count the steps of some lines in all parts, and return each with the size of its typical step.

    Parameters
    ----------
    ask : callable
    facts : SweepFacts
    lines : sequence of Line
    """
    found = []
    for line, parts in zip(
        lines, zip(*ask(count_lines, facts, lines, combine=joined_counts), strict=True), strict=True
    ):
        total = reduce(_joined_count, parts)
        buckets = Buckets.first(total.start, total.sums, line.size)
        found.append((CountedLine(ask, facts, line, buckets), total.typical_step))
    return found
