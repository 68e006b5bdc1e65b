r"""Normalisation of what systems retrieved, as search engines do it before they add scores up.

A system scores the documents that it retrieved and no others. In features made of runs
(:func:`rankmax.data.join.join_runs` with ``missing="zero"``), 0 stands for "not retrieved". The normalisations here
look only at the documents that a system retrieved for a query, whatever the sign of their scores, and give those that
it did not retrieve 0, which is what they add in every engine. (Only :class:`RetrievedZScore`, whose 0 is the mean,
gives them the lowest score.)

A score of exactly 0 is a score, not a missing one: in such features it is written as :data:`ZERO_SCORE`, which the
normalisations here read as 0.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.features import take_rows
from rankmax.data.normalise import MinMax, Normalisation, ZScore, ratio, tamed
from rankmax.data.pairs import in_trec_order
from rankmax.data.segments import QuerySegments
from rankmax.errors import InvalidParameterError

ELASTICSEARCH_SAME = 1e-6
"""Where the scores of a list differ by less, Elasticsearch takes them for equal."""
ZERO_SCORE = float(np.finfo(np.float64).smallest_normal)
"""A score of exactly 0, where 0 stands for "not retrieved"."""
OPENSEARCH_SAME = 1e-9
"""What part of the highest magnitude a score may be off the mean and still be taken for it: no rounding decides."""
OPENSEARCH_CLAUSES = 5
"""So many systems, and no more, OpenSearch's hybrid query combines."""
OPENSEARCH_FLOOR = 0.001
"""What OpenSearch makes of a normalised score of 0: the last document retrieved stands above those that were not."""


class RetrievedNormalisation(Normalisation):
    """Base of the normalisations that see only nonzero values: those of documents that were retrieved."""

    keeps_zeros: ClassVar[bool] = True

    def normalise(self, column: F64, segments: QuerySegments) -> F64:
        """Return the normalised scores, 0 where the score is 0.

        Parameters
        ----------
        column : array of float64, shape (n_documents,)
        segments : QuerySegments
        """
        found = np.flatnonzero(column)
        normalised = np.zeros_like(column)
        if found.size:
            counts = np.bincount(segments.segment_of_document[found], minlength=segments.lengths.size)
            lists = QuerySegments(np.concatenate([[0], np.cumsum(counts)]))
            scores = column[found]
            normalised[found] = self.normalise_list(np.where(scores == ZERO_SCORE, 0.0, scores), lists)
        return normalised

    @abstractmethod
    def normalise_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the normalised scores of the documents that were retrieved.

        Parameters
        ----------
        scores : array of float64
        lists : QuerySegments
            The documents retrieved for each query.
        """


@dataclass(frozen=True)
class L2(RetrievedNormalisation):
    r"""Divide by the Euclidean length of the query's scores.

    .. math:: x' = x / \sqrt{\sum_q x^2}

    Examples
    --------
    >>> from rankmax.data.dataset import RankingDataset
    >>> data = RankingDataset.from_arrays([[3.0], [4.0], [0.0]], [1, 0, 0], qid=[7, 7, 7])
    >>> L2().apply(data).features.ravel()
    array([0.6, 0.8, 0. ])

    References
    ----------
    ``l2_norm`` of Elasticsearch's linear retriever; ``l2`` of OpenSearch's normalization-processor.
    """

    name: ClassVar[str] = "l2"

    def normalise_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the shares of the length."""
        scores = tamed(scores, lists)
        return ratio(scores, lists.spread(np.sqrt(lists.reduce(np.add, scores * scores))))


@dataclass(frozen=True)
class RetrievedMinMax(RetrievedNormalisation):
    r"""Stretch the scores of the documents retrieved for a query to [0, 1]; where all are equal they become 1.

    .. math:: x' = (x - \min_q x) / (\max_q x - \min_q x)

    So the last document retrieved counts as little as those that were not.

    Examples
    --------
    >>> from rankmax.data.dataset import RankingDataset
    >>> data = RankingDataset.from_arrays([[-1.0], [-3.0], [-2.0], [0.0], [5.0]], [1, 0, 0, 0, 0], qid=[7, 7, 7, 7, 8])
    >>> RetrievedMinMax().apply(data).features.ravel()
    array([1. , 0. , 0.5, 0. , 1. ])

    """

    name: ClassVar[str] = "retrieved-min-max"

    def normalise_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the stretched scores."""
        return np.where(_ranges(scores, lists) > 0, MinMax().normalise(scores, lists), 1.0)


@dataclass(frozen=True)
class ElasticsearchMinMax(RetrievedNormalisation):
    r"""Stretch the scores of the documents retrieved for a query to [0, 1], as Elasticsearch does.

    As :class:`RetrievedMinMax`, but scores become 1 also where they differ by less than a millionth.

    Examples
    --------
    >>> from rankmax.data.dataset import RankingDataset
    >>> scores = [[9.0, 4e-7], [4.0, 0.0], [5.0, 2e-7]]
    >>> ElasticsearchMinMax().apply(RankingDataset.from_arrays(scores, [1, 0, 0], qid=[7, 7, 7])).features
    array([[1. , 1. ],
           [0. , 0. ],
           [0.2, 1. ]])

    References
    ----------
    ``minmax`` of Elasticsearch's linear retriever.
    """

    name: ClassVar[str] = "elasticsearch-min-max"

    def normalise_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the stretched scores."""
        same = _ranges(scores, lists) < ELASTICSEARCH_SAME
        return np.where(same, 1.0, RetrievedMinMax().normalise_list(scores, lists))


@dataclass(frozen=True)
class OpenSearchMinMax(RetrievedNormalisation):
    r"""Stretch the scores of the documents retrieved for a query to [0.001, 1], as OpenSearch does.

    As :class:`RetrievedMinMax`, but a normalised score of 0 becomes 0.001.

    Examples
    --------
    >>> from rankmax.data.dataset import RankingDataset
    >>> data = RankingDataset.from_arrays([[9.0], [4.0], [5.0], [0.0]], [1, 0, 0, 0], qid=[7, 7, 7, 7])
    >>> OpenSearchMinMax().apply(data).features.ravel()
    array([1.   , 0.001, 0.2  , 0.   ])

    References
    ----------
    ``min_max`` of OpenSearch's normalization-processor.
    """

    name: ClassVar[str] = "opensearch-min-max"

    def normalise_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the stretched scores."""
        stretched = RetrievedMinMax().normalise_list(scores, lists)
        return np.where(stretched == 0, OPENSEARCH_FLOOR, stretched)


@dataclass(frozen=True)
class RetrievedZScore(RetrievedNormalisation):
    r"""Centre the scores of the documents retrieved for a query at 0, with standard deviation 1.

    .. math:: x' = (x - \mu_q) / \sigma_q

    A document that was not retrieved gets the lowest of these: 0 would be the mean. Where all scores are equal, or
    nothing was retrieved, every document of the query gets 0.

    Examples
    --------
    >>> from rankmax.data.dataset import RankingDataset
    >>> data = RankingDataset.from_arrays([[3.0], [1.0], [0.0]], [1, 0, 0], qid=[7, 7, 7])
    >>> RetrievedZScore().apply(data).features.ravel()
    array([ 1., -1., -1.])
    """

    name: ClassVar[str] = "retrieved-z-score"
    keeps_zeros: ClassVar[bool] = False

    def normalise(self, column: F64, segments: QuerySegments) -> F64:
        """Return the standardised scores."""
        standardised = super().normalise(column, segments)
        lowest = np.minimum(segments.reduce(np.minimum, standardised), 0.0)
        return np.where(column == 0, segments.spread(lowest), standardised)

    def normalise_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the standardised scores."""
        return ZScore().normalise(scores, lists)


@dataclass(frozen=True)
class OpenSearchZScore(RetrievedNormalisation):
    r"""Standardise the scores of the documents retrieved for a query, none below 0.001, as OpenSearch does.

    .. math:: x' = (x - \mu_q) / \sigma_q, \quad \sigma_q^2 = \frac{1}{n_q - 1} \sum (x - \mu_q)^2

    where this is above 0, else 0.001. A score that equals the mean, as all do where scores are equal, becomes the
    highest score as it was. OpenSearch compares in single precision; here they are equal to nine digits of the largest
    score, so that it does not depend on the last bit of a sum.

    Examples
    --------
    >>> from rankmax.data.dataset import RankingDataset
    >>> data = RankingDataset.from_arrays([[6.0], [3.0], [0.0], [5.0]], [1, 0, 0, 0], qid=[7, 7, 7, 8])
    >>> print(*OpenSearchZScore().apply(data).features.ravel().round(4))
    0.7071 0.001 0.0 5.0

    References
    ----------
    ``z_score`` of OpenSearch's normalization-processor.
    """

    name: ClassVar[str] = "opensearch-z-score"

    def normalise_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the standardised scores."""
        several = np.maximum(lists.lengths - 1, 1)
        standardised = ZScore().normalise(scores, lists) * lists.spread(np.sqrt(several / lists.lengths))
        highest = lists.spread(lists.reduce(np.maximum, scores))
        tame = tamed(scores, lists)
        close = OPENSEARCH_SAME * lists.spread(lists.reduce(np.maximum, np.abs(tame)))
        floored = np.where(standardised < 0, OPENSEARCH_FLOOR, standardised)
        return np.where(np.abs(lists.centred(tame)) <= close, highest, floored)


@dataclass(frozen=True)
class ReciprocalRank(RetrievedNormalisation):
    r"""Replace scores by reciprocal ranks: with equal weights, reciprocal rank fusion.

    .. math:: x' = \frac{1}{k + \text{rank of the document among those retrieved}}

    Ranks begin at 1. Equal scores are ranked as trec_eval ranks them, by document id, descending: so a rank depends on
    nothing but its own list, and is the one that the run is evaluated by. Documents without ids keep their order.

    Parameters
    ----------
    k : float
        The larger, the less the first ranks stand out. From 0.

    Examples
    --------
    >>> from rankmax.data.dataset import RankingDataset
    >>> data = RankingDataset.from_arrays([[0.2], [7.0], [0.0]], [1, 0, 0], qid=[7, 7, 7])
    >>> ReciprocalRank(k=3).apply(data).features.ravel()
    array([0.2 , 0.25, 0.  ])

    References
    ----------
    Cormack, Clarke & Büttcher 2009, Reciprocal rank fusion outperforms Condorcet and individual rank learning methods.
    """

    name: ClassVar[str] = "reciprocal-rank"

    k: float = 60.0

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int | float) or not 0 <= self.k < np.inf:
            raise InvalidParameterError(f"k is {self.k!r}; expected a number from 0")

    def apply(self, data: RankingDataset) -> RankingDataset:
        """Return the data with reciprocal ranks in place of the features.

        Parameters
        ----------
        data : RankingDataset
        """
        if data.document_ids is None:
            return super().apply(data)
        order = in_trec_order(data.judgments.query_of_document, data.document_ids)
        if (order[:-1] < order[1:]).all():
            return super().apply(data)
        ranked = super().apply(replace(data, features=take_rows(data.features, order))).features
        return replace(data, features=take_rows(ranked, np.argsort(order)))

    def normalise_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the reciprocal ranks."""
        query = lists.segment_of_document
        order = np.lexsort((-scores, query))  # stable
        ranks = np.empty(scores.size)
        ranks[order] = np.arange(scores.size) - np.repeat(lists.starts, lists.lengths) + 1.0
        reciprocal: F64 = 1.0 / (self.k + ranks)
        return reciprocal


def _ranges(scores: F64, lists: QuerySegments) -> F64:
    """Return how far apart the scores of a document's list are; infinite where that overflows."""
    with np.errstate(over="ignore"):
        return lists.spread(lists.reduce(np.maximum, scores) - lists.reduce(np.minimum, scores))
