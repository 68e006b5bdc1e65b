"""The optimization problem of a structural SVM over the parts of local or distributed data."""

from __future__ import annotations

import operator

from rankmax._arrays import F64
from rankmax.backends.partition import Derived
from rankmax.backends.training_data import Part, TrainingData
from rankmax.errors import IncompatibleError
from rankmax.learners.structural.loss_registry import StructuralLoss
from rankmax.learners.structural.margin_problem import CuttingPlane, MarginProblem, MarginSums, plane_of
from rankmax.learners.structural.oracles.separation_oracle import tells

_THOROUGH = "TOP"  # the algorithm that finds the best ranking for every metric


class PartMargins(Derived):
    """The constraints of one part of the data.

    Parameters
    ----------
    part : Part
    loss : StructuralLoss
    levels : array of float64
        Grades of all parts, so that a level is the same grade in every part.
    """

    def __init__(self, part: Part, loss: StructuralLoss, levels: F64) -> None:
        super().__init__(part, loss, levels)
        data = part.with_levels(levels)
        loss.require_clear_relevance(data.judgments)
        telling = tells(loss.metric, data.judgments)
        self.skipped = tuple(query for query, kept in zip(data.query_ids, telling, strict=True) if not kept)
        self.problem = MarginProblem(data if telling.all() else data.select(telling), loss) if telling.any() else None


class PartitionedMarginProblem:
    """Mean slack over all parts as a function of the weights, bit for bit that of :class:`MarginProblem`.

    Parameters
    ----------
    data : TrainingData
    loss : StructuralLoss

    Attributes
    ----------
    n_queries : int
        Number of informative queries.
    skipped_queries : tuple of str
        Ids of the other queries.
    """

    def __init__(self, data: TrainingData, loss: StructuralLoss) -> None:
        if data.backend is not None and data.backend.maps_features:
            raise IncompatibleError(
                "a structural SVM copies its informative queries, so their features cannot stay on disk; train without "
                "a memory limit, or with more workers"
            )
        self.data = data
        self.loss = loss
        self._margins = data.hold(PartMargins, loss, data.levels)
        told = data.map(_skipped_and_kind, self._margins)
        self.skipped_queries: tuple[str, ...] = tuple(query for skipped, _ in told for query in skipped)
        self.n_queries = data.n_queries - len(self.skipped_queries)
        kinds = {kind for _, kind in told if kind is not None}
        # A part whose lists are all short may look easier than the whole is; all parts must search alike.
        self._kind = _THOROUGH if _THOROUGH in kinds else next(iter(kinds), "")

    @property
    def n_weights(self) -> int:
        """Number of features, plus one if the loss has a threshold."""
        return self.data.n_features + self.loss.has_threshold

    @property
    def whole(self) -> MarginProblem:
        """The problem over all informative queries, if they are in this process."""
        (margins,) = self._margins
        problem: MarginProblem = margins.problem
        return problem

    def cut(self, weights: F64) -> CuttingPlane:
        """Return the cutting plane at the given weights: the mean of the most violated constraints.

        Parameters
        ----------
        weights : array of float64, shape (n_weights,)
        """
        found = self.data.map(_sums, self._margins, weights, self._kind, combine=_joined)
        parts = [part for part in found if part is not None]
        return plane_of(parts, self.n_queries, has_threshold=self.loss.has_threshold)

    def can_rank(self, weights: F64) -> bool:
        """Return whether some query has documents of different scores, or at least of different features.

        Parameters
        ----------
        weights : array of float64, shape (n_features,)
        """
        return any(self.data.map(_can_rank, self._margins, weights, combine=operator.or_))


def _skipped_and_kind(margins: PartMargins) -> tuple[tuple[str, ...], str | None]:
    return margins.skipped, None if margins.problem is None else margins.problem.kind


def _sums(margins: PartMargins, weights: F64, kind: str) -> MarginSums | None:
    if margins.problem is None:
        return None
    margins.problem.kind = kind
    return margins.problem.sums(weights)


def _joined(a: MarginSums | None, b: MarginSums | None) -> MarginSums | None:
    return a + b if a is not None and b is not None else a or b


def _can_rank(margins: PartMargins, weights: F64) -> bool:
    return margins.problem is not None and margins.problem.can_rank(weights)
