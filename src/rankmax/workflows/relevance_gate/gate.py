"""The relevance gate: rules applied to a baseline and candidates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from rankmax._arrays import F64, Bool
from rankmax.errors import IncompatibleError, UnknownNameError, counted
from rankmax.evaluation.significance import paired_tests
from rankmax.metrics.metric import Metric
from rankmax.metrics.registry import parse_metric
from rankmax.workflows.relevance_gate.findings import Cell, FallenQuery, Finding, GateReport, Outcome
from rankmax.workflows.relevance_gate.gate_comparisons import (
    ComparedCells,
    compare_cells,
    fewest_queries,
    unjudged_share,
)
from rankmax.workflows.relevance_gate.gate_rules import GateRules
from rankmax.workflows.relevance_gate.gate_systems import GateSystem
from rankmax.workflows.relevance_gate.query_alarms import fallen_to_zero, must_win_findings

_MOST_FALLEN = 5  # queries shown with their rankings, for each candidate
_SHOWN_DEPTH = 10  # documents of each ranking
_FOUR_OF_FIVE = 0.8


def run_gate(
    baseline: GateSystem,
    candidates: Sequence[GateSystem],
    metrics: Sequence[Metric],
    rules: GateRules,
    *,
    segments: Mapping[str, Bool],
    topics: Mapping[str, str],
    seed: int = 0,
) -> GateReport:
    """Apply the rules.

    Parameters
    ----------
    baseline : GateSystem
    candidates : sequence of GateSystem
        Over the queries of the baseline.
    metrics : sequence of Metric
        The metrics of the systems' values.
    rules : GateRules
    segments : mapping of str to array of bool
        Queries of each segment, such as "category=shoes".
    topics : mapping of str to str
        Texts of queries, where they are known.
    seed : int
        Random seed of the tests.
    """
    names = dict.fromkeys([*rules.metrics, *rules.margins, *rules.guardrails])
    tested = list(dict.fromkeys(map(parse_metric, names)))
    main = parse_metric(rules.metrics[0])
    compared = compare_cells(baseline, candidates, metrics, tested, segments, level=rules.level, seed=seed)
    gate = _Gate(baseline, candidates, list(metrics), rules, compared, segments, main)
    return GateReport(
        baseline.name,
        tuple(candidate.name for candidate in candidates),
        main.name,
        len(baseline.query_ids),
        tuple(gate.findings(tested, seed)),
        compared.cells,
        tuple(gate.fallen(topics)),
        rules.level,
        compared.method,
        compared.power,
    )


@dataclass(frozen=True, eq=False)
class _Gate:
    baseline: GateSystem
    candidates: Sequence[GateSystem]
    metrics: list[Metric]
    rules: GateRules
    compared: ComparedCells
    segments: Mapping[str, Bool]
    main: Metric

    def findings(self, tested: Sequence[Metric], seed: int) -> Iterator[Finding]:
        names = {metric.name for metric in tested}
        guardrails = {parse_metric(name).name for name in self.rules.guardrails}
        margins = self.rules.margin_by_metric
        for row, cell in enumerate(self.compared.cells):
            if cell.metric not in names:
                continue
            if cell.segment is None and cell.metric in margins:
                yield self._margin(row, cell, margins[cell.metric], seed)
            else:
                yield self._significance(row, cell, "guardrail" if cell.metric in guardrails else "significance")
        for candidate in self.candidates:
            yield from self._floors(candidate)
            main = self.metrics.index(self.main)
            yield from must_win_findings(self.baseline, candidate, main, self.main.name, self.rules.must_win)
            places = [(self.metrics.index(metric), metric.name) for metric in tested]
            yield from fallen_to_zero(self.baseline, candidate, places, self.rules.fallen)
            yield from self._unjudged(candidate)
            yield from self._latency(candidate)

    def _significance(self, row: int, cell: Cell, rule: str) -> Finding:
        def found(outcome: Outcome, message: str) -> Finding:
            return Finding(rule, outcome, cell.candidate, cell.name, message)

        fewest = fewest_queries(self.rules.level)
        if cell.queries < fewest:
            outcome = Outcome.UNKNOWN if cell.segment is None else Outcome.WARNING
            few = counted(cell.queries, "query is", "queries are")
            return found(outcome, f"{_changed(cell)}; {few} too few to test: {fewest} are needed")
        if cell.corrected_p_value > self.rules.level:
            return found(
                Outcome.PASS, f"{_changed(cell)}, not significantly worse (p {_p(cell)}); {_power(cell, fewest)}"
            )
        worse = f"{_changed(cell)}, significantly worse (p {_p(cell)})"
        if self.compared.explained[row]:
            return found(Outcome.UNKNOWN, f"{worse}, but perhaps for missing judgments alone: {_interval(cell)}")
        return found(Outcome.FAIL, worse)

    def _margin(self, row: int, cell: Cell, margin: float, seed: int) -> Finding:
        def found(outcome: Outcome, message: str) -> Finding:
            return Finding("margin", outcome, cell.candidate, cell.name, message)

        differences = self.compared.differences[row]
        shifted = (differences + margin)[np.newaxis]
        p_value = paired_tests("randomization", shifted, "greater", n_permutations=20_000, seed=seed)[0].p_value
        changed = _changed(cell)
        if p_value <= self.rules.level:
            return found(Outcome.PASS, f"{changed}, shown to be no worse by {margin:g} (p {p_value:.4f})")
        if cell.corrected_p_value <= self.rules.level and not self.compared.explained[row]:
            return found(
                Outcome.FAIL, f"{changed}, significantly worse (p {_p(cell)}), and perhaps by {margin:g} or more"
            )
        needed = _queries_needed(differences, margin, self.rules.level)
        message = f"{changed}, not shown to be no worse by {margin:g} (p {p_value:.4f}); "
        if self.compared.explained[row] and cell.corrected_p_value <= self.rules.level:
            return found(Outcome.UNKNOWN, f"{message}perhaps for missing judgments alone: {_interval(cell)}")
        enough = f"about {needed:,} queries would be enough if nothing had changed"
        return found(Outcome.UNKNOWN, f"{message}{enough if needed > cell.queries else 'the drop is too close to it'}")

    def _floors(self, candidate: GateSystem) -> Iterator[Finding]:
        for floor in self.rules.floor_list:
            if floor.segment is not None and floor.segment not in self.segments:
                raise UnknownNameError("segment", floor.segment, self.segments or ["none: name columns in segments"])
            cell = next(
                one
                for one in self.compared.cells
                if (one.candidate, one.metric, one.segment) == (candidate.name, floor.metric, floor.segment)
            )
            subject = f"{cell.name} >= {floor.value:g}"
            if cell.value >= floor.value:
                yield Finding("floor", Outcome.PASS, candidate.name, subject, f"{cell.value:.4f}")
            elif cell.if_relevant >= floor.value:
                said = f"{cell.value:.4f}, perhaps for missing judgments alone: {_interval(cell)}"
                yield Finding("floor", Outcome.UNKNOWN, candidate.name, subject, said)
            else:
                yield Finding("floor", Outcome.FAIL, candidate.name, subject, f"{cell.value:.4f}, below the floor")

    def _unjudged(self, candidate: GateSystem) -> Iterator[Finding]:
        rule = self.rules.unjudged
        if rule is None:
            return
        share = unjudged_share(candidate, np.ones(len(candidate.query_ids), np.bool_))
        subject = f"share of the top {rule.depth} <= {100 * rule.share:g}%"
        if share <= rule.share:
            yield Finding("unjudged", Outcome.PASS, candidate.name, subject, f"{100 * share:.1f}%")
            return
        cell = next(one for one in self.compared.cells if one.candidate == candidate.name and one.segment is None)
        yield Finding("unjudged", Outcome.UNKNOWN, candidate.name, subject, f"{_interval(cell)}; judge them")

    def _latency(self, candidate: GateSystem) -> Iterator[Finding]:
        rule = self.rules.latency
        if rule is None:
            return
        now = _p95(candidate)
        if rule.p95 is not None:
            outcome = Outcome.PASS if now <= rule.p95 else Outcome.FAIL
            yield Finding("latency", outcome, candidate.name, f"95% of queries <= {rule.p95:g} ms", f"{now:.1f} ms")
        if rule.slowdown is not None:
            before = _p95(self.baseline)
            outcome = Outcome.PASS if now <= rule.slowdown * before else Outcome.FAIL
            subject = f"95% of queries <= {rule.slowdown:g} x baseline"
            yield Finding("latency", outcome, candidate.name, subject, f"{now:.1f} ms against {before:.1f} ms")

    def fallen(self, topics: Mapping[str, str]) -> Iterator[FallenQuery]:
        """Yield the queries whose main metric fell most."""
        m = self.metrics.index(self.main)
        before = self.baseline.values[m]
        for candidate in self.candidates:
            differences = np.nan_to_num(candidate.values[m] - before)
            for q in np.argsort(differences, kind="stable")[:_MOST_FALLEN].tolist():
                if differences[q] < -1e-12:
                    query = candidate.query_ids[q]
                    yield FallenQuery(
                        candidate.name,
                        query,
                        topics.get(query),
                        float(before[q]),
                        float(candidate.values[m][q]),
                        self.baseline.ranking(q, _SHOWN_DEPTH),
                        candidate.ranking(q, _SHOWN_DEPTH),
                    )


def _changed(cell: Cell) -> str:
    return f"{cell.baseline:.4f} to {cell.value:.4f} ({cell.difference:+.4f})"


def _p(cell: Cell) -> str:
    return f"{cell.corrected_p_value:.4f}"


def _power(cell: Cell, fewest: int) -> str:
    if math.isnan(cell.noticeable_drop):
        return f"too few queries differ to say which drop would be noticed; at least {fewest} have to fall"
    return f"a drop of {cell.noticeable_drop:.4f} would be noticed four times of five"


def _interval(cell: Cell) -> str:
    low, high = sorted([cell.value, cell.if_relevant])
    return (
        f"{100 * cell.unjudged:.1f}% of the top documents are not judged; {cell.metric} is {cell.value:.4f} if none of "
        f"them is relevant and {cell.if_relevant:.4f} if all are (from {low - cell.baseline:+.4f} to "
        f"{high - cell.baseline:+.4f})"
    )


def _p95(system: GateSystem) -> float:
    if system.latencies is None:
        raise IncompatibleError(
            f"{system.path or system.name} carries no latency, which a rule is about; give a table with a column "
            "latency_ms, or remove the rule"
        )
    return float(np.nanpercentile(system.latencies, 95))


def _queries_needed(differences: F64, margin: float, level: float) -> int:
    """Return the number of queries that show no drop by the margin four times of five, where the means are equal."""
    quantile = NormalDist().inv_cdf
    spread = float(np.nanstd(differences))
    return math.ceil(((quantile(1 - level) + quantile(_FOUR_OF_FIVE)) * spread / margin) ** 2)
