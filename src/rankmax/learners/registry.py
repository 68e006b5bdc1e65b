"""Learners by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankmax._registry import Registry

if TYPE_CHECKING:
    from rankmax.learners.declared_options import BuildableLearner

DIRECT = "direct"

Options = Mapping[str, Any]
"""Given option values by parameter name."""

LEARNERS: Registry[BuildableLearner] = Registry(
    "learner",
    "rankmax.learners",
    {
        DIRECT: ("presets:LINEAR_RANKER", "maximizes the metric itself by exact line searches"),
        "additive": ("presets:ADDITIVE_RANKER", "a curve per feature, for the metric itself"),
        "structural-svm": ("presets:STRUCTURAL_SVM", "minimizes a convex bound: SVM-map for AP"),
        "expected-gain": ("presets:EXPECTED_GAIN", "ranks by the gain that a logistic model expects"),
        "surrogate": ("presets:SURROGATE_RANKER", "minimizes a surrogate loss: ListNet, RankCosine"),
        "ranking-svm": ("presets:RANKING_SVM", "orders pairs of documents with a margin"),
        "classification-svm": ("presets:CLASSIFICATION_SVM", "separates relevant documents"),
        "maximum-entropy": ("presets:MAXIMUM_ENTROPY", "maximizes the likelihood of relevance"),
        "least-squares": ("presets:LEAST_SQUARES", "regresses the grades on the features"),
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
