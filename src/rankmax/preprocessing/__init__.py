"""Normalization and binning of features and scores within each query."""

from rankmax.preprocessing.binning import Binning
from rankmax.preprocessing.feature_normalization import MinMax, Normalization, Percentile, Sum, Unchanged, ZScore
from rankmax.preprocessing.registry import normalization_names
from rankmax.preprocessing.run_normalization import (
    L2,
    ElasticsearchMinMax,
    OpenSearchMinMax,
    OpenSearchZScore,
    ReciprocalRank,
    RetrievedMinMax,
    RetrievedNormalization,
    RetrievedZScore,
)

__all__ = [
    "L2",
    "Binning",
    "ElasticsearchMinMax",
    "MinMax",
    "Normalization",
    "OpenSearchMinMax",
    "OpenSearchZScore",
    "Percentile",
    "ReciprocalRank",
    "RetrievedMinMax",
    "RetrievedNormalization",
    "RetrievedZScore",
    "Sum",
    "Unchanged",
    "ZScore",
    "normalization_names",
]
