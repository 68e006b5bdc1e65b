"""Learners by their names, each with the options that are for it: what a command or a page may ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankmax.metrics.base import Metric

DIRECT = "direct"

CROSS_ENTROPY = "cross-entropy"
LOSSES = (
    *("cosine", CROSS_ENTROPY, "squared"),
    *("pairwise-logistic", "plackett-luce", "proportional-cross-entropy", "smooth-ndcg"),
)

Options = Mapping[str, Any]
"""Those that were given, by the learners' own parameter names."""


@dataclass(frozen=True)
class LearnerChoice:
    """What a name stands for.

    Attributes
    ----------
    build : callable
        Makes the learner from the metric, the normalisation and the options.
    options : frozenset of str
        The options that it takes.
    takes_validation : bool
        Whether validation queries have a say.
    """

    build: Callable[[Metric, str, Options], Any]
    options: frozenset[str]
    takes_validation: bool = True


def _direct(metric: Metric, normalise: str, options: Options) -> Any:
    from rankmax.learners.linear_ranker import LinearRanker

    return LinearRanker(metric, normalisation=normalise, **{k: v for k, v in options.items() if k != "checkpoint"})


def _least_squares(metric: Metric, normalise: str, options: Options) -> Any:
    from rankmax.learners.least_squares import LeastSquaresRanker

    return LeastSquaresRanker(normalisation=normalise, **options)


def _structural_svm(metric: Metric, normalise: str, options: Options) -> Any:
    from rankmax.learners.structural.svm import StructuralSVM

    return StructuralSVM(metric, normalisation=normalise, **options)


def _ranking_svm(metric: Metric, normalise: str, options: Options) -> Any:
    from rankmax.learners.ranking_svm import RankingSVM

    return RankingSVM(metric=metric, normalisation=normalise, **options)


def _classification_svm(metric: Metric, normalise: str, options: Options) -> Any:
    from rankmax.learners.classification import ClassificationSVM

    return ClassificationSVM(metric=metric, normalisation=normalise, **options)


def _maximum_entropy(metric: Metric, normalise: str, options: Options) -> Any:
    from rankmax.learners.maximum_entropy import MaximumEntropyRanker

    return MaximumEntropyRanker(metric=metric, normalisation=normalise, **options)


def _surrogate(metric: Metric, normalise: str, options: Options) -> Any:
    from rankmax.learners.surrogate_ranker import SurrogateRanker
    from rankmax.losses.cross_entropy import CrossEntropy

    own = {name: value for name, value in options.items() if name != "alpha"}
    if "alpha" in options:
        own["loss"] = [CrossEntropy(alpha=alpha) for alpha in options["alpha"]]
    return SurrogateRanker(**{"scoring": "linear", **own}, metric=metric, normalisation=normalise)


def _expected_gain(metric: Metric, normalise: str, options: Options) -> Any:
    from rankmax.learners.scoring.expected_gain import ExpectedGain

    own = {name: value for name, value in options.items() if name != "epsilon"}
    scoring = [ExpectedGain(epsilon=epsilon) for epsilon in options.get("epsilon", ())] or "expected-gain"
    return _surrogate(metric, normalise, {"scoring": scoring, **own})


_CLIMBING = frozenset(
    {"space", "n_bags", "shrinkage", "n_restarts", "seed", "n_jobs", "time_limit", "checkpoint", "engine", "memory"}
)
_SURROGATE = frozenset({"loss", "alpha", "ridge", "engine", "memory"})

LEARNERS = {
    DIRECT: LearnerChoice(_direct, _CLIMBING),
    "structural-svm": LearnerChoice(_structural_svm, frozenset({"C", "relevant_from", "engine"})),
    "expected-gain": LearnerChoice(_expected_gain, _SURROGATE | {"epsilon", "n_restarts", "polish", "seed"}),
    "surrogate": LearnerChoice(_surrogate, _SURROGATE),
    "ranking-svm": LearnerChoice(_ranking_svm, frozenset({"C"})),
    "classification-svm": LearnerChoice(_classification_svm, frozenset({"C", "balance", "relevant_from", "seed"})),
    "maximum-entropy": LearnerChoice(_maximum_entropy, frozenset({"C", "balance", "relevant_from", "seed"})),
    "least-squares": LearnerChoice(_least_squares, frozenset({"ridge"}), takes_validation=False),
}
"""By name, direct maximisation first."""
