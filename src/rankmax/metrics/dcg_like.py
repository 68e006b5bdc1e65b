"""The DCG-like metrics of Yang et al., and their power approximation of ERR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64, Bool
from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidParameterError
from rankmax.metrics.discounts import Discount, check_discount, discount_by_rank
from rankmax.metrics.err import check_max_grade, stop_by_level
from rankmax.metrics.gains import Gain, check_gain, gain_by_level
from rankmax.metrics.metric import MetricTables, TabularMetric, ranks
from rankmax.metrics.metric_parameters import check_number, check_table, format_value


@dataclass(frozen=True, kw_only=True)
class DCGLike(TabularMetric):
    r"""Scaled sum of G(grade) / F(rank), with G and F monotonically increasing.

    .. math:: \ell(\pi, \mathbf{r}) = \alpha \sum_j \frac{G(r_j)}{F(\pi(j))}

    For every metric of this family, ranking by the conditional expectation of G is Bayes-optimal (their
    Proposition 1); tables that are not monotone are therefore refused. The paper writes it as a loss, with a minus.

    Parameters
    ----------
    gain : {"linear", "exp2"} or sequence of float
        G: the grade, 2^grade - 1, or a nondecreasing table for the grades 0, 1, 2, ...
    divisor : {"log2", "jk"} or sequence of float
        F: log2(1 + r), or 1, 1, then log2(r), or a nondecreasing table of positive numbers for the ranks 1, 2, ...;
        documents ranked below its end count nothing.
    scale : float
        The constant alpha.
    cutoff : int, optional
        Number of ranks that count; by default all.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([2, 0, 1], [0, 3])
    >>> DCGLike(divisor=[1, 2, 4]).per_query(np.array([3.0, 2.0, 1.0]), judgments)
    array([3.25])

    References
    ----------
    Yang et al. 2010, Definition 1 (equation 1).
    """

    symbol: ClassVar[str] = "DCGLike"
    value_range: ClassVar[tuple[float, float]] = (0.0, np.inf)

    gain: Gain = "exp2"
    divisor: Discount = "log2"
    scale: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_gain(self.symbol, self.gain)
        check_number(self.symbol, "scale", self.scale, "a positive number", lambda scale: scale > 0)
        if isinstance(self.divisor, tuple):
            check_table(self.symbol, "divisor", self.divisor)
            if 0 in self.divisor:
                raise InvalidParameterError(f"{self.symbol}: divisor={format_value(self.divisor)} contains a 0")
        else:
            check_discount(self.symbol, self.divisor)
        for parameter, table in (("gain", self.gain), ("divisor", self.divisor)):
            if isinstance(table, tuple) and list(table) != sorted(table):
                raise InvalidParameterError(f"{self.symbol}: {parameter}={format_value(table)} must never fall")

    def relevant_levels(self, judgments: Judgments) -> Bool:
        """Return which levels have a positive gain."""
        return gain_by_level(self.gain, judgments) > 0

    def build_tables(self, judgments: Judgments) -> MetricTables:
        """Return gain G(r), discount 1/F(rank), norm alpha."""
        divisor = self.divisor
        discount = tuple(1.0 / f for f in divisor) if isinstance(divisor, tuple) else divisor
        return _cumulated(
            self,
            judgments,
            gain=gain_by_level(self.gain, judgments),
            discount=discount_by_rank(discount, ranks(judgments, self.cutoff)),
            scale=self.scale,
        )


@dataclass(frozen=True, kw_only=True)
class PowerERR(TabularMetric):
    r"""Expected reciprocal rank with the probability of reading on approximated by a power of the rank.

    .. math:: \widetilde{ERR} = \sum_j \left(\frac{1}{r_j}\right)^{\beta} \frac{2^{grade_j} - 1}{2^{g_{max}}}

    Unlike ERR it is a sum over documents, so the exact line search can evaluate it.

    Parameters
    ----------
    beta : float
        Exponent of the decay by rank. The paper requires beta > 1 and gives no value; the default is rankmax's own.
    max_grade : float, optional
        Highest grade of the scale; None: the highest grade in the data.
    cutoff : int, optional
        Number of ranks that count; by default all.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([1, 0, 1], [0, 3])
    >>> PowerERR(beta=2).per_query(np.array([3.0, 2.0, 1.0]), judgments)
    array([0.55555556])

    References
    ----------
    Yang et al. 2010, equations 4 and 5.
    """

    symbol: ClassVar[str] = "PowerERR"
    value_range: ClassVar[tuple[float, float]] = (0.0, np.inf)

    beta: float = 1.5
    max_grade: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.symbol, "beta", self.beta, "a positive number", lambda beta: beta > 0)
        check_max_grade(self.symbol, self.max_grade)

    def relevant_levels(self, judgments: Judgments) -> Bool:
        """Return which grades are positive."""
        return judgments.levels > 0

    def build_tables(self, judgments: Judgments) -> MetricTables:
        """Return gain (2^r - 1) / 2^max, discount r^-beta."""
        return _cumulated(
            self,
            judgments,
            gain=stop_by_level(self.max_grade, judgments),
            discount=ranks(judgments, self.cutoff) ** -float(self.beta),
            scale=1.0,
        )


def _cumulated(metric: TabularMetric, judgments: Judgments, *, gain: F64, discount: F64, scale: float) -> MetricTables:
    return MetricTables(
        gain=gain,
        discount=discount,
        prefix=np.ones(1),
        norm=np.full(judgments.n_queries, float(scale)),
        offset=np.zeros(judgments.n_queries),
        cutoff=metric.cutoffs(judgments),
    )
