"""The losses that a structural SVM can be trained for, by name."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rankmax.data.judgments import Judgments
from rankmax.errors import IncompatibleError
from rankmax.learners.examples import require_clear_relevance
from rankmax.learners.structural.oracles.accuracy import AccuracyOracle
from rankmax.learners.structural.oracles.base import SeparationOracle
from rankmax.learners.structural.oracles.reciprocal_rank import ReciprocalRankOracle
from rankmax.learners.structural.oracles.roc_area import ROCAreaOracle
from rankmax.learners.structural.oracles.tabular import TabularOracle
from rankmax.metrics.average_precision import AveragePrecision
from rankmax.metrics.base import Metric, TabularMetric
from rankmax.metrics.binary import BinaryMetric
from rankmax.metrics.parse import parse
from rankmax.metrics.reciprocal_rank import ReciprocalRank
from rankmax.metrics.roc import ROCArea

ACCURACY = "accuracy"


@dataclass(frozen=True)
class StructuralLoss:
    """A loss, and how its most violated constraints are found.

    Attributes
    ----------
    name : str
    metric : TabularMetric
        Whose loss it is; for accuracy, AP, by which a classifier's ranking is judged.
    kind : type
        The separation oracle.
    threshold_given : bool
        Whether somebody said which grades are relevant.
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
        """Whether it knows two kinds of documents only."""
        return isinstance(self.metric, BinaryMetric)

    def require_clear_relevance(self, judgments: Judgments) -> None:
        """Raise where it is unclear which documents are relevant: grades between 0 and 1, and no threshold given.

        Parameters
        ----------
        judgments : Judgments
        """
        if isinstance(self.metric, BinaryMetric) and self.metric.rel == 1 and not self.threshold_given:
            require_clear_relevance(self.name, judgments.levels)

    def oracle(self, judgments: Judgments) -> SeparationOracle:
        """Return the oracle for some queries, all of which tell something.

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
        "accuracy", the share of documents that a threshold classifies wrongly, or a metric that is tables.
    relevant_from : float, optional
        The lowest grade that is relevant to a metric of two kinds of documents, in place of its own.

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
        metric = parse(loss) if isinstance(loss, str) else loss
        name = ""
    if relevant_from is not None:
        if not isinstance(metric, BinaryMetric):
            raise IncompatibleError(f"{metric.name} has gains by grade, so relevant_from={relevant_from} says nothing")
        metric = replace(metric, rel=relevant_from)
    if not isinstance(metric, TabularMetric):
        raise IncompatibleError(
            f"{metric.name} is no loss of a structural SVM; use accuracy, AP, ROC, RR, or a metric that is a sum over "
            "ranks, such as nDCG@10 or P@10"
        )
    kind = AccuracyOracle if name else _oracle_of(metric)
    return StructuralLoss(name or metric.name, metric, kind, relevant_from is not None)


def _oracle_of(metric: TabularMetric) -> type[SeparationOracle]:
    if isinstance(metric, ROCArea):
        return ROCAreaOracle
    if isinstance(metric, ReciprocalRank):
        return ReciprocalRankOracle
    return TabularOracle
