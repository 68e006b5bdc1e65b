"""Alarms about single queries: must-win queries, and queries that fell from 1 to 0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from rankmax.errors import UnknownNameError, some_of
from rankmax.workflows.relevance_gate.findings import Finding, Outcome
from rankmax.workflows.relevance_gate.gate_systems import GateSystem

_ROUNDING = 1e-9
_MOST_LISTED = 20  # alarms of one kind and candidate


def must_win_findings(
    baseline: GateSystem,
    candidate: GateSystem,
    m: int,
    metric: str,
    must_win: Sequence[str] | Mapping[str, float],
) -> Iterator[Finding]:
    """Yield whether each must-win query keeps the baseline's value of a metric, or reaches a given one.

    Parameters
    ----------
    baseline, candidate : GateSystem
    m : int
        Row of the metric in the systems' values.
    metric : str
    must_win : sequence of str, or mapping of str to float
    """
    places = {query: q for q, query in enumerate(candidate.query_ids)}
    for query in must_win:
        if query not in places:
            raise UnknownNameError("must-win query", query, places)
        q = places[query]
        needed = must_win[query] if isinstance(must_win, Mapping) else float(baseline.values[m, q])
        value = float(candidate.values[m, q])
        said = f"{metric} is {value:.4f}, and has to be at least {needed:.4f}"
        outcome = Outcome.PASS if value >= needed - _ROUNDING else Outcome.FAIL
        possible = value if candidate.if_relevant is None else float(candidate.if_relevant[m, q])
        if outcome is Outcome.FAIL and possible >= needed - _ROUNDING:
            outcome, said = Outcome.UNKNOWN, f"{said}; it is {possible:.4f} if its unjudged documents are relevant"
        yield Finding("must-win", outcome, candidate.name, f"query {query}", said, query)


def fallen_to_zero(
    baseline: GateSystem, candidate: GateSystem, metrics: Sequence[tuple[int, str]], allowed: int | None
) -> Iterator[Finding]:
    """Yield the queries that fell from 1 to 0 in a metric.

    Parameters
    ----------
    baseline, candidate : GateSystem
    metrics : sequence of tuple of int and str
        Rows of the systems' values, and the metrics' names.
    allowed : int or None
        Number of queries that may fall; None only warns of them.
    """
    fallen: dict[int, list[str]] = {}
    for m, metric in metrics:
        for q in np.flatnonzero((baseline.values[m] >= 1 - _ROUNDING) & (candidate.values[m] <= _ROUNDING)).tolist():
            fallen.setdefault(q, []).append(metric)
    if allowed is None and not fallen:
        return
    names = [candidate.query_ids[q] for q in fallen]
    counted = f"{len(fallen)} {'query' if len(fallen) == 1 else 'queries'} fell from 1 to 0"
    if allowed is not None:
        outcome = Outcome.PASS if len(fallen) <= allowed else Outcome.FAIL
        listed = f" ({some_of(names)})" if names else ""
        subject = f"queries that fall from 1 to 0 <= {allowed}"
        yield Finding("fallen", outcome, candidate.name, subject, counted + listed)
    outcome = Outcome.WARNING
    for q, own in sorted(fallen.items())[:_MOST_LISTED]:
        query = candidate.query_ids[q]
        said = f"fell from 1 to 0 in {', '.join(own)}"
        if candidate.grades is not None and candidate.grades[q] and np.isnan(candidate.grades[q]).all():
            said += "; none of its top documents is judged"
        yield Finding("fallen", outcome, candidate.name, f"query {query}", said, query)
    if len(fallen) > _MOST_LISTED:
        yield Finding("fallen", outcome, candidate.name, "queries", f"{counted}; the first {_MOST_LISTED} are listed")
