"""Discounted cumulative gain, plain and normalized by the ideal ranking."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankmax._arrays import F64, I64, Bool
from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidParameterError
from rankmax.metrics.discounts import Discount, check_discount, discount_by_rank
from rankmax.metrics.gains import Gain, check_gain, gain_by_level
from rankmax.metrics.metric import MetricTables, TabularMetric, ranks, reciprocal


@dataclass(frozen=True, kw_only=True)
class _CumulativeGain(TabularMetric):
    """Sum of gains, each discounted by its rank, times a norm."""

    gain: Gain = "linear"
    discount: Discount = "log2"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_gain(self.symbol, self.gain)
        check_discount(self.symbol, self.discount)

    def relevant_levels(self, judgments: Judgments) -> Bool:
        """Return which levels have a positive gain."""
        return gain_by_level(self.gain, judgments) > 0

    def build_tables(self, judgments: Judgments) -> MetricTables:
        """Return gain G(r), the discount by rank and the metric's norm."""
        return MetricTables(
            gain=gain_by_level(self.gain, judgments),
            discount=discount_by_rank(self.discount, ranks(judgments, self.cutoff)),
            prefix=np.ones(1),
            norm=self.norm_by_query(judgments),
            offset=np.zeros(judgments.n_queries),
            cutoff=self.cutoffs(judgments),
        )

    @abstractmethod
    def norm_by_query(self, judgments: Judgments) -> F64:
        """Return the factor applied to each query's cumulative gain."""

    @classmethod
    def translate_parameters(cls, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters with ir-measures' `dcg` and `gains` translated to `gain`."""
        translated = dict(parameters)
        if "dcg" in translated:
            translated["gain"] = _gain_of_formulation(cls.symbol, translated.pop("dcg"))
        if "gains" in translated:
            translated["gain"] = _gain_of_mapping(cls.symbol, translated.pop("gains"))
        return translated


@dataclass(frozen=True, kw_only=True)
class DiscountedCumulativeGain(_CumulativeGain):
    r"""Sum of the gains of the ranked documents, each divided by a function of its rank.

    .. math:: DCG = \sum_i G(grade_i) \, D(r_i)

    Parameters
    ----------
    gain : {"linear", "exp2"} or sequence of float
        G: the grade, 2^grade - 1, or a table for the grades 0, 1, 2, ... Negative grades have gain 0.
    discount : {"log2", "jk"} or sequence of float
        D: 1/log2(1 + r), Järvelin and Kekäläinen's 1, 1, then 1/log2(r), or a table for the ranks 1, 2, ...
    cutoff : int, optional
        Number of ranks that count; by default all.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([2, 0, 1], [0, 3])
    >>> DiscountedCumulativeGain(gain="exp2").per_query(np.array([3.0, 2.0, 1.0]), judgments)
    array([3.5])

    References
    ----------
    Järvelin & Kekäläinen 2002, section 2.2; Burges et al. 2005 for the gain 2^r - 1.
    """

    symbol: ClassVar[str] = "DCG"
    aliases: ClassVar[tuple[str, ...]] = ("DiscountedCumulativeGain",)
    value_range: ClassVar[tuple[float, float]] = (0.0, np.inf)

    def norm_by_query(self, judgments: Judgments) -> F64:
        """Return 1."""
        return np.ones(judgments.n_queries)


@dataclass(frozen=True, kw_only=True)
class NormalizedDCG(_CumulativeGain):
    r"""Discounted cumulative gain divided by that of the ideal ranking.

    .. math:: nDCG = DCG / DCG_{ideal}

    The ideal ranking holds every judged document of the query, retrieved or not, by decreasing gain.

    Parameters
    ----------
    gain : {"linear", "exp2"} or sequence of float
        The grade, 2^grade - 1, or a table for the grades 0, 1, 2, ... Negative grades have gain 0.
    discount : {"log2", "jk"} or sequence of float
        1/log2(1 + r), Järvelin and Kekäläinen's 1, 1, then 1/log2(r), or a table for the ranks 1, 2, ...
    cutoff : int, optional
        Number of ranks that count; by default all.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([0, 2, 1], [0, 3])
    >>> (NormalizedDCG(gain="exp2") @ 2).per_query(np.array([3.0, 2.0, 1.0]), judgments)
    array([0.52129603])

    References
    ----------
    Järvelin & Kekäläinen 2002, section 2.3. The defaults are trec_eval's measures ndcg and ndcg_cut.
    """

    symbol: ClassVar[str] = "nDCG"
    aliases: ClassVar[tuple[str, ...]] = ("NormalizedDCG", "ndcg_cut")

    def norm_by_query(self, judgments: Judgments) -> F64:
        """Return one over the ideal ranking's DCG."""
        gain = gain_by_level(self.gain, judgments)
        return reciprocal(ideal_dcg(gain, self.discount, judgments, cutoff=self.cutoff))


def ideal_dcg(gain: F64, discount: Discount, judgments: Judgments, *, cutoff: int | None = None) -> F64:
    """Return, for each query, the DCG of all judged documents ranked by decreasing gain.

    Examples
    --------
    >>> judgments = Judgments.from_grades([0, 2, 1, 1], [0, 3, 4])
    >>> ideal_dcg(gain_by_level("linear", judgments), "jk", judgments)
    array([3., 1.])
    """
    offsets, gains = _ideal_gains(gain, judgments)
    position = positions(offsets)
    query = np.repeat(np.arange(judgments.n_queries), np.diff(offsets))
    kept = gains > 0 if cutoff is None else (gains > 0) & (position < cutoff)
    discounts = discount_by_rank(discount, np.arange(1.0, position[kept].max(initial=-1) + 2))
    terms = gains[kept] * discounts[position[kept]]
    return np.bincount(query[kept], weights=terms, minlength=judgments.n_queries).astype(np.float64)


def _ideal_gains(gain: F64, judgments: Judgments) -> tuple[I64, F64]:
    """Return offsets by query, and the gains of all judged documents, decreasing within each query."""
    offsets, levels = judgments.ideal
    gains = gain[levels]
    if (np.diff(gain[1:]) < 0).any():  # a table may value a higher grade less, and levels are sorted by grade
        query = np.repeat(np.arange(judgments.n_queries), np.diff(offsets))
        gains = gains[np.lexsort((-gains, query))]
    return offsets, gains


def positions(offsets: I64) -> I64:
    """Return the positions 0, 1, ... within each segment.

    Examples
    --------
    >>> positions(np.array([0, 2, 2, 5]))
    array([0, 1, 0, 1, 2])
    """
    return np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))


def _gain_of_formulation(symbol: str, dcg: object) -> str:
    formulations = {"log2": "linear", "exp-log2": "exp2"}
    if dcg not in formulations:
        raise InvalidParameterError(f"{symbol}: dcg={dcg!r} must be 'log2' or 'exp-log2'")
    return formulations[str(dcg)]


def _gain_of_mapping(symbol: str, gains: object) -> tuple[float, ...]:
    """Return a table from a dictionary; a grade missing from it has its own value as gain, as in ir-measures."""
    if not isinstance(gains, dict) or not gains or not all(type(g) is int and g >= 0 for g in gains):
        raise InvalidParameterError(f"{symbol}: gains={gains!r} must map whole grades to gains, as in {{1: 1, 2: 5}}")
    return tuple(gains.get(grade, grade) for grade in range(max(gains) + 1))


DCG = DiscountedCumulativeGain
nDCG = NormalizedDCG  # noqa: N816 - the metric's own name
