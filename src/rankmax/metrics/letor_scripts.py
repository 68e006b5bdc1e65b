"""The metrics of LETOR 3.0's and 4.0's evaluation scripts, for comparison with their published results.

The scripts see only the documents of the feature file, so judged documents that are not candidates count neither for
the ideal ranking nor for the number of relevant documents. A query without relevant documents has value 0. Ties keep
the order of the file, :attr:`TiePolicy.DOCUMENT_ORDER`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64, I64, Bool
from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidParameterError
from rankmax.metrics.average_precision import AveragePrecision
from rankmax.metrics.dcg import ideal_dcg, positions
from rankmax.metrics.discounts import discount_by_rank
from rankmax.metrics.gains import gain_by_level
from rankmax.metrics.metric import CutoffRule, MetricTables, RankedListMetric, TabularMetric, ranks, reciprocal
from rankmax.metrics.precision import Precision

_GAIN = "exp2"
_DISCOUNT = "jk"  # 1, 1, 1/log2(3), 1/log2(4), ...


@dataclass(frozen=True, kw_only=True)
class LetorAveragePrecision(AveragePrecision):
    r"""MAP of LETOR's scripts: average precision over the documents of the file.

    Parameters
    ----------
    rel : float
        Lowest grade that counts as relevant.
    cutoff : int, optional
        Number of ranks that count; by default all.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([1, 0], [0, 2], unretrieved_grades=[1], unretrieved_offsets=[0, 1])
    >>> LetorAveragePrecision().per_query(np.array([2.0, 1.0]), judgments)
    array([1.])

    References
    ----------
    Eval-Score-3.0.pl and Eval-Score-4.0.pl, subroutine MAP.
    """

    symbol: ClassVar[str] = "LetorAP"
    aliases: ClassVar[tuple[str, ...]] = ("LetorMAP",)

    def has_relevant(self, judgments: Judgments) -> Bool:
        """Return, for each query, whether the file has a relevant document."""
        return super().has_relevant(_of_file(judgments))

    def build_tables(self, judgments: Judgments) -> MetricTables:
        """Return average precision's tables, restricted to the documents of the file."""
        return super().build_tables(_of_file(judgments))


@dataclass(frozen=True, kw_only=True)
class LetorPrecision(Precision):
    r"""P@k of LETOR's scripts, which disagree on lists shorter than k.

    Version 3 has no P@k for such a list and counts it as 0; version 4 pads the list with non-relevant documents, as
    :class:`Precision` does.

    Parameters
    ----------
    cutoff : int
        Number of ranks k, required.
    version : {3, 4}
        LETOR 3.0 or 4.0.
    rel : float
        Lowest grade that counts as relevant.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([1, 1], [0, 2])
    >>> scores = np.array([2.0, 1.0])
    >>> (LetorPrecision(version=3) @ 4).per_query(scores, judgments), (LetorPrecision @ 4).per_query(scores, judgments)
    (array([0.]), array([0.5]))

    References
    ----------
    Eval-Score-3.0.pl and Eval-Score-4.0.pl, subroutine PrecisionAtN.
    """

    symbol: ClassVar[str] = "LetorP"
    aliases: ClassVar[tuple[str, ...]] = ("LetorPrecision",)

    version: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.version not in (3, 4):
            raise InvalidParameterError(f"{self.symbol}: version={self.version!r} must be 3 or 4")

    def has_relevant(self, judgments: Judgments) -> Bool:
        """Return, for each query, whether the file has a relevant document."""
        return super().has_relevant(_of_file(judgments))

    def norm_by_query(self, judgments: Judgments) -> F64:
        """Return 1/k, and in version 3 zero for lists shorter than k."""
        norm = super().norm_by_query(judgments)
        return np.where(self.version == 4 or _reaches(judgments, self.cutoff), norm, 0.0)


@dataclass(frozen=True, kw_only=True)
class _LetorGain:
    """Relevance as in LETOR's NDCG: any document of the file with a positive gain 2^r - 1."""

    def relevant_levels(self, judgments: Judgments) -> Bool:
        """Return which levels have a positive gain."""
        return gain_by_level(_GAIN, judgments) > 0

    def has_relevant(self, judgments: Judgments) -> Bool:
        """Return, for each query, whether the file has a relevant document."""
        return judgments.count_candidates(self.relevant_levels(judgments)) > 0


@dataclass(frozen=True, kw_only=True)
class LetorNDCG(_LetorGain, TabularMetric):
    r"""NDCG@k of LETOR's scripts: gain 2^r - 1, discounts 1, 1, 1/log2(3), ..., and 0 for lists shorter than k.

    Parameters
    ----------
    cutoff : int
        Number of ranks k, required.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([0, 2, 1], [0, 3])
    >>> scores = np.array([3.0, 2.0, 1.0])
    >>> (LetorNDCG @ 2).per_query(scores, judgments), (LetorNDCG @ 5).per_query(scores, judgments)
    (array([0.75]), array([0.]))

    References
    ----------
    Eval-Score-3.0.pl and Eval-Score-4.0.pl, subroutines DCG and NDCG.
    """

    symbol: ClassVar[str] = "LetorNDCG"
    cutoff_rule: ClassVar[CutoffRule] = "required"

    def build_tables(self, judgments: Judgments) -> MetricTables:
        """Return nDCG's tables over the documents of the file, with norm 0 for short lists."""
        gain = gain_by_level(_GAIN, judgments)
        ideal = ideal_dcg(gain, _DISCOUNT, _of_file(judgments), cutoff=self.cutoff)
        return MetricTables(
            gain=gain,
            discount=discount_by_rank(_DISCOUNT, ranks(judgments, self.cutoff)),
            prefix=np.ones(1),
            norm=np.where(_reaches(judgments, self.cutoff), reciprocal(ideal), 0.0),
            offset=np.zeros(judgments.n_queries),
            cutoff=self.cutoffs(judgments),
        )


@dataclass(frozen=True, kw_only=True)
class LetorMeanNDCG(_LetorGain, RankedListMetric):
    r"""Mean NDCG of LETOR 4.0's script: the mean of LETOR's NDCG@k over all ranks k of the list.

    .. math:: \frac{1}{n} \sum_{k=1}^{n} NDCG@k

    Parameters
    ----------
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([0, 1], [0, 2])
    >>> LetorMeanNDCG().per_query(np.array([2.0, 1.0]), judgments)
    array([0.5])

    References
    ----------
    Eval-Score-4.0.pl, subroutine EvalQuery (MeanNDCG).
    """

    symbol: ClassVar[str] = "LetorMeanNDCG"
    aliases: ClassVar[tuple[str, ...]] = ("MeanNDCG",)
    cutoff_rule: ClassVar[CutoffRule] = "never"

    def value_of_ranking(self, ranked_levels: I64, judgments: Judgments) -> F64:
        """Return the value for each query."""
        gain = gain_by_level(_GAIN, judgments)
        offsets, query = judgments.query_offsets, judgments.query_of_document
        gains = gain[judgments.document_levels]
        ideal = gains[np.lexsort((-gains, query))]
        discount = discount_by_rank(_DISCOUNT, ranks(judgments, None))[positions(offsets)]
        reached = _running_sum(gain[ranked_levels] * discount, offsets)
        possible = _running_sum(ideal * discount, offsets)
        total = np.bincount(query, weights=reached * reciprocal(possible), minlength=judgments.n_queries)
        return total * reciprocal(judgments.documents_by_query)


def _of_file(judgments: Judgments) -> Judgments:
    """Return the judgments restricted to candidates."""
    if judgments.unretrieved_levels.size == 0:
        return judgments
    return replace(
        judgments,
        unretrieved_offsets=np.zeros_like(judgments.unretrieved_offsets),
        unretrieved_levels=np.empty(0, np.int64),
    )


def _reaches(judgments: Judgments, cutoff: int | None) -> Bool:
    """Return, for each query, whether its list is as long as the cutoff."""
    return judgments.documents_by_query >= (cutoff or 0)


def _running_sum(values: F64, offsets: I64) -> F64:
    """Return running sums within each segment.

    Subtracting the previous segment's total from the first value of the next resets one running sum to (nearly) 0, so
    that rounding errors do not grow with the number of segments as they would in a difference of two large sums.
    """
    filled = offsets[:-1][np.diff(offsets) > 0]
    restarted = values.copy()
    if filled.size > 1:
        restarted[filled[1:]] -= np.add.reduceat(values, filled)[:-1]
    return np.cumsum(restarted)
