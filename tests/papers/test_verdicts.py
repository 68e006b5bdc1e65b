"""Intervals against other libraries, and verdicts at their bounds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_1samp, ttest_ind

from rankmax.papers.registry import PAPERS, paper_named
from rankmax.papers.reports import Finding, Verdict
from rankmax.papers.verdicts import Interval, Rule, all_of

UNITS = np.random.default_rng(1).normal(0.02, 0.1, 40)


def test_the_interval_of_a_mean_is_students() -> None:
    theirs = ttest_1samp(UNITS, 0.0).confidence_interval(0.95)
    found = Interval.of_mean(UNITS)
    np.testing.assert_allclose([found.low, found.high], theirs)
    assert found.n == 40


def test_the_interval_of_two_groups_is_welchs() -> None:
    first, second = UNITS[:15], 3 * UNITS[15:]
    theirs = ttest_ind(first, -second, equal_var=False).confidence_interval(0.95)  # of the sum of the means
    found = Interval.of_strata([first, second])
    np.testing.assert_allclose([2 * found.low, 2 * found.high], theirs)


@given(st.integers(0, 30), st.integers(1, 30))
def test_the_interval_of_a_share_is_wilsons(count: int, more: int) -> None:
    theirs = binomtest(count, count + more).proportion_ci(0.95, method="wilson")
    found = Interval.of_share(count, count + more)
    np.testing.assert_allclose([found.low, found.high], theirs, atol=1e-12)


def test_one_unit_tells_nothing() -> None:
    found = Interval.of_mean([0.5])
    assert (found.low, found.high) == (-math.inf, math.inf)
    finding = Rule("gain", holds_above=0.0, fails_below=0.1).finding(found, "collections")
    assert finding.verdict == Verdict.INCONCLUSIVE
    assert "on 1 of the collections, too few for an interval" in finding.evidence


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.01, 0.01, "holds"),
        (0.03, 0.05, "does not hold"),
        (-0.05, -0.03, "does not hold"),
        (0.0, 0.03, "inconclusive"),
    ],
)
def test_equivalence_has_two_sides(low: float, high: float, verdict: str) -> None:
    rule = Rule("difference", holds_above=-0.02, holds_below=0.02, fails_below=-0.02, fails_above=0.02)
    assert rule.verdict(Interval(0.0, low, high, 9)) == verdict


def test_all_parts_must_hold() -> None:
    parts = {verdict: Finding(verdict, verdict.value) for verdict in Verdict}
    assert all_of([parts[Verdict.HOLDS]] * 2).verdict == Verdict.HOLDS
    assert all_of([parts[Verdict.HOLDS], parts[Verdict.INCONCLUSIVE]]).verdict == Verdict.INCONCLUSIVE
    assert all_of([parts[Verdict.FAILS], parts[Verdict.INCONCLUSIVE]]).verdict == Verdict.FAILS


@pytest.mark.parametrize("name", PAPERS)
def test_every_rule_has_a_bound_on_either_verdict(name: str) -> None:
    paper = paper_named(name)
    for claim in paper.claims:
        if claim.rule is not None:
            rule = Rule.of_claim(paper.expected, claim.id)
            assert math.isfinite(rule.holds_above) or math.isfinite(rule.holds_below)
            assert math.isfinite(rule.fails_below) or math.isfinite(rule.fails_above)
