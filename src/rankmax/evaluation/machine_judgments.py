"""Comparison of systems by human and machine judgments together, and of the two kinds of judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64
from rankmax.errors import InvalidDataError, some_of
from rankmax.evaluation.comparison import (
    BaselineComparison,
    Correction,
    SystemComparison,
    corrected_p_values,
    percentage,
    significance_marker,
)
from rankmax.evaluation.differences import cohens_d, count_wins, paired_differences
from rankmax.evaluation.prediction_powered import PredictionPowered, prediction_powered
from rankmax.evaluation.significance import Alternative, PairedTest, holm, t_test


def values_of_all(human_ids: Sequence[str], human: F64, machine_ids: Sequence[str]) -> F64:
    """Return values by human judgments for all queries that the machine judged, NaN for those that people did not.

    Parameters
    ----------
    human_ids : sequence of str
    human : array, shape (..., n_human_queries)
    machine_ids : sequence of str

    Examples
    --------
    >>> values_of_all(["q2"], np.array([0.5]), ["q1", "q2"])
    array([nan, 0.5])
    """
    place = {query: q for q, query in enumerate(machine_ids)}
    missing = [query for query in human_ids if query not in place]
    if missing:
        raise InvalidDataError(
            f"{len(missing)} of {len(human_ids)} queries judged by people lack machine judgments ({some_of(missing)}): "
            "let the machine judge them as well, because the comparison of both corrects the machine"
        )
    if len(machine_ids) == len(human_ids):
        raise InvalidDataError(
            f"the machine judged the {len(human_ids)} queries that people judged, and no other: it adds nothing to "
            "them; give judgments of further queries, too"
        )
    values = np.full((*human.shape[:-1], len(machine_ids)), np.nan)
    values[..., [place[query] for query in human_ids]] = human
    return values


def compare_with_machine(
    human: Mapping[str, F64],
    machine: Mapping[str, F64],
    baseline: str,
    *,
    alternative: Alternative = "two-sided",
    correction: Correction = "holm",
    level: float = 0.05,
) -> BaselineComparison:
    """Compare every system with the baseline, by prediction-powered estimates of the mean differences.

    Parameters
    ----------
    human : mapping of str to array, shape (n_queries,)
        Values of each system by human judgments; NaN for queries that people did not judge.
    machine : mapping of str to array, shape (n_queries,)
        Values by machine judgments.
    baseline : str
    alternative, correction, level
        As in :func:`~rankmax.evaluation.comparison.compare_systems`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> gain = rng.normal(0.05, 0.1, 400)
    >>> by_people = np.arange(400) < 30
    >>> human = {"bm25": np.where(by_people, 0.5, np.nan), "e5": np.where(by_people, 0.5 + gain, np.nan)}
    >>> machine = {"bm25": np.full(400, 0.6), "e5": 0.6 + gain + rng.normal(0.0, 0.05, 400)}
    >>> row, = compare_with_machine(human, machine, "bm25").rows
    >>> f"{row.difference:.2f} {row.corrected_p_value < 0.01}"
    '0.04 True'
    """
    others = [name for name in human if name != baseline]
    differences = {name: paired_differences(human[name], human[baseline]) for name in others}
    found = [
        prediction_powered(
            differences[name], paired_differences(machine[name], machine[baseline]), confidence=1 - level
        )
        for name in others
    ]
    tests = [
        PairedTest("prediction-powered", one.mean, one.p_value(alternative), alternative, one.n_human, False)
        for one in found
    ]
    corrected = corrected_p_values(tests, correction, level)
    means = {name: prediction_powered(human[name], machine[name]).mean for name in human}
    rows = tuple(
        SystemComparison(
            system=name,
            mean=means[name],
            difference=one.mean,
            relative_change=percentage(one.mean, means[baseline]),
            interval=one.interval,
            test=test,
            corrected_p_value=float(p_value),
            wins=count_wins(differences[name]),
            effect_size=cohens_d(differences[name]),
            marker=significance_marker("randomization", float(p_value), one.mean, level=level),
        )
        for name, one, test, p_value in zip(others, found, tests, corrected, strict=True)
    )
    return BaselineComparison(baseline, means[baseline], level, rows)


@dataclass(frozen=True, slots=True)
class Favor:
    """How much better a machine rates one system, beside the others, than people do.

    Attributes
    ----------
    system : str
    excess : float
        Mean of the machine's value minus that of people, less the mean of this over all systems.
    p_value : float
        P-value of an excess of 0, corrected for the number of systems.
    """

    system: str
    excess: float
    p_value: float


def machine_favors(human: Mapping[str, F64], machine: Mapping[str, F64]) -> list[Favor]:
    """Return by how much the machine favors each system, the most favored first.

    An error that is the same for all systems does no harm to a comparison; one that depends on the system is a bias.

    Parameters
    ----------
    human, machine : mappings of str to array, shape (n_queries,)
        Values of at least two systems; NaN for queries that people did not judge.

    Examples
    --------
    >>> human = {"bm25": np.full(10, 0.5), "e5": np.full(10, 0.5)}
    >>> machine = {"bm25": np.full(10, 0.5), "e5": 0.7 + np.arange(10) / 100}
    >>> [(favor.system, round(favor.excess, 4), favor.p_value < 0.05) for favor in machine_favors(human, machine)]
    [('e5', 0.1225, True), ('bm25', -0.1225, True)]
    """
    errors = np.array([machine[name] - human[name] for name in human])
    excess = errors - errors.mean(axis=0)
    tests = [t_test(row, np.zeros_like(row)) for row in excess]
    corrected = holm([test.p_value for test in tests])
    favors = [
        Favor(name, float(np.nanmean(row)), float(p)) for name, row, p in zip(human, excess, corrected, strict=True)
    ]
    return sorted(favors, key=lambda favor: -favor.excess)


def favor_messages(favors: Sequence[Favor], metric: str, *, level: float = 0.05) -> list[str]:
    """Return a warning for each system that the machine significantly favors or disfavors.

    Parameters
    ----------
    favors : sequence of Favor
    metric : str
    level : float

    Examples
    --------
    >>> favor_messages([Favor("e5", 0.031, 0.01), Favor("bm25", -0.031, 0.2)], "nDCG@10")
    ['the machine favors e5: beside the others it gives it 0.031 more nDCG@10 than people do (p = 0.01)']
    """
    return [
        f"the machine {'favors' if one.excess > 0 else 'disfavors'} {one.system}: beside the others it gives it "
        f"{abs(one.excess):.3f} {'more' if one.excess > 0 else 'less'} {metric} than people do (p = {one.p_value:.2g})"
        for one in favors
        if one.p_value < level
    ]


def pooled_worth(found: Sequence[PredictionPowered]) -> float:
    """Return the number of human-judged queries that would give several estimates the same variance in total.

    Parameters
    ----------
    found : sequence of PredictionPowered
        Estimates from the same queries.

    Examples
    --------
    >>> values = np.where(np.arange(60) < 20, np.arange(60) % 7 / 7, np.nan)
    >>> round(pooled_worth([prediction_powered(values, np.zeros(60))]))
    20
    """
    with_machine, alone = (sum(one.error**2 for one in found), sum(one.human_error**2 for one in found))
    n = found[0].n_human
    return max(n * alone / with_machine, float(n)) if with_machine > 0 else float(n)
