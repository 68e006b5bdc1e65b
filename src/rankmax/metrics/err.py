"""Expected reciprocal rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64, Bool
from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidDataError
from rankmax.metrics.gains import gain_by_level
from rankmax.metrics.metric import CascadeMetric, CascadeTables, ranks
from rankmax.metrics.metric_parameters import check_number, format_value


@dataclass(frozen=True, kw_only=True)
class ExpectedReciprocalRank(CascadeMetric):
    r"""Expected reciprocal of the rank at which a user reading from the top is satisfied.

    .. math:: ERR = \sum_r \frac{1}{r} S_r \prod_{s<r} (1 - S_s), \qquad S_r = \frac{2^{grade_r} - 1}{2^{g_{max}}}

    Parameters
    ----------
    max_grade : float, optional
        Highest grade of the scale; None: the highest grade in the data. Set it to compare values across data sets
        (gdeval, which ir-measures uses, has 4).
    cutoff : int, optional
        Number of ranks that count; by default all.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([1, 0, 1], [0, 3])
    >>> ExpectedReciprocalRank().per_query(np.array([3.0, 2.0, 1.0]), judgments)
    array([0.58333333])

    References
    ----------
    Chapelle et al. 2009, Algorithm 2; Yang et al. 2010, equation 2.
    """

    symbol: ClassVar[str] = "ERR"
    aliases: ClassVar[tuple[str, ...]] = ("ExpectedReciprocalRank",)

    max_grade: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_max_grade(self.symbol, self.max_grade)

    def relevant_levels(self, judgments: Judgments) -> Bool:
        """Return which grades are positive."""
        return judgments.levels > 0

    def build_cascade(self, judgments: Judgments) -> CascadeTables:
        """Return stop probability (2^r - 1) / 2^max, discount 1/r."""
        return CascadeTables(
            stop=stop_by_level(self.max_grade, judgments),
            discount=1.0 / ranks(judgments, self.cutoff),
            norm=np.ones(judgments.n_queries),
            offset=np.zeros(judgments.n_queries),
            cutoff=self.cutoffs(judgments),
        )


def check_max_grade(symbol: str, max_grade: float | None) -> None:
    """Raise unless `max_grade` is None or a positive number whose power of two is finite."""
    if max_grade is not None:
        allowed = "a positive number up to 1000 (None: the highest grade in the data)"
        check_number(symbol, "max_grade", max_grade, allowed, lambda grade: 0 < grade <= 1000)


def stop_by_level(max_grade: float | None, judgments: Judgments) -> F64:
    """Return, by level, the probability that a document satisfies the user: (2^r - 1) / 2^max.

    Examples
    --------
    >>> stop_by_level(2, Judgments.from_grades([0, 1, 2], [0, 3]))
    array([0.  , 0.  , 0.25, 0.75])
    """
    highest = float(judgments.levels[1:].max(initial=0.0))
    if max_grade is not None and highest > max_grade:
        raise InvalidDataError(
            f"grade {format_value(highest)} is above max_grade={format_value(max_grade)}, the highest of the scale"
        )
    stop: F64 = gain_by_level("exp2", judgments) / np.exp2(highest if max_grade is None else max_grade)
    return stop


ERR = ExpectedReciprocalRank
