"""The learning problem of a structural SVM over data that lies with an engine."""

from __future__ import annotations

import operator

from rankmax.arrays import F64
from rankmax.engines.dataset import EngineDataset
from rankmax.engines.partition import Derived, Partition
from rankmax.errors import IncompatibleError
from rankmax.learners.structural.losses import StructuralLoss
from rankmax.learners.structural.oracles.base import tells
from rankmax.learners.structural.problem import CuttingPlane, MarginProblem, MarginSums, plane_of

_THOROUGH = "TOP"  # the algorithm that finds the best ranking for every metric


class HeldMargins(Derived):
    """The constraints of a partition.

    Parameters
    ----------
    partition : Partition
    loss : StructuralLoss
    levels : array of float64
        Of all partitions, so that a level is the same grade everywhere.
    """

    def __init__(self, partition: Partition, loss: StructuralLoss, levels: F64) -> None:
        super().__init__(partition, loss, levels)
        data = partition.with_levels(levels)
        loss.require_clear_relevance(data.judgments)
        telling = tells(loss.metric, data.judgments)
        self.skipped = tuple(query for query, kept in zip(data.query_ids, telling, strict=True) if not kept)
        self.problem = MarginProblem(data if telling.all() else data.select(telling), loss) if telling.any() else None


class EngineMarginProblem:
    """The mean slack as a function of the weights: the bits of :class:`MarginProblem` on the joined data.

    Parameters
    ----------
    data : EngineDataset
    loss : StructuralLoss

    Attributes
    ----------
    n_queries : int
        That tell something.
    skipped_queries : tuple of str
        Ids of those that do not.
    """

    def __init__(self, data: EngineDataset, loss: StructuralLoss) -> None:
        if data.engine.maps_features:
            raise IncompatibleError(
                "a structural SVM copies the queries that tell something, so its features cannot stay on disk; train "
                "without a limit of memory, or with more workers"
            )
        self.data = data
        self.loss = loss
        self._held = data.engine.hold(HeldMargins, data.partitions, loss, data.levels)
        told = data.engine.map(_skipped_and_kind, self._held)
        self.skipped_queries: tuple[str, ...] = tuple(query for skipped, _ in told for query in skipped)
        self.n_queries = data.n_queries - len(self.skipped_queries)
        kinds = {kind for _, kind in told if kind is not None}
        # A part whose lists are all short may look easier than the whole is; all parts must search alike.
        self._kind = _THOROUGH if _THOROUGH in kinds else next(iter(kinds), "")

    @property
    def n_weights(self) -> int:
        """Number of features, and one for the threshold where there is one."""
        return self.data.n_features + self.loss.has_threshold

    def cut(self, weights: F64) -> CuttingPlane:
        """Return the plane that touches the mean slack at a point: the mean of the most violated constraints.

        Parameters
        ----------
        weights : array of float64, shape (n_weights,)
        """
        found = self.data.engine.map(_sums, self._held, weights, self._kind, combine=_joined)
        parts = [part for part in found if part is not None]
        return plane_of(parts, self.n_queries, has_threshold=self.loss.has_threshold)

    def can_rank(self, weights: F64) -> bool:
        """Return whether some query has documents of different scores, or at least of different features.

        Parameters
        ----------
        weights : array of float64, shape (n_features,)
        """
        return any(self.data.engine.map(_can_rank, self._held, weights, combine=operator.or_))


def _skipped_and_kind(held: HeldMargins) -> tuple[tuple[str, ...], str | None]:
    return held.skipped, None if held.problem is None else held.problem.kind


def _sums(held: HeldMargins, weights: F64, kind: str) -> MarginSums | None:
    if held.problem is None:
        return None
    held.problem.kind = kind
    return held.problem.sums(weights)


def _joined(a: MarginSums | None, b: MarginSums | None) -> MarginSums | None:
    return a + b if a is not None and b is not None else a or b


def _can_rank(held: HeldMargins, weights: F64) -> bool:
    return held.problem is not None and held.problem.can_rank(weights)
