"""Losses of structural SVMs by name."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rankmax._registry import Registry
from rankmax.data.judgments import Judgments
from rankmax.errors import IncompatibleError
from rankmax.learners.pointwise.binary_examples import require_clear_relevance
from rankmax.learners.structural.oracles.separation_oracle import SeparationOracle
from rankmax.metrics.average_precision import AveragePrecision
from rankmax.metrics.binary import BinaryMetric
from rankmax.metrics.metric import Metric, TabularMetric
from rankmax.metrics.registry import parse_metric

ACCURACY = "accuracy"
_SUM_OVER_RANKS = "sum over ranks"

ORACLES: Registry[type[SeparationOracle]] = Registry(
    "separation oracle",
    "rankmax.learners.structural.oracles",
    {
        ACCURACY: ("accuracy:AccuracyOracle", "Share of documents on the wrong side of a threshold."),
        "ROC": ("roc_area_oracle:ROCAreaOracle", "Share of pairs of documents in the wrong order."),
        "RR": ("reciprocal_rank_oracle:ReciprocalRankOracle", "Reciprocal rank of the first relevant document."),
        _SUM_OVER_RANKS: ("tabular:TabularOracle", "Every other metric that is a sum over ranks."),
    },
)
"""Separation oracles by name: accuracy, or the symbol of a metric that has its own oracle."""


@dataclass(frozen=True)
class StructuralLoss:
    """A loss with its separation oracle.

    Attributes
    ----------
    name : str
    metric : TabularMetric
        The metric of the loss; for accuracy, AP, which evaluates a classifier's ranking.
    kind : type
        The separation oracle.
    threshold_given : bool
        Whether the lowest relevant grade was given.
    """

    name: str
    metric: TabularMetric
    kind: type[SeparationOracle]
    threshold_given: bool = False

    @property
    def has_threshold(self) -> bool:
        """Whether a threshold is learned with the weights."""
        return self.kind.has_threshold

    @property
    def is_binary(self) -> bool:
        """Whether relevance is binary to the loss."""
        return isinstance(self.metric, BinaryMetric)

    def require_clear_relevance(self, judgments: Judgments) -> None:
        """Raise an error if relevance is unclear: grades between 0 and 1, and no lowest relevant grade given.

        Parameters
        ----------
        judgments : Judgments
        """
        if isinstance(self.metric, BinaryMetric) and self.metric.rel == 1 and not self.threshold_given:
            require_clear_relevance(self.name, judgments.levels)

    def oracle(self, judgments: Judgments) -> SeparationOracle:
        """Return the oracle for queries that are all informative.

        Parameters
        ----------
        judgments : Judgments
        """
        return self.kind(self.metric, judgments)


def structural_loss(loss: str | Metric, *, relevant_from: float | None = None) -> StructuralLoss:
    """Return the loss of a name or metric.

    Parameters
    ----------
    loss : str or Metric
        "accuracy", the share of documents that a threshold classifies wrongly, or a metric that is a sum over ranks.
    relevant_from : float, optional
        Lowest relevant grade of a metric with binary relevance, in place of its own.

    Examples
    --------
    >>> structural_loss("MAP").metric.name, structural_loss("AP", relevant_from=2).metric.name
    ('AP', 'AP(rel=2)')
    >>> structural_loss("accuracy").name
    'accuracy'
    """
    if isinstance(loss, str) and loss.casefold() == ACCURACY:
        metric: Metric = AveragePrecision()
        name = ACCURACY
    else:
        metric = parse_metric(loss) if isinstance(loss, str) else loss
        name = ""
    if relevant_from is not None:
        if not isinstance(metric, BinaryMetric):
            raise IncompatibleError(f"{metric.name} has gains by grade, so relevant_from={relevant_from} has no effect")
        metric = replace(metric, rel=relevant_from)
    if not isinstance(metric, TabularMetric):
        raise IncompatibleError(
            f"{metric.name} is no loss of a structural SVM; use accuracy, AP, ROC, RR, or a metric that is a sum over "
            "ranks, such as nDCG@10 or P@10"
        )
    kind = ORACLES.load(ACCURACY) if name else _oracle_of(metric)
    return StructuralLoss(name or metric.name, metric, kind, relevant_from is not None)


def _oracle_of(metric: TabularMetric) -> type[SeparationOracle]:
    symbols = (getattr(kind, "symbol", "") for kind in type(metric).__mro__)
    return ORACLES.load(next((symbol for symbol in symbols if symbol in ORACLES), _SUM_OVER_RANKS))
