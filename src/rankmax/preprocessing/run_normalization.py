r"""Normalization of retrieved documents' scores, as search engines do before they add them up.

A system scores only the documents that it retrieved. In features made of runs
(:func:`rankmax.data.judging.join_runs` with ``missing="zero"``), 0 means "not retrieved". The normalizations of this
module consider only the documents that a system retrieved for a query, whatever the sign of their scores, and give 0 to
the others, which is what they contribute in every engine. (Only :class:`RetrievedZScore`, whose 0 is the mean, gives
them the lowest score.)

A score of exactly 0 is a score, not a missing one: such features represent it as :data:`ZERO_SCORE`, which these
normalizations read as 0.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_matrix import take_rows
from rankmax.data.query_document_pairs import in_trec_order
from rankmax.data.query_segments import QuerySegments
from rankmax.errors import InvalidParameterError
from rankmax.preprocessing.feature_normalization import MinMax, Normalization, ZScore, ratio, tamed

ELASTICSEARCH_SAME = 1e-6
"""Difference of scores below which Elasticsearch treats them as equal."""
ZERO_SCORE = float(np.finfo(np.float64).smallest_normal)
"""Representation of a score of exactly 0, where 0 means "not retrieved"."""
OPENSEARCH_SAME = 1e-9
"""Distance from the mean, relative to the largest absolute score, up to which a score equals it despite rounding."""
OPENSEARCH_CLAUSES = 5
"""Maximum number of systems that OpenSearch's hybrid query combines."""
OPENSEARCH_FLOOR = 0.001
"""OpenSearch's replacement of a normalized score of 0, which keeps retrieved documents above all others."""


class RetrievedNormalization(Normalization):
    """Base of normalizations that consider only nonzero values: those of retrieved documents."""

    keeps_zeros: ClassVar[bool] = True

    def normalize(self, column: F64, segments: QuerySegments) -> F64:
        """Return the normalized scores, 0 where the score is 0.

        Parameters
        ----------
        column : array of float64, shape (n_documents,)
        segments : QuerySegments
        """
        found = np.flatnonzero(column)
        normalized = np.zeros_like(column)
        if found.size:
            counts = np.bincount(segments.segment_of_document[found], minlength=segments.lengths.size)
            lists = QuerySegments(np.concatenate([[0], np.cumsum(counts)]))
            scores = column[found]
            normalized[found] = self.normalize_list(np.where(scores == ZERO_SCORE, 0.0, scores), lists)
        return normalized

    @abstractmethod
    def normalize_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the normalized scores of the retrieved documents.

        Parameters
        ----------
        scores : array of float64
        lists : QuerySegments
            Documents retrieved for each query.
        """


@dataclass(frozen=True)
class L2(RetrievedNormalization):
    r"""Divide by the Euclidean length of the query's scores.

    .. math:: x' = x / \sqrt{\sum_q x^2}

    Examples
    --------
    >>> from rankmax import RankingDataset
    >>> data = RankingDataset.from_arrays([[3.0], [4.0], [0.0]], [1, 0, 0], qid=[7, 7, 7])
    >>> L2().apply(data).features.ravel()
    array([0.6, 0.8, 0. ])

    References
    ----------
    ``l2_norm`` of Elasticsearch's linear retriever; ``l2`` of OpenSearch's normalization-processor.
    """

    name: ClassVar[str] = "l2"

    def normalize_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the scores divided by the length."""
        scores = tamed(scores, lists)
        return ratio(scores, lists.spread(np.sqrt(lists.reduce(np.add, scores * scores))))


@dataclass(frozen=True)
class RetrievedMinMax(RetrievedNormalization):
    r"""Scale the scores of the documents retrieved for a query to [0, 1]; if all are equal, they become 1.

    .. math:: x' = (x - \min_q x) / (\max_q x - \min_q x)

    The last document retrieved therefore counts as little as those that were not retrieved.

    Examples
    --------
    >>> from rankmax import RankingDataset
    >>> data = RankingDataset.from_arrays([[-1.0], [-3.0], [-2.0], [0.0], [5.0]], [1, 0, 0, 0, 0], qid=[7, 7, 7, 7, 8])
    >>> RetrievedMinMax().apply(data).features.ravel()
    array([1. , 0. , 0.5, 0. , 1. ])

    """

    name: ClassVar[str] = "retrieved-min-max"

    def normalize_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the scaled scores."""
        return np.where(_ranges(scores, lists) > 0, MinMax().normalize(scores, lists), 1.0)


@dataclass(frozen=True)
class ElasticsearchMinMax(RetrievedNormalization):
    r"""Scale the scores of the documents retrieved for a query to [0, 1], as Elasticsearch does.

    This is :class:`RetrievedMinMax`, but scores also become 1 if they differ by less than a millionth.

    Examples
    --------
    >>> from rankmax import RankingDataset
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

    def normalize_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the scaled scores."""
        same = _ranges(scores, lists) < ELASTICSEARCH_SAME
        return np.where(same, 1.0, RetrievedMinMax().normalize_list(scores, lists))


class _OpenSearchNormalization(RetrievedNormalization):
    """Base of OpenSearch's own normalizations: to its hybrid query a hit with a score of exactly 0 is no hit."""

    def normalize(self, column: F64, segments: QuerySegments) -> F64:
        """Return the normalized scores, 0 where the score is 0."""
        return super().normalize(np.where(column == ZERO_SCORE, 0.0, column), segments)


@dataclass(frozen=True)
class OpenSearchMinMax(_OpenSearchNormalization):
    r"""Scale the scores of the documents retrieved for a query to [0.001, 1], as OpenSearch does.

    This is :class:`RetrievedMinMax`, but a normalized score of 0 becomes 0.001, and a score of exactly 0 does not
    count as retrieved.

    Examples
    --------
    >>> from rankmax import RankingDataset
    >>> data = RankingDataset.from_arrays([[9.0], [4.0], [5.0], [0.0]], [1, 0, 0, 0], qid=[7, 7, 7, 7])
    >>> OpenSearchMinMax().apply(data).features.ravel()
    array([1.   , 0.001, 0.2  , 0.   ])

    References
    ----------
    ``min_max`` of OpenSearch's normalization-processor.
    """

    name: ClassVar[str] = "opensearch-min-max"

    def normalize_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the scaled scores."""
        stretched = RetrievedMinMax().normalize_list(scores, lists)
        return np.where(stretched == 0, OPENSEARCH_FLOOR, stretched)


@dataclass(frozen=True)
class RetrievedZScore(RetrievedNormalization):
    r"""Center the scores of the documents retrieved for a query at 0, with standard deviation 1.

    .. math:: x' = (x - \mu_q) / \sigma_q

    A document that was not retrieved gets the lowest of these, as 0 would be the mean. If all scores are equal, or
    nothing was retrieved, every document of the query gets 0.

    Examples
    --------
    >>> from rankmax import RankingDataset
    >>> data = RankingDataset.from_arrays([[3.0], [1.0], [0.0]], [1, 0, 0], qid=[7, 7, 7])
    >>> RetrievedZScore().apply(data).features.ravel()
    array([ 1., -1., -1.])
    """

    name: ClassVar[str] = "retrieved-z-score"
    keeps_zeros: ClassVar[bool] = False

    def normalize(self, column: F64, segments: QuerySegments) -> F64:
        """Return the standardized scores."""
        standardized = super().normalize(column, segments)
        lowest = np.minimum(segments.reduce(np.minimum, standardized), 0.0)
        return np.where(column == 0, segments.spread(lowest), standardized)

    def normalize_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the standardized scores."""
        return ZScore().normalize(scores, lists)


@dataclass(frozen=True)
class OpenSearchZScore(_OpenSearchNormalization):
    r"""Standardize the scores of the documents retrieved for a query, with a minimum of 0.001, as OpenSearch does.

    .. math:: x' = (x - \mu_q) / \sigma_q, \quad \sigma_q^2 = \frac{1}{n_q - 1} \sum (x - \mu_q)^2

    if this is positive, otherwise 0.001. A score that equals the mean, as all do if scores are equal, becomes the
    highest original score; a score of exactly 0 does not count as retrieved. OpenSearch compares in single precision;
    this class treats scores as equal if they agree to nine digits of the largest score, so that the result does not
    depend on the last bit of a sum.

    Examples
    --------
    >>> from rankmax import RankingDataset
    >>> data = RankingDataset.from_arrays([[6.0], [3.0], [0.0], [5.0]], [1, 0, 0, 0], qid=[7, 7, 7, 8])
    >>> print(*OpenSearchZScore().apply(data).features.ravel().round(4))
    0.7071 0.001 0.0 5.0

    References
    ----------
    ``z_score`` of OpenSearch's normalization-processor.
    """

    name: ClassVar[str] = "opensearch-z-score"

    def normalize_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the standardized scores."""
        several = np.maximum(lists.lengths - 1, 1)
        standardized = ZScore().normalize(scores, lists) * lists.spread(np.sqrt(several / lists.lengths))
        highest = lists.spread(lists.reduce(np.maximum, scores))
        tame = tamed(scores, lists)
        close = OPENSEARCH_SAME * lists.spread(lists.reduce(np.maximum, np.abs(tame)))
        floored = np.where(standardized < 0, OPENSEARCH_FLOOR, standardized)
        return np.where(np.abs(lists.centered(tame)) <= close, highest, floored)


@dataclass(frozen=True)
class MilvusInnerProduct(RetrievedNormalization):
    r"""Map inner products to (0, 1), as Milvus does; a score's list does not matter.

    .. math:: x' = \frac{1}{2} + \frac{\arctan x}{\pi}

    Examples
    --------
    >>> from rankmax.data import RankingDataset
    >>> data = RankingDataset.from_arrays([[1.0], [-1.0], [0.0]], [1, 0, 0], qid=[7, 7, 7])
    >>> MilvusInnerProduct().apply(data).features.ravel()
    array([0.75, 0.25, 0.  ])

    References
    ----------
    ``norm_score`` of Milvus's WeightedRanker, for the metric type IP.
    """

    name: ClassVar[str] = "milvus-inner-product"

    def normalize_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the mapped scores."""
        mapped: F64 = 0.5 + np.arctan(scores) / np.pi
        return mapped


@dataclass(frozen=True)
class ReciprocalRank(RetrievedNormalization):
    r"""Replace scores by reciprocal ranks: with equal weights, reciprocal rank fusion.

    .. math:: x' = \frac{1}{k + \text{rank of the document among those retrieved}}

    Ranks start at 1. Equal scores are ranked as in trec_eval, by document id, descending, so a rank depends only on its
    own list, and is the one that the run is evaluated by. Documents without ids keep their order.

    Parameters
    ----------
    k : float
        Nonnegative rank constant: the larger, the less the first ranks stand out.

    Examples
    --------
    >>> from rankmax import RankingDataset
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
            raise InvalidParameterError(f"k is {self.k!r}; expected a nonnegative number")

    def apply(self, data: RankingDataset) -> RankingDataset:
        """Return the data with features replaced by reciprocal ranks.

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

    def normalize_list(self, scores: F64, lists: QuerySegments) -> F64:
        """Return the reciprocal ranks."""
        query = lists.segment_of_document
        order = np.lexsort((-scores, query))  # stable
        ranks = np.empty(scores.size)
        ranks[order] = np.arange(scores.size) - np.repeat(lists.starts, lists.lengths) + 1.0
        reciprocal: F64 = 1.0 / (self.k + ranks)
        return reciprocal


def _ranges(scores: F64, lists: QuerySegments) -> F64:
    """Return the range of the scores of each document's list; infinite if it overflows."""
    with np.errstate(over="ignore"):
        return lists.spread(lists.reduce(np.maximum, scores) - lists.reduce(np.minimum, scores))
