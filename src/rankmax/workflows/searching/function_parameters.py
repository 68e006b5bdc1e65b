"""Tuning of the parameters of retrieval functions by the metric itself.

They are hyperparameters of features, not weights: no exact line search knows how a metric depends on them. But there
are only one or two, so points spread over their range are tried first, and then ever closer ones.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from rankmax._arrays import F64
from rankmax._numerics.standard_error import standard_error
from rankmax.errors import IncompatibleError, InvalidParameterError, UnknownNameError
from rankmax.line_search.golden_section import narrow_down
from rankmax.metrics.metric import Metric
from rankmax.retrieval.features.feature import NamedFeature
from rankmax.workflows.searching.feature_trials import Trials

_F = TypeVar("_F", bound=NamedFeature)

_N_PLACES = 9
_N_SECTIONS = 4
_MOST_ROUNDS = 4
_NEGLIGIBLE = 0.1  # standard errors that a round must gain for another round to follow
_DIGITS = 3  # significant digits of a parameter: more mean nothing, and make names long


@dataclass(frozen=True)
class ParameterRange:
    """Range of a parameter to search.

    Parameters
    ----------
    low, high : float
        Ends of the range, inclusive.
    is_ratio : bool
        Whether points are spaced by equal ratios rather than equal differences.

    Examples
    --------
    >>> ParameterRange(1, 10_000, is_ratio=True).at(0.5), ParameterRange(0, 1).at(0.25)
    (100.0, 0.25)
    """

    low: float
    high: float
    is_ratio: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InvalidParameterError(f"the range from {self.low} to {self.high} is empty: give the lower end first")
        if self.is_ratio and self.low <= 0:
            raise InvalidParameterError(f"a range by ratios starts above 0, not at {self.low}")

    def at(self, share: float) -> float:
        """Return the value at a fraction of the range, 0 to 1, with three digits."""
        if self.is_ratio:
            place = self.low * (self.high / self.low) ** share
        else:
            place = self.low + (self.high - self.low) * share
        return float(f"{place:.{_DIGITS}g}")


RANGES: Mapping[str, ParameterRange] = {
    "mu": ParameterRange(1, 100_000, is_ratio=True),
    "background": ParameterRange(0.01, 0.99),
    "k1": ParameterRange(0, 4),
    "b": ParameterRange(0, 1),
    "k3": ParameterRange(0.1, 1000, is_ratio=True),
}
"""Default ranges of the parameters."""


@dataclass(frozen=True)
class Trial(Generic[_F]):
    """A retrieval function with its evaluation.

    Attributes
    ----------
    function : NamedFeature
    value : float
        Mean of the metric over the queries.
    """

    function: _F
    value: float


@dataclass(frozen=True)
class Tuning(Generic[_F]):
    """Tuned parameters, and how they were found.

    Attributes
    ----------
    metric : Metric
    start, best : Trial
    standard_error : float
        Standard error of the best value, over queries.
    ranges : mapping of str to ParameterRange
        The parameters that were tuned.
    curves : mapping of str to array, shape (n, 2)
        By parameter, the values tried in its last search, ascending, with the metric at each; the other parameters were
        fixed meanwhile.
    """

    metric: Metric
    start: Trial[_F]
    best: Trial[_F]
    standard_error: float
    ranges: Mapping[str, ParameterRange]
    curves: Mapping[str, F64]


def tune_function(
    function: _F, trials: Trials, metric: Metric, *, ranges: Mapping[str, ParameterRange] | None = None
) -> Tuning[_F]:
    """Tune the parameters of a retrieval function by a metric over queries.

    One parameter after the other is searched with the others fixed, in rounds, until a round gains next to nothing:
    at points spread over its range, then by golden-section search around the best of them. A metric has many small
    local maxima along a parameter, so the result is near the highest point rather than at it; the standard error shows
    how little that matters.

    Parameters
    ----------
    function : NamedFeature
        Start of the search; parameters that are not tuned keep their values.
    trials : Trials
        Trials over the training queries.
    metric : Metric
        One of the metrics of the trials.
    ranges : mapping of str to ParameterRange, optional
        The parameters to tune; by default those that :data:`RANGES` names and that are finite in `function`.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax import Qrels
    >>> from rankmax.metrics import RR
    >>> from rankmax.retrieval import Document, build_index
    >>> from rankmax.retrieval.features import BM25
    >>> from rankmax.workflows.searching.judged_queries import JudgedQueries
    >>> documents = [Document("long", {"text": "wing past a wing"}), Document("short", {"text": "wing"})]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index(documents, f"{folder}/index")
    ...     queries = JudgedQueries.of(index, {"q1": "wing"}, Qrels.from_dict({"q1": {"long": 1}}))
    ...     with Trials(queries, [RR()]) as trials:
    ...         tuning = tune_function(BM25(), trials, RR())
    >>> tuning.start.value, tuning.best.value
    (0.5, 1.0)

    References
    ----------
    Metzler & Croft 2007, sections 2.5 and 4.1: hyperparameters belong to features, and are set to the values that
    maximize the metric on the training data.
    """
    chosen = _ranges_of(function, ranges)
    curves = {}
    start = best = Trial(function, trials.mean(function, metric))
    for _ in range(_MOST_ROUNDS):
        before = best
        for parameter, within in chosen.items():
            line = _look_along(best, parameter, within, trials, metric)
            curves[parameter] = np.array([[getattr(one.function, parameter), one.value] for one in line])
            best = max(best, *line, key=lambda trial: trial.value)
        if len(chosen) == 1 or best.value - before.value <= _NEGLIGIBLE * _standard_error(best, trials, metric):
            break
    return Tuning(metric, start, best, _standard_error(best, trials, metric), chosen, curves)


def _look_along(
    center: Trial[_F], parameter: str, within: ParameterRange, trials: Trials, metric: Metric
) -> list[Trial[_F]]:
    """Return trials that differ in one parameter, keyed by its value."""
    seen = {getattr(center.function, parameter): center}

    def at(share: float) -> float:
        place = within.at(share)
        if place not in seen:
            function: _F = replace(center.function, **{parameter: place})
            seen[place] = Trial(function, trials.mean(function, metric))
        return seen[place].value

    places = np.linspace(0, 1, _N_PLACES).tolist()
    top = int(np.argmax([at(share) for share in places]))
    narrow_down(at, places[max(top - 1, 0)], places[min(top + 1, _N_PLACES - 1)], _N_SECTIONS)
    return [seen[place] for place in sorted(seen)]


def _standard_error(trial: Trial[_F], trials: Trials, metric: Metric) -> float:
    return standard_error(trials.values(trial.function, metric))


def _ranges_of(function: NamedFeature, ranges: Mapping[str, ParameterRange] | None) -> dict[str, ParameterRange]:
    parameters = [field.name for field in dataclasses.fields(function) if field.name != "fields"]
    for name in ranges or ():
        if name not in parameters:
            raise UnknownNameError(f"parameter of {function.symbol}", name, parameters)
    if ranges is None:
        ranges = {
            name: RANGES[name] for name in parameters if name in RANGES and math.isfinite(getattr(function, name))
        }
    if not ranges:
        tunable = ", ".join(name for name in parameters if name in RANGES) or "none"
        raise IncompatibleError(f"{function.name} has nothing to tune; parameters with a known range: {tunable}")
    return dict(ranges)
