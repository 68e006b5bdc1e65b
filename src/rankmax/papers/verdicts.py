"""Verdicts on claims: an interval of the claimed effect, against bounds that were fixed before the experiment ran."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankmax.papers.reports import Finding, Verdict

LEVEL = 0.95
"""Confidence level of intervals."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval of a mean or a share.

    Attributes
    ----------
    estimate, low, high : float
    n : int
        Number of units that the estimate is of.

    Examples
    --------
    >>> found = Interval.of_mean([0.1, 0.2, 0.3])
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3)
    (0.2, -0.048, 0.448)
    >>> Interval.of_mean([0.1]).high
    inf
    """

    estimate: float
    low: float
    high: float
    n: int

    @classmethod
    def of_mean(cls, values: ArrayLike, level: float = LEVEL) -> Interval:
        """Return Student's interval of the mean of units; one unit tells nothing of others.

        Parameters
        ----------
        values : array-like
        level : float
        """
        return cls.of_strata([values], level)

    @classmethod
    def of_strata(cls, groups: Sequence[ArrayLike], level: float = LEVEL) -> Interval:
        """Return the interval of the mean of the groups' means, each group counting alike.

        Units vary within their group; degrees of freedom are Welch's and Satterthwaite's.

        Parameters
        ----------
        groups : sequence of array-like
        level : float

        Examples
        --------
        >>> found = Interval.of_strata([[0.1, 0.3], [0.5, 0.7]])
        >>> round(found.estimate, 3), round(found.high - found.low, 2), found.n
        (0.4, 0.61, 4)
        """
        from scipy.stats import t

        units = [np.asarray(group, np.float64) for group in groups]
        sizes = np.array([unit.size for unit in units])
        estimate = float(np.mean([unit.mean() for unit in units]))
        if (sizes < 2).any():
            return cls(estimate, -math.inf, math.inf, int(sizes.sum()))
        squares = np.array([unit.var(ddof=1) for unit in units]) / sizes / len(units) ** 2
        if not squares.any():
            return cls(estimate, estimate, estimate, int(sizes.sum()))
        freedom = squares.sum() ** 2 / (squares**2 / (sizes - 1)).sum()
        half = float(t.ppf((1 + level) / 2, freedom) * math.sqrt(squares.sum()))
        return cls(estimate, estimate - half, estimate + half, int(sizes.sum()))

    @classmethod
    def of_share(cls, count: int, n: int, level: float = LEVEL) -> Interval:
        """Return Wilson's interval of a share.

        Parameters
        ----------
        count, n : int
        level : float

        Examples
        --------
        >>> found = Interval.of_share(3, 63)
        >>> round(found.low, 3), round(found.high, 3)
        (0.016, 0.131)
        """
        from scipy.stats import norm

        z2 = float(norm.ppf((1 + level) / 2)) ** 2
        center = (count + z2 / 2) / (n + z2)
        half = math.sqrt(z2 * (count * (n - count) / n + z2 / 4)) / (n + z2)
        return cls(count / n, center - half, center + half, n)

    @classmethod
    def of_range(cls, values: ArrayLike) -> Interval:
        """Return the range of exact values, none of which is a sample: a claim holds if it does so for each.

        Parameters
        ----------
        values : array-like
        """
        known = np.asarray(values, np.float64)
        return cls(float(known.mean()), float(known.min()), float(known.max()), known.size)


@dataclass(frozen=True)
class Rule:
    """Bounds of an effect, by which a claim is decided; the file expected.toml of a paper fixes them.

    A claim holds if the whole interval is between `holds_above` and `holds_below`, does not hold if it is below
    `fails_below` or above `fails_above`, and is otherwise inconclusive.

    Attributes
    ----------
    effect : str
        The effect in words.
    holds_above, holds_below, fails_below, fails_above : float
    percent : bool
        Whether the effect is shown in per cent.

    Examples
    --------
    >>> rule = Rule("gain in AP", holds_above=0.0, fails_below=0.01)
    >>> [rule.verdict(Interval(0.0, low, high, 50)).value for low, high in [(0.01, 0.05), (-0.1, 0.005), (-0.1, 0.1)]]
    ['holds', 'does not hold', 'inconclusive']
    """

    effect: str
    holds_above: float = -math.inf
    holds_below: float = math.inf
    fails_below: float = -math.inf
    fails_above: float = math.inf
    percent: bool = False

    @staticmethod
    def of_claim(expected: Mapping[str, Any], claim: str) -> Rule:
        """Return the rule that a paper's expected.toml fixes for a claim.

        Parameters
        ----------
        expected : mapping
        claim : str
            Its id.
        """
        (found,) = (one["rule"] for one in expected["claims"] if one["id"] == claim)
        return Rule(**found)

    def verdict(self, interval: Interval) -> Verdict:
        """Return the verdict that an interval allows.

        Parameters
        ----------
        interval : Interval
        """
        if self.holds_above < interval.low and interval.high < self.holds_below:
            return Verdict.HOLDS
        if interval.high < self.fails_below or interval.low > self.fails_above:
            return Verdict.FAILS
        return Verdict.INCONCLUSIVE

    def finding(self, interval: Interval, units: str, *notes: str) -> Finding:
        """Return the verdict with its evidence in words.

        Parameters
        ----------
        interval : Interval
        units : str
            What the interval is over, in the plural.
        notes : str
            Further evidence.
        """
        shown = f"{self.effect} {self._number(interval.estimate)} "
        if math.isinf(interval.low):
            shown += f"on 1 of the {units}, too few for an interval"
        else:
            shown += f"[{self._number(interval.low)}, {self._number(interval.high)}] over {interval.n} {units}"
        bounds = {
            "holds above": self.holds_above,
            "holds below": self.holds_below,
            "does not hold below": self.fails_below,
            "does not hold above": self.fails_above,
        }
        asked = ", ".join(f"{name} {self._number(bound)}" for name, bound in bounds.items() if math.isfinite(bound))
        return Finding(self.verdict(interval), "; ".join([f"{shown} ({asked})", *notes]))

    def _number(self, value: float) -> str:
        return f"{value:.1%}" if self.percent else f"{value:.3f}"


def all_of(findings: Sequence[Finding]) -> Finding:
    """Return the finding on a claim of several parts, all of which it needs.

    Parameters
    ----------
    findings : sequence of Finding

    Examples
    --------
    >>> all_of([Finding(Verdict.HOLDS, "a: 0.1"), Finding(Verdict.INCONCLUSIVE, "b: 0.2")]).verdict.value
    'inconclusive'
    """
    order = (Verdict.FAILS, Verdict.INCONCLUSIVE, Verdict.NOT_TESTED, Verdict.HOLDS)
    worst = min((finding.verdict for finding in findings), key=order.index)
    return Finding(worst, "; ".join(finding.evidence for finding in findings))
