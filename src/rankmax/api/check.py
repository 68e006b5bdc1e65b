"""`rankmax.check`: a relevance gate, which compares candidates with a baseline by rules."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from rankmax._result_views import Block, Facts, ResultView, Table, as_frame
from rankmax.api.check_inputs import GateInputs, segment_columns, topic_texts
from rankmax.api.inputs import Judged, MetricLike, as_metrics, as_systems
from rankmax.api.progress import Progress
from rankmax.errors import IncompatibleError, InvalidParameterError, RankmaxError
from rankmax.workflows.relevance_gate.baseline_file import is_baseline, write_baseline
from rankmax.workflows.relevance_gate.check_file import CheckFile
from rankmax.workflows.relevance_gate.findings import Cell, FallenQuery, Finding, GateReport, Outcome
from rankmax.workflows.relevance_gate.gate import run_gate
from rankmax.workflows.relevance_gate.gate_comparisons import segment_masks
from rankmax.workflows.relevance_gate.gate_rules import rules_of
from rankmax.workflows.relevance_gate.reports.pull_request import VERDICTS, cell_numbers, pull_request_comment
from rankmax.workflows.relevance_gate.reports.source_locations import SourceLocations

COLUMNS = (*(one.name for one in fields(Cell)), "difference")
"""The columns of :meth:`Check.to_frame`."""


@dataclass(frozen=True, eq=False, repr=False)
class Check(ResultView):
    """Result of a relevance gate, that of :func:`rankmax.check <rankmax.api.check.check>`.

    In a notebook it shows itself as tables.

    Attributes
    ----------
    report : GateReport
        Outcomes of all rules, compared metrics, and queries that fell.
    locations : SourceLocations
        Files that findings are about, for annotations.
    updated : str or None
        The baseline file that was written, if one was.

    Examples
    --------
    >>> from rankmax import check
    >>> qrels = {f"q{q}": {"d1": 1, "d2": 0} for q in range(8)}
    >>> good, bad = ({q: scores for q in qrels} for scores in ({"d1": 2, "d2": 1}, {"d1": 1, "d2": 2}))
    >>> result = check(qrels=qrels, baseline={"old": good}, candidate={"new": bad}, metrics=["RR"])
    >>> result.outcome.value, result.exit_status
    ('fail', 1)
    """

    report: GateReport
    locations: SourceLocations = field(default_factory=SourceLocations)
    updated: str | None = None

    @property
    def outcome(self) -> Outcome:
        """Outcome of the gate."""
        return self.report.outcome

    @property
    def passed(self) -> bool:
        """Whether every rule holds."""
        return self.outcome is Outcome.PASS

    @property
    def exit_status(self) -> int:
        """0 for a pass or a baseline that was written, 1 for a regression, 2 if the data cannot tell."""
        return 0 if self.updated is not None else self.report.exit_status

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Outcome of every rule."""
        return self.report.findings

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every metric of every candidate, over all queries and by segment, compared with the baseline."""
        return self.report.cells

    @property
    def fallen(self) -> tuple[FallenQuery, ...]:
        """Queries whose main metric fell most, with both rankings."""
        return self.report.fallen

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row for each compared metric."""
        return as_frame(COLUMNS, [[getattr(cell, name) for name in COLUMNS] for cell in self.cells])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which can be written as JSON."""
        cells = [{name: getattr(cell, name) for name in COLUMNS} for cell in self.cells]
        return {
            "outcome": self.outcome.value,
            "exit_status": self.exit_status,
            **asdict(self.report),
            "cells": cells,
        }

    def to_markdown(self) -> str:
        """Return a comment on a pull request, in GitHub's Markdown."""
        return pull_request_comment(self.report)

    def to_junit(self) -> bytes:
        """Return JUnit XML, with a test case for each rule."""
        from rankmax.workflows.relevance_gate.reports.junit import junit_xml

        return junit_xml(self.report)

    def to_sarif(self) -> dict[str, Any]:
        """Return a log of SARIF 2.1.0 as plain data, for code scanning."""
        from rankmax.workflows.relevance_gate.reports.sarif import sarif_log

        return sarif_log(self.report, self.locations)

    def annotations(self) -> list[str]:
        """Return workflow commands of GitHub Actions, which annotate files."""
        from rankmax.workflows.relevance_gate.reports.github_annotations import github_annotations

        return list(github_annotations(self.report, self.locations))

    @property
    def blocks(self) -> list[Block]:
        """The result as tables and facts."""
        return list(self._blocks())

    def _blocks(self) -> Iterator[Block]:
        report = self.report
        outcomes = {(one.candidate, one.subject): one.outcome.value for one in self.findings}
        header = ["queries", "baseline", "candidate", "difference", "p", "noticed from", "outcome"]
        for name in report.candidates:
            own = [cell for cell in self.cells if cell.candidate == name]
            rows = [[cell.name, *cell_numbers(cell), outcomes.get((name, cell.name), "")] for cell in own]
            yield Table([f"{name} against {report.baseline}", *header], rows)
        told = [one for one in self.findings if one.outcome is not Outcome.PASS]
        others = [one for one in self.findings if (one.candidate, one.subject) not in _names(self.cells)]
        facts: dict[str, str] = {}
        for one in [*told, *(other for other in others if other not in told)]:
            where = f" ({one.candidate})" if len(report.candidates) > 1 else ""
            facts[f"{one.rule}: {one.subject}{where}"] = f"{one.outcome.value}: {one.message}"
        if facts:
            yield Facts(facts)
        if self.fallen:
            rows = [[one.query, one.candidate, f"{one.baseline:.4f}", f"{one.value:.4f}"] for one in self.fallen]
            yield Table([f"fell most in {report.main_metric}", "candidate", "before", "after"], rows)
        yield Facts(self._summary())

    def _summary(self) -> dict[str, str]:
        report = self.report
        facts = {"test": report.method}
        main = [cell for cell in self.cells if cell.metric == report.main_metric and cell.segment is None]
        for cell in main:
            where = f" ({cell.candidate})" if len(main) > 1 else ""
            if cell.noticeable_drop == cell.noticeable_drop:  # not NaN
                facts[f"power{where}"] = (
                    f"a drop of {cell.noticeable_drop:.4f} in {cell.metric} would be noticed four times of five"
                )
            if cell.unjudged > 0:  # NaN where unknown
                facts[f"not judged{where}"] = (
                    f"{cell.unjudged:.1%} of the top documents; {cell.metric} is {cell.value:.4f} if none is relevant, "
                    f"{cell.if_relevant:.4f} if all are"
                )
        if self.updated is not None:
            facts["baseline"] = f"{self.updated} has the values of {report.candidates[0]} now"
            return facts
        n_held = sum(one.outcome is Outcome.PASS for one in self.findings)
        n_warnings = sum(one.outcome is Outcome.WARNING for one in self.findings)
        warned = f", {n_warnings} {'warning' if n_warnings == 1 else 'warnings'}" if n_warnings else ""
        n_rules = len(self.findings) - n_warnings
        facts["verdict"] = f"{VERDICTS[self.outcome]}: {n_held} of {n_rules} rules hold{warned}"
        return facts


def check(
    project: str | os.PathLike[str] | None = None,
    *,
    qrels: Any = None,
    baseline: Any = None,
    candidate: Any = None,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    runs: Any = None,
    topics: str | os.PathLike[str] | None = None,
    segments: Sequence[str] | None = None,
    floors: Sequence[str] | None = None,
    margins: Mapping[str, float] | None = None,
    guardrails: Sequence[str] | None = None,
    must_win: Sequence[str] | Mapping[str, float] | None = None,
    fallen: int | None = None,
    unjudged: Mapping[str, float] | None = None,
    latency: Mapping[str, float] | None = None,
    level: float | None = None,
    missing_queries: str | None = None,
    seed: int = 0,
    update_baseline: bool = False,
    progress: Progress | None = None,
) -> Check:
    """Compare candidates with a baseline by rules: a gate for continuous integration.

    Parameters
    ----------
    project : path, optional
        TOML file with a section ``[check]``, which gives whatever is not an argument.
    qrels : path, Qrels, mapping, data frame, or RankingDataset
        Judgments; a data file or data set for models that score its features.
    baseline : path or system
        A file of values by query that an earlier check wrote, a run, or a model.
    candidate : one system, a list of systems, or a mapping of names to systems
        Runs or models; or, with a project that names an engine, "engine:NAME" for a retriever, which is asked now, or
        "engine" for the fusion that was pushed.
    metrics : str, Metric, or sequence of these, optional
        Metrics that must not be significantly worse; nDCG@10 by default. The first is the main metric.
    runs : list of paths, or mapping of names to runs, optional
        Runs that models fuse.
    topics : path, optional
        Topics, whose columns are segments, and whose texts are shown.
    segments : sequence of str, optional
        Columns of the topics; every metric is also tested within each of their values.
    floors : sequence of str, optional
        Smallest means, such as "nDCG@10 >= 0.45" or "AP >= 0.3 in category=shoes".
    margins : mapping of str to float, optional
        Metrics that have to be shown no worse by a margin (non-inferiority), with the margin.
    guardrails : sequence of str, optional
        Further metrics that must not be significantly worse.
    must_win : sequence of str, or mapping of str to float, optional
        Queries that must not fall below the baseline in the main metric, or below a value.
    fallen : int, optional
        Largest number of queries that may fall from 1 to 0; by default they are warned of.
    unjudged : mapping, optional
        ``{"share": 0.2, "depth": 10}``: largest share of unjudged documents among the top ones.
    latency : mapping, optional
        ``{"p95": 200, "slowdown": 1.2}``: limits on the latency that runs carry, in milliseconds and as a ratio.
    level : float, optional
        Probability of a false alarm over all metrics and segments; 0.04 by default.
    missing_queries : {"error", "zero"}, optional
        Judged queries that a run lacks: an error (default), or counted as 0.
    seed : int, default 0
        Random seed of the tests.
    update_baseline : bool, default False
        Whether to write the candidate's values to the file `baseline`.
    progress : Progress, optional
        Receives progress.

    Returns
    -------
    Check

    Examples
    --------
    >>> qrels = {f"q{q}": {"d1": 1, "d2": 0} for q in range(8)}
    >>> runs = {q: {"d1": 2, "d2": 1} for q in qrels}
    >>> print(check(qrels=qrels, baseline={"old": runs}, candidate={"new": runs}, metrics=["RR"]).outcome.value)
    pass
    """
    opened = None if project is None else CheckFile(project)
    judgments: Any
    given: Any
    wanted: Any
    judgments, given, wanted = (
        argument if argument is not None else getattr(opened, name, None)
        for name, argument in (("qrels", qrels), ("baseline", baseline), ("candidate", candidate))
    )
    for name, value in (("qrels", judgments), ("baseline", given), ("candidate", wanted)):
        if value is None:
            raise InvalidParameterError(f"no {name}: give one (--{name}), or a project file that names it")
    options = {
        "metrics": None if metrics is None else [metric.name for metric in as_metrics(metrics)],
        "segments": _listed(segments),
        "floors": _listed(floors),
        "margins": margins,
        "guardrails": _listed(guardrails),
        "must_win": must_win if must_win is None or isinstance(must_win, Mapping) else list(must_win),
        "fallen": fallen,
        "unjudged": unjudged,
        "latency": latency,
        "level": level,
        "missing_queries": missing_queries,
    }
    chosen = {key: value for key, value in options.items() if value is not None}
    if opened is not None:  # alone, so that an error is of the file
        rules_of(opened.rules, where=f"{opened.path}: [check]")
    rules = rules_of({**(opened.rules if opened else {}), **chosen})
    texts = os.fspath(topics) if topics is not None else opened.topics if opened else None
    told = progress or Progress()
    inputs = GateInputs(
        Judged.of(judgments, as_systems(wanted)),
        rules.all_metrics,
        rules,
        runs,
        texts,
        opened,
        told,
    )
    candidates = inputs.candidates(wanted)
    locations = SourceLocations(None if opened is None else opened.path)
    if update_baseline:
        before, locations = _before(inputs, given, locations, len(candidates))
        system = before or candidates[0]
    else:
        system, stored = inputs.baseline(given)
        if stored is not None:
            locations = SourceLocations(locations.path or stored.path, stored.path, stored.lines)
    masks = segment_masks(segment_columns(texts, rules.segments), system.query_ids)
    with told.stage("Comparing"):
        report = run_gate(
            system, candidates, inputs.metrics, rules, segments=masks, topics=topic_texts(texts), seed=seed
        )
    if update_baseline:
        path = os.fspath(given)
        write_baseline(path, candidates[0], inputs.digests, inputs.metrics, inputs.ties.value)
        return Check(report, locations, path)
    return Check(report, locations)


def _before(inputs: GateInputs, given: Any, locations: SourceLocations, n_candidates: int) -> Any:
    """Return the baseline that is about to be replaced, if there is one to compare with."""
    if not isinstance(given, str | os.PathLike):
        raise InvalidParameterError("a baseline to be written is a path")
    if n_candidates > 1:
        raise InvalidParameterError("several candidates are given; a baseline has the values of one")
    if not os.path.exists(given):
        return None, locations
    if not is_baseline(given):
        raise IncompatibleError(f"{os.fspath(given)} is no baseline file, and is not overwritten; give another name")
    try:
        return inputs.baseline(given)[0], locations
    except RankmaxError:  # of other judgments, metrics or versions: the reason to write it again
        return None, locations


def _names(cells: Sequence[Cell]) -> set[tuple[str, str]]:
    return {(cell.candidate, cell.name) for cell in cells}


def _listed(values: Sequence[str] | None) -> list[str] | None:
    return [values] if isinstance(values, str) else None if values is None else list(values)
