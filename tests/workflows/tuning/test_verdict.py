from __future__ import annotations

import numpy as np
import pytest

from rankmax.workflows.tuning.verdict import Verdict, judge_gain


def test_a_significant_gain_is_taken() -> None:
    verdict = judge_gain(np.full(50, 0.1) + np.linspace(-0.05, 0.05, 50), "learned", "RRF", 0.001)
    assert verdict.take_it
    assert verdict.sign_flips == 0.0
    assert str(verdict).startswith("use learned weights: +0.1000 against RRF, p = 0.0010; the sign flips in 0%")


def test_a_gain_that_may_be_chance_is_not_and_says_how_many_queries_it_takes() -> None:
    differences = np.random.default_rng(3).normal(0.01, 0.1, 43)
    differences += 0.01 - differences.mean()
    verdict = judge_gain(differences, "learned", "CombSUM", 0.4)
    assert not verdict.take_it
    # the share of normal samples on the other side of 0
    assert verdict.sign_flips == pytest.approx(0.25, abs=0.05)
    assert verdict.queries_needed == pytest.approx((2.8 * differences.std(ddof=1) / 0.01) ** 2, abs=1)
    assert "stay with CombSUM: the gain is not significant" in str(verdict)
    assert f"About {verdict.queries_needed:,} queries could tell such a gain." in str(verdict)


@pytest.mark.parametrize("gain", [0.0, -0.02])
def test_no_gain_is_none(gain: float) -> None:
    verdict = judge_gain(np.array([gain, gain, gain]), "by length", "learned", 0.01)
    assert not verdict.take_it
    assert verdict.queries_needed is None
    assert str(verdict).startswith("stay with fixed weights: by length weights gain nothing on held-out queries")


def test_a_gain_without_spread_needs_no_more_queries() -> None:
    verdict = Verdict("learned", "RRF", 0.1, 0.2, 0.0, None, 4)
    assert str(verdict).endswith("of the 4 queries).")
