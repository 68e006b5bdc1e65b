"""Comparison of systems with a baseline or with each other, with everything a results table reports."""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.evaluation.bootstrap import bootstrap_interval
from rankmax.evaluation.differences import WinCounts, cohens_d, count_wins, paired_differences
from rankmax.evaluation.significance import Alternative, PairedTest, TestName, holm, paired_tests

Correction: TypeAlias = Literal["holm", "none"]

# (significantly better, significantly worse); documented in significance_marker
_MARKERS: dict[TestName, tuple[str, str]] = {
    "t": ("†", "▼"),
    "wilcoxon": ("**", "**"),
    "randomization": ("▲", "▼"),
}


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """Comparison of one system with the baseline: a row of a results table.

    Attributes
    ----------
    system : str
        Name of the system.
    mean : float
        Mean over the queries that count for this system.
    difference : float
        Mean difference from the baseline, over the queries that count for both.
    relative_change : float
        Difference in percent of the baseline's mean over those queries; infinite if that mean is 0.
    interval : tuple of float
        Bootstrap interval of the difference, with confidence 1 - level.
    test : PairedTest
        Result of the significance test.
    corrected_p_value : float
        The test's p-value, corrected for the number of systems compared.
    wins : WinCounts
        Numbers of queries won, lost and tied against the baseline.
    effect_size : float
        Cohen's d of the paired differences.
    marker : str
        Marker from :func:`significance_marker`, by the corrected p-value.
    """

    system: str
    mean: float
    difference: float
    relative_change: float
    interval: tuple[float, float]
    test: PairedTest
    corrected_p_value: float
    wins: WinCounts
    effect_size: float
    marker: str


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """Comparison of systems with a baseline, in one metric.

    Attributes
    ----------
    baseline : str
        Name of the baseline.
    baseline_mean : float
        Mean over the queries that count for the baseline.
    level : float
        Significance level of the corrected p-values.
    rows : tuple of SystemComparison
        One row per other system, in the order given.
    """

    baseline: str
    baseline_mean: float
    level: float
    rows: tuple[SystemComparison, ...]


def compare_systems(
    values_by_system: Mapping[str, ArrayLike],
    baseline: str,
    *,
    test: TestName = "randomization",
    alternative: Alternative = "two-sided",
    correction: Correction = "holm",
    level: float = 0.05,
    n_permutations: int = 100_000,
    seed: int = 0,
) -> BaselineComparison:
    """Compare every system with the baseline.

    Parameters
    ----------
    values_by_system : mapping of str to array-like, shape (n_queries,)
        A metric's values by query, for the same queries in the same order; NaN for queries that are left out.
    baseline : str
        Name of the baseline, one of the systems.
    test : {"randomization", "t", "wilcoxon"}
        Significance test.
    alternative : {"two-sided", "greater", "less"}
        "greater" claims that the systems are better than the baseline.
    correction : {"holm", "none"}
        Correction for testing several systems at once.
    level : float
        Significance level of the corrected p-values; intervals have confidence 1 - level.
    n_permutations : int
        Number of permutations of the randomization test.
    seed : int
        Random seed of the randomization test and the bootstrap. A system's p-value and interval do not depend on which
        other systems are compared, but its corrected p-value does.

    Examples
    --------
    >>> values = {"bm25": [0.2, 0.4, 0.1, 0.5], "dense": [0.5, 0.6, 0.3, 0.4], "fused": [0.6, 0.7, 0.4, 0.7]}
    >>> for row in compare_systems(values, "bm25", test="t").rows:
    ...     print(f"{row.system}{row.marker} {row.mean:.2f} {row.relative_change:+.0f}% {row.corrected_p_value:.3f}")
    dense 0.45 +50% 0.182
    fused† 0.60 +100% 0.010
    """
    if baseline not in values_by_system:
        raise UnknownNameError("system", baseline, values_by_system)
    systems = [system for system in values_by_system if system != baseline]
    if not systems:
        raise InvalidDataError(f"only the baseline {baseline!r} is given: name at least one system to compare")
    differences = _stacked_differences(values_by_system, [(system, baseline) for system in systems])
    tests = paired_tests(test, differences, alternative, n_permutations=n_permutations, seed=seed)
    corrected = corrected_p_values(tests, correction, level)
    low, high = bootstrap_interval(differences, confidence=1 - level, seed=seed)
    baseline_values = np.asarray(values_by_system[baseline], np.float64)
    rows = []
    for i, system in enumerate(systems):
        difference = float(np.nanmean(differences[i]))
        rows.append(
            SystemComparison(
                system=system,
                mean=float(np.nanmean(np.asarray(values_by_system[system], np.float64))),
                difference=difference,
                relative_change=percentage(difference, baseline_values[~np.isnan(differences[i])].mean()),
                interval=(float(low[i]), float(high[i])),
                test=tests[i],
                corrected_p_value=float(corrected[i]),
                wins=count_wins(differences[i]),
                effect_size=cohens_d(differences[i]),
                marker=significance_marker(test, float(corrected[i]), difference, level=level),
            )
        )
    return BaselineComparison(baseline, float(np.nanmean(baseline_values)), level, tuple(rows))


def superiority_letters(
    values_by_system: Mapping[str, ArrayLike],
    *,
    test: TestName = "randomization",
    correction: Correction = "holm",
    level: float = 0.05,
    n_permutations: int = 100_000,
    seed: int = 0,
) -> dict[str, str]:
    """Return, for each system, the letters of the systems that it significantly beats.

    The systems are a, b, c, ... in the order given. All pairs are tested, two-sided, and corrected together.

    Parameters
    ----------
    values_by_system : mapping of str to array-like, shape (n_queries,)
        Values by query of each system; at most 52 systems.
    test, correction, level, n_permutations, seed
        As in :func:`compare_systems`.

    Examples
    --------
    >>> values = {"bm25": [0.2, 0.4, 0.1, 0.5], "dense": [0.5, 0.6, 0.3, 0.4], "fused": [0.6, 0.7, 0.4, 0.7]}
    >>> superiority_letters(values, test="t")
    {'bm25': '', 'dense': '', 'fused': 'a'}
    """
    if len(values_by_system) > len(string.ascii_letters):
        raise InvalidParameterError(
            f"{len(values_by_system)} systems; there are letters for at most {len(string.ascii_letters)}"
        )
    pairs = list(itertools.combinations(values_by_system, 2))
    letters = dict(zip(values_by_system, string.ascii_letters, strict=False))
    beaten: dict[str, list[str]] = {system: [] for system in values_by_system}
    if pairs:
        differences = _stacked_differences(values_by_system, pairs)
        tests = paired_tests(test, differences, n_permutations=n_permutations, seed=seed)
        for (a, b), row, p in zip(pairs, differences, corrected_p_values(tests, correction, level), strict=True):
            if p < level:
                winner, loser = (a, b) if np.nanmean(row) > 0 else (b, a)
                beaten[winner].append(letters[loser])
    return {system: "".join(sorted(marks, key=string.ascii_letters.index)) for system, marks in beaten.items()}


def significance_marker(test: TestName, p_value: float, difference: float, *, level: float = 0.05) -> str:
    """Return the marker that a results table puts next to a significant difference, else an empty string.

    ============= ====== ===== =================================================================================
    test          better worse as in
    ============= ====== ===== =================================================================================
    t             †      ▼     Metzler & Croft 2007, tables 3 and 6: † for an improvement, p < 0.05, one-tailed
    wilcoxon      `**`   `**`  Yue et al. 2007, section 5.1: two stars at the level 0.95, two-tailed, W/L beside
    randomization ▲      ▼     Yang et al. 2010, section 6.1 and table 1: better or worse at p < 0.05 (no symbol)
    ============= ====== ===== =================================================================================

    Metzler & Croft have no symbol for a loss, because their test is one-tailed.

    Parameters
    ----------
    test : {"randomization", "t", "wilcoxon"}
        Significance test.
    p_value : float
        P-value, corrected if several systems are compared.
    difference : float
        Difference, whose sign tells better from worse.
    level : float
        Significance level.

    Examples
    --------
    >>> significance_marker("t", 0.03, +0.01), significance_marker("randomization", 0.03, -0.01)
    ('†', '▼')
    >>> significance_marker("wilcoxon", 0.05, +0.01)
    ''
    """
    if test not in _MARKERS:
        raise UnknownNameError("significance test", test, _MARKERS)
    better, worse = _MARKERS[test]
    if p_value >= level:
        return ""
    return better if difference > 0 else worse


def _stacked_differences(values_by_system: Mapping[str, ArrayLike], pairs: list[tuple[str, str]]) -> F64:
    rows = []
    for a, b in pairs:
        try:
            rows.append(paired_differences(values_by_system[a], values_by_system[b]))
        except InvalidDataError as error:
            raise InvalidDataError(f"a = {a}, b = {b}: {error}") from None
    return np.stack(rows)


def corrected_p_values(tests: list[PairedTest], correction: Correction, level: float) -> F64:
    """Return the p-values of tests, corrected for their number; a level that is none is an error.

    Parameters
    ----------
    tests : list of PairedTest
    correction : {"holm", "none"}
    level : float
    """
    if correction not in get_args(Correction):
        raise UnknownNameError("correction", correction, get_args(Correction))
    if not 0 < level < 1:
        raise InvalidParameterError(f"level is {level}; it must be above 0 and below 1, such as 0.05")
    p_values = np.array([result.p_value for result in tests])
    return holm(p_values) if correction == "holm" else p_values


def percentage(difference: float, reference: float) -> float:
    """Return a difference in percent of a reference; infinite if that is 0.

    Parameters
    ----------
    difference, reference : float

    Examples
    --------
    >>> percentage(0.05, 0.5)
    10.0
    """
    if reference != 0:
        return float(100 * difference / reference)
    return math.copysign(math.inf, difference) if difference else 0.0
