"""Rules of a relevance gate: the section `[check]` of a project file, or options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from rankmax.errors import InvalidParameterError, RankmaxError, UnknownNameError
from rankmax.metrics.metric import Metric
from rankmax.metrics.registry import parse_metric

METRICS = ("nDCG@10",)
"""The default metrics of a gate."""

_FLOOR = re.compile(r"(?P<metric>.+?)\s*>=\s*(?P<value>[-+.\deE]+)(?:\s+in\s+(?P<segment>[^=]+=.+))?\s*", re.ASCII)
_Share = Annotated[float, Meta(ge=0, le=1)]


class UnjudgedRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Largest share of unjudged documents.

    Attributes
    ----------
    share : float
        Largest allowed share, from 0 to 1.
    depth : int
        Number of top documents of each query that are looked at.
    """

    share: _Share
    depth: Annotated[int, Meta(ge=1)] = 10


class LatencyRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on the latency that runs carry, in milliseconds.

    Attributes
    ----------
    p95 : float, optional
        Largest allowed 95th percentile over queries.
    slowdown : float, optional
        Largest allowed ratio of the candidate's 95th percentile to the baseline's.
    """

    p95: Annotated[float, Meta(gt=0)] | None = None
    slowdown: Annotated[float, Meta(gt=0)] | None = None


class Floor(NamedTuple):
    """A smallest allowed mean.

    Attributes
    ----------
    metric : str
    value : float
    segment : str or None
        Such as "category=shoes"; None for all queries.
    """

    metric: str
    value: float
    segment: str | None


class GateRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rules of a relevance gate.

    Attributes
    ----------
    metrics : list of str
        Metrics that must not be significantly worse than the baseline's; the first is the main metric.
    guardrails : list of str
        Further metrics that must not be significantly worse.
    segments : list of str
        Columns of the topics; each metric is also tested within the queries of each value.
    floors : list of str
        Smallest means, such as "nDCG@10 >= 0.45" or "AP >= 0.3 in category=shoes".
    margins : dict of str to float
        Metrics that have to be shown no worse than the baseline by this margin (non-inferiority).
    must_win : list of str, or dict of str to float
        Queries whose main metric must not fall below the baseline's, or below a value.
    fallen : int, optional
        Largest number of queries that may fall from 1 to 0 in a metric; by default they are warned of.
    unjudged : UnjudgedRule, optional
    latency : LatencyRule, optional
    level : float
        Probability of a false alarm by the tests, over all metrics and segments.
    missing_queries : {"error", "zero"}
        Judged queries that a run lacks: an error, or counted as 0.

    Examples
    --------
    >>> GateRules(metrics=["nDCG@10", "AP"], floors=["AP >= 0.3 in kind=brand"]).floor_list[0].segment
    'kind=brand'
    """

    metrics: list[str] = msgspec.field(default_factory=lambda: list(METRICS))
    guardrails: list[str] = []
    segments: list[str] = []
    floors: list[str] = []
    margins: dict[str, Annotated[float, Meta(gt=0)]] = {}
    must_win: list[str] | dict[str, float] = []
    fallen: Annotated[int, Meta(ge=0)] | None = None
    unjudged: UnjudgedRule | None = None
    latency: LatencyRule | None = None
    level: Annotated[float, Meta(gt=0, lt=0.5)] = 0.04
    missing_queries: Literal["error", "zero"] = "error"

    @property
    def all_metrics(self) -> tuple[Metric, ...]:
        """Metrics of all rules, each once: main metrics, margins, guardrails, floors."""
        names = [*self.metrics, *self.margins, *self.guardrails, *(floor.metric for floor in self.floor_list)]
        return tuple(dict.fromkeys(map(parse_metric, names)))

    @property
    def floor_list(self) -> list[Floor]:
        """The floors, parsed."""
        return [_floor(text) for text in self.floors]

    @property
    def margin_by_metric(self) -> dict[str, float]:
        """The margins, by the usual names of their metrics."""
        return {parse_metric(name).name: margin for name, margin in self.margins.items()}

    @property
    def depth(self) -> int:
        """Number of top documents whose judgments are looked at."""
        return UnjudgedRule(share=1.0).depth if self.unjudged is None else self.unjudged.depth


def rules_of(values: Mapping[str, Any], *, where: str = "check") -> GateRules:
    """Return rules from plain values, checked.

    Parameters
    ----------
    values : mapping of str to object
        Attributes of :class:`GateRules`.
    where : str
        Where they stand, for errors.

    Examples
    --------
    >>> rules_of({"metrics": ["nDGC@10"]})
    Traceback (most recent call last):
    rankmax.errors.InvalidParameterError: check: unknown metric 'nDGC'; did you mean 'nDCG', 'nDCG' or 'DCG'? ...
    """
    try:
        for name in values:
            if name not in GateRules.__struct_fields__:
                raise UnknownNameError("rule", name, GateRules.__struct_fields__)
        rules = msgspec.convert(dict(values), GateRules)
        if not rules.metrics:
            raise InvalidParameterError("metrics: name at least one, such as 'nDCG@10'")
        _ = rules.all_metrics
    except (msgspec.ValidationError, RankmaxError) as error:
        raise InvalidParameterError(f"{where}: {error}") from None
    return rules


def _floor(text: str) -> Floor:
    match = _FLOOR.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        return Floor(parse_metric(match["metric"]).name, float(match["value"]), match["segment"])
    except ValueError as error:
        if isinstance(error, RankmaxError):
            raise
        raise InvalidParameterError(
            f"floor {text!r}: expected a metric, >= and a number, such as 'nDCG@10 >= 0.45', or "
            "'nDCG@10 >= 0.45 in category=shoes' for a segment"
        ) from None
