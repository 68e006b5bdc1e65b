"""Significance tests of a relevance gate: every metric of every candidate, over all queries and by segment."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankmax._arrays import F64, Bool
from rankmax.errors import IncompatibleError
from rankmax.evaluation.differences import paired_differences
from rankmax.evaluation.joint_regression_test import JointRegressionTest, joint_regression_test
from rankmax.evaluation.noticeable_drops import caught_share, noticeable_drops
from rankmax.metrics.evaluator import mean_of_counted
from rankmax.metrics.metric import Metric
from rankmax.workflows.relevance_gate.findings import Cell
from rankmax.workflows.relevance_gate.gate_systems import GateSystem

_N_FLIPS = 9_999


@dataclass(frozen=True, eq=False)
class ComparedCells:
    """Cells of a gate with their differences.

    Attributes
    ----------
    cells : tuple of Cell
    differences : array of float64, shape (n_cells, n_queries)
        Candidate minus baseline; NaN where a query is not part of the cell.
    explained : tuple of bool
        Whether a drop would no longer be significant if the unjudged top documents were relevant, in queries where the
        candidate shows some that the baseline does not.
    power : dict of str to float
        Probability that a change like each candidate's is noticed in any cell.
    method : str
        The test in words.
    """

    cells: tuple[Cell, ...]
    differences: F64
    explained: tuple[bool, ...]
    power: dict[str, float]
    method: str


def fewest_queries(level: float) -> int:
    """Return the number of queries below which no test can reach a level, whatever their differences are.

    Parameters
    ----------
    level : float

    Examples
    --------
    >>> fewest_queries(0.05), fewest_queries(0.01)
    (5, 7)
    """
    return math.ceil(-math.log2(level))


def compare_cells(
    baseline: GateSystem,
    candidates: Sequence[GateSystem],
    metrics: Sequence[Metric],
    tested: Sequence[Metric],
    segments: Mapping[str, Bool],
    *,
    level: float,
    seed: int,
) -> ComparedCells:
    """Compare all candidates with the baseline, with one test over all cells that are tested.

    Parameters
    ----------
    baseline : GateSystem
    candidates : sequence of GateSystem
    metrics : sequence of Metric
        The metrics of the systems' values.
    tested : sequence of Metric
        Those that are tested; of the others only means are given.
    segments : mapping of str to array of bool
        Queries of each segment.
    level : float
    seed : int
    """
    every = np.ones(len(baseline.query_ids), np.bool_)
    groups: list[tuple[str | None, Bool]] = [(None, every), *segments.items()]
    cells, rows, if_relevant, is_tested = [], [], [], []
    for candidate in candidates:
        for m, metric in enumerate(metrics):
            difference = paired_differences(candidate.values[m], baseline.values[m])
            possible = difference
            if candidate.if_relevant is not None:
                best = np.where(_shows_new_unjudged(candidate, baseline), candidate.if_relevant[m], candidate.values[m])
                possible = paired_differences(best, baseline.values[m])
            for segment, mask in groups:
                cell = _cell(candidate, baseline, m, metric, segment, mask & ~np.isnan(difference))
                cells.append(cell)
                rows.append(np.where(mask, difference, np.nan))
                if_relevant.append(np.where(mask, possible, np.nan))
                is_tested.append(metric in tested and cell.queries >= fewest_queries(level))
    differences = np.array(rows)
    family = np.flatnonzero(is_tested)
    explained = [False] * len(cells)
    power: dict[str, float] = {}
    if family.size:
        result = joint_regression_test(differences[family], level=level, n_flips=_N_FLIPS, seed=seed)
        with_grades = joint_regression_test(np.array(if_relevant)[family], level=level, n_flips=_N_FLIPS, seed=seed)
        drops = noticeable_drops(differences[family], result.critical_value, level=level, seed=seed)
        for place, row in enumerate(family):
            cells[row] = replace(
                cells[row],
                p_value=float(result.p_values[place]),
                corrected_p_value=float(result.corrected_p_values[place]),
                power=drops[place].power,
                noticeable_drop=drops[place].drop,
            )
            explained[row] = bool(with_grades.corrected_p_values[place] > level)
        for candidate in candidates:
            own = [row for row in family if cells[row].candidate == candidate.name]
            power[candidate.name] = caught_share(differences[own], result.critical_value, level=level, seed=seed)
        method = _method(result, len(tested), len(candidates), family.size, level)
    else:
        method = f"no test: there are fewer than {fewest_queries(level)} queries"
    return ComparedCells(tuple(cells), differences, tuple(explained), power, method)


def segment_masks(columns: Mapping[str, Mapping[str, str]], query_ids: Sequence[str]) -> dict[str, Bool]:
    """Return the queries of each segment, a column and one of its values.

    Parameters
    ----------
    columns : mapping of str to mapping of str to str
        Values by query, by the name of the column.
    query_ids : sequence of str

    Examples
    --------
    >>> segment_masks({"kind": {"q1": "brand", "q2": "other"}}, ["q1", "q2"])
    {'kind=brand': array([ True, False]), 'kind=other': array([False,  True])}
    """
    masks: dict[str, Bool] = {}
    for column, values in columns.items():
        missing = [query for query in query_ids if query not in values]
        if missing:
            raise IncompatibleError(
                f"the topics have no {column!r} for {len(missing)} judged queries, such as {missing[0]!r}"
            )
        own = np.array([values[query] for query in query_ids])
        masks |= {f"{column}={value}": own == value for value in sorted(set(own.tolist()))}
    return masks


def _shows_new_unjudged(candidate: GateSystem, baseline: GateSystem) -> Bool:
    """Return for each query whether the candidate shows an unjudged document that the baseline does not show.

    Whatever the grade of one that both show, both would get it: it explains no drop.
    """
    if candidate.top is None or candidate.grades is None or baseline.top is None:
        return np.ones(len(candidate.query_ids), np.bool_)
    return np.array(
        [
            any(math.isnan(grade) and name not in shown for name, grade in zip(names, grades, strict=True))
            for names, grades, shown in zip(candidate.top, candidate.grades, map(set, baseline.top), strict=True)
        ],
        np.bool_,
    )


def _cell(
    candidate: GateSystem, baseline: GateSystem, m: int, metric: Metric, segment: str | None, counted: Bool
) -> Cell:
    untested = math.nan
    possible = candidate.values if candidate.if_relevant is None else candidate.if_relevant
    return Cell(
        candidate.name,
        metric.name,
        segment,
        int(np.count_nonzero(counted)),
        mean_of_counted(baseline.values[m][counted]),
        mean_of_counted(candidate.values[m][counted]),
        *(untested, untested, untested, untested),
        unjudged_share(candidate, counted),
        mean_of_counted(possible[m][counted]),
    )


def unjudged_share(system: GateSystem, queries: Bool) -> float:
    """Return the share of unjudged documents among the top ones of some queries; NaN where they are not known.

    Parameters
    ----------
    system : GateSystem
    queries : array of bool, shape (n_queries,)
    """
    if system.grades is None:
        return math.nan
    shown = [grade for q in np.flatnonzero(queries) for grade in system.grades[q]]
    return float(np.mean(np.isnan(shown))) if shown else math.nan


def _method(result: JointRegressionTest, n_metrics: int, n_candidates: int, n_cells: int, level: float) -> str:
    flips = "all sign flips" if result.exact else f"{_N_FLIPS:,} random sign flips"
    test = f"one-sided paired randomization test of the mean difference, {flips} of whole queries"
    if n_cells == 1:
        return f"{test}; {100 * level:g}% false alarms"
    counted = f"{n_cells} comparisons ({n_metrics} metric{'s'[: n_metrics > 1]}"
    counted += f", {n_candidates} candidates" if n_candidates > 1 else ""
    counted += ", by segment)" if n_cells > n_metrics * n_candidates else ")"
    return (
        f"{test}; p-values of {counted} corrected together by their largest statistic (max-T), so that one false "
        f"alarm or more has a probability of {100 * level:g}%"
    )
