"""Normalizations by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmax._registry import Registry

if TYPE_CHECKING:
    from rankmax.preprocessing.feature_normalization import Normalization

NORMALIZATIONS: Registry[type[Normalization]] = Registry(
    "normalization",
    "rankmax.preprocessing",
    {
        "none": ("feature_normalization:Unchanged", "The values as they are."),
        "min-max": ("feature_normalization:MinMax", "Each query's values stretched to [0, 1]."),
        "z-score": ("feature_normalization:ZScore", "Mean 0 and standard deviation 1 within each query."),
        "percentile": ("feature_normalization:Percentile", "The percentile of a value within its query."),
        "sum": ("feature_normalization:Sum", "Divided by the sum of the query's magnitudes."),
        "l2": ("run_normalization:L2", "Divided by the Euclidean length of the query's scores."),
        "retrieved-min-max": ("run_normalization:RetrievedMinMax", "Min-max over the documents that were retrieved."),
        "retrieved-z-score": ("run_normalization:RetrievedZScore", "Z-score over the documents that were retrieved."),
        "reciprocal-rank": ("run_normalization:ReciprocalRank", "1 / (k + rank), as in reciprocal rank fusion."),
        "elasticsearch-min-max": ("run_normalization:ElasticsearchMinMax", "Min-max as Elasticsearch computes it."),
        "opensearch-min-max": ("run_normalization:OpenSearchMinMax", "Min-max as OpenSearch computes it."),
        "opensearch-z-score": ("run_normalization:OpenSearchZScore", "Z-score as OpenSearch computes it."),
        "qdrant-reciprocal-rank": ("qdrant_ranks:QdrantReciprocalRank", "Reciprocal ranks as Qdrant weighs them."),
        "milvus-inner-product": ("run_normalization:MilvusInnerProduct", "Arc tangent, as Milvus computes it."),
    },
)
"""The normalizations that :meth:`~rankmax.preprocessing.feature_normalization.Normalization.named` knows."""


def normalization_names() -> list[str]:
    """Return the names of the normalizations, sorted.

    Examples
    --------
    >>> "min-max" in normalization_names()
    True
    """
    return sorted(NORMALIZATIONS)
