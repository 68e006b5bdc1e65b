"""Learners by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankmax._registry import Registry

if TYPE_CHECKING:
    from rankmax.learners.options import BuildableLearner

DIRECT = "direct"

Options = Mapping[str, Any]
"""Given option values by parameter name."""

LEARNERS: Registry[BuildableLearner] = Registry(
    "learner",
    "rankmax.learners",
    {
        DIRECT: ("direct.linear_ranker:LinearRanker", "maximizes the metric itself by exact line searches"),
        "structural-svm": ("structural.structural_svm:StructuralSVM", "minimizes a convex bound: SVM-map for AP"),
        "expected-gain": ("surrogate.expected_gain:EXPECTED_GAIN", "ranks by the gain that a logistic model expects"),
        "surrogate": ("surrogate.surrogate_ranker:SurrogateRanker", "minimizes a surrogate loss: ListNet, RankCosine"),
        "ranking-svm": ("pairwise.ranking_svm:RankingSVM", "orders pairs of documents with a margin"),
        "classification-svm": ("pointwise.classification_svm:ClassificationSVM", "separates relevant documents"),
        "maximum-entropy": ("pointwise.maximum_entropy:MaximumEntropyRanker", "maximizes the likelihood of relevance"),
        "least-squares": ("pointwise.least_squares:LeastSquaresRanker", "regresses the grades on the features"),
    },
)
"""Learners by name, direct maximization first."""


def option_names(learner: str) -> frozenset[str]:
    """Return the names of the options that a learner takes.

    Parameters
    ----------
    learner : str

    Examples
    --------
    >>> sorted(option_names("least-squares"))
    ['ridge']
    """
    return frozenset(option.name for option in LEARNERS.load(learner).options)
