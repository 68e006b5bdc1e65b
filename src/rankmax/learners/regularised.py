"""Learners that weigh errors against the size of the weights, and how validation queries choose between the two."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from rankmax.arrays import F64, Bool
from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation
from rankmax.errors import ConvergenceWarning, InvalidDataError
from rankmax.learners.base import LinearLearner, MetricLearner
from rankmax.learners.costs import costs_to_try, select_C
from rankmax.lines.objective import LinearObjective
from rankmax.metrics.base import Metric
from rankmax.metrics.binary import BinaryMetric
from rankmax.models import LinearModel, Parameter, Provenance, TrainingRecord


@dataclass(frozen=True, eq=False)
class Solution:
    """Weights for one value of C.

    Attributes
    ----------
    weights : array of float64, shape (n_features,)
        In the units of the features.
    stopped_by : str
        "converged" or "iterations".
    intercept : float
        What is added to every score; changes no ranking.
    """

    weights: F64
    stopped_by: str
    intercept: float = 0.0


class RegularisedProblem(ABC):
    """Training data from which weights can be found for any C."""

    skipped: Bool
    """Which queries are left out, as they say nothing about the order of their documents."""

    @abstractmethod
    def solve(self, C: float, near: Solution | None) -> Solution:
        """Return the best weights.

        Parameters
        ----------
        C : float
            From 0, exclusive; possibly infinite.
        near : Solution, optional
            For another C, to start from.
        """


class RegularisedLearner(MetricLearner, LinearLearner, ABC):
    r"""Base of learners that minimise :math:`\frac12 \lVert w \rVert^2 + C \cdot` (a mean loss).

    A subclass's constructor stores `C`, `metric` and `normalisation`; its :meth:`_problem` is what is to be solved.

    Attributes
    ----------
    C_ : float
        The C that was taken.
    intercept_ : float
        What training added to every score; it changes no ranking, and the model leaves it out.
    value_ : float
        The metric on the training queries.
    validation_value_ : float or None
        The metric on the validation queries, where there are any.
    validation_values_ : dict
        The same for every C that was tried.
    skipped_queries_ : tuple of str
        Ids of the training queries that were left out, as they say nothing about the order of their documents.
    stopped_by_ : str
        "converged", or "iterations" where these did not suffice; a
        :class:`~rankmax.errors.ConvergenceWarning` says so too.
    """

    C: float | Sequence[float] | None
    normalisation: str | Normalisation
    relevant_from: float | None = None
    _needs_finite_costs: ClassVar[bool] = False

    @abstractmethod
    def _problem(self, data: RankingDataset) -> RegularisedProblem:
        """Return the problem of some data, normalised already."""

    def fit_dataset(self, data: RankingDataset, *, validation: RankingDataset | None = None) -> Self:
        """Learn from the judged documents of a data set.

        Parameters
        ----------
        data : RankingDataset
        validation : RankingDataset, optional
            Queries that choose C: the one with the highest metric is taken, the smallest of equals.
        """
        validated = validation is not None
        grid = costs_to_try(type(self).__name__, self.C, validated=validated, finite=self._needs_finite_costs)
        metric, normalisation = self._metric(), Normalisation.named(self.normalisation)
        prepared = normalisation.apply(data)
        problem = self._problem(prepared)
        near: Solution | None = None

        def solve(C: float) -> Solution:
            nonlocal near
            near = problem.solve(C, near)
            return near

        if validation is None:
            self.C_, chosen = grid[0], solve(grid[0])
            self.validation_value_, self.validation_values_ = None, {}
        else:
            judged = LinearObjective(normalisation.apply(validation.select_features(data.feature_names)), metric)
            best, path = select_C(solve, lambda weights: judged.at(weights).value, grid)
            self.C_, chosen, self.validation_value_ = best.C, best.solution, best.validation_value
            self.validation_values_ = {candidate.C: candidate.validation_value for candidate in path}
        self.intercept_ = chosen.intercept
        self.stopped_by_ = chosen.stopped_by
        self.skipped_queries_ = tuple(data.query_ids[q] for q in np.flatnonzero(problem.skipped))
        self.value_ = LinearObjective(prepared, metric).at(chosen.weights).value
        self.model_ = LinearModel(
            chosen.weights,
            data.feature_names,
            normalisation,
            metric.name,
            Provenance(
                learner=type(self).__name__,
                parameters=self._described_parameters(),
                seed=getattr(self, "seed", None),
                data_hash=data_hash(data),
            ),
            TrainingRecord(
                value=self.value_, validation_value=self.validation_value_, n_ascents=0, stopped_by=self.stopped_by_
            ),
        )
        if self.stopped_by_ != "converged":
            warnings.warn(
                f"{type(self).__name__} did not converge for C={self.C_:g}; raise max_iterations, or allow a larger "
                "tolerance",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def _metric(self) -> Metric:
        """Return the metric, to which the same grades are relevant."""
        metric = super()._metric()
        if self.relevant_from is not None and isinstance(metric, BinaryMetric):
            return replace(metric, rel=self.relevant_from)
        return metric

    def _described_parameters(self) -> dict[str, Parameter]:
        """Return the parameters that lead to the same weights: with the C that was chosen."""
        C = self.C_ if math.isfinite(self.C_) else "inf"  # JSON has no infinite numbers
        return {**super()._described_parameters(), "C": C, "metric": self._metric().name}


def require_varying(scale: F64) -> None:
    """Raise where no feature tells documents apart.

    Parameters
    ----------
    scale : array of float64, shape (n_features,)
        How much each feature varies.

    Examples
    --------
    >>> require_varying(np.zeros(3))
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: all 3 features are constant; there is nothing to learn from
    """
    if not scale.any():
        raise InvalidDataError(f"all {scale.size} features are constant; there is nothing to learn from")
