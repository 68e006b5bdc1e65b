"""Learners that minimize a regularized loss, with the regularization constant selected by validation queries."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from rankmax._arrays import F64, Bool
from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.errors import ConvergenceWarning, InvalidDataError
from rankmax.learners.learner import LinearLearner, MetricLearner, ValidatedLearner
from rankmax.learners.regularization_constants import costs_to_try, select_C
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics.binary import BinaryMetric
from rankmax.metrics.metric import Metric
from rankmax.models import LinearModel, Provenance, TrainingRecord
from rankmax.models.provenance import Parameter
from rankmax.preprocessing.feature_normalization import Normalization


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
        Constant term of every score; it changes no ranking.
    """

    weights: F64
    stopped_by: str
    intercept: float = 0.0


class RegularizedProblem(ABC):
    """Training data as an optimization problem that can be solved for any C."""

    skipped: Bool
    """Mask of the skipped queries, which carry no information on the order of their documents."""

    @abstractmethod
    def solve(self, C: float, near: Solution | None) -> Solution:
        """Return the best weights.

        Parameters
        ----------
        C : float
            Positive, possibly infinite.
        near : Solution, optional
            Solution for another C, as a warm start.
        """


class RegularizedLearner(ValidatedLearner, MetricLearner, LinearLearner, ABC):
    r"""Base of learners that minimize :math:`\frac12 \lVert w \rVert^2 + C \cdot` (a mean loss).

    A subclass's constructor stores `C`, `metric` and `normalization`; its :meth:`_problem` returns the optimization
    problem.

    Attributes
    ----------
    C_ : float
        The selected C.
    intercept_ : float
        Intercept of the scores in training; it changes no ranking, and the model leaves it out.
    value_ : float
        The metric on the training queries.
    validation_value_ : float or None
        The metric on the validation queries, if there are any.
    validation_values_ : dict
        The metric on the validation queries for every C that was tried.
    skipped_queries_ : tuple of str
        Ids of the training queries that carry no information on the order of their documents.
    stopped_by_ : str
        "converged", or "iterations" if the iteration limit was reached, which also gives a
        :class:`~rankmax.errors.ConvergenceWarning`.
    """

    C: float | Sequence[float] | None
    normalization: str | Normalization
    relevant_from: float | None = None
    _needs_finite_costs: ClassVar[bool] = False

    @abstractmethod
    def _problem(self, data: RankingDataset) -> RegularizedProblem:
        """Return the optimization problem of normalized data."""

    def fit_dataset(self, data: RankingDataset, *, validation: RankingDataset | None = None) -> Self:
        """Learn from the judged documents of a data set.

        Parameters
        ----------
        data : RankingDataset
        validation : RankingDataset, optional
            Validation queries: the C with the highest metric is selected, the smallest one of equals.
        """
        validated = validation is not None
        grid = costs_to_try(type(self).__name__, self.C, validated=validated, finite=self._needs_finite_costs)
        metric, normalization = self._metric(), Normalization.named(self.normalization)
        prepared = normalization.apply(data)
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
            judged = LinearObjective(normalization.apply(validation.select_features(data.feature_names)), metric)
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
            normalization,
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
        """Return the metric, with the learner's lowest relevant grade."""
        metric = super()._metric()
        if self.relevant_from is not None and isinstance(metric, BinaryMetric):
            return replace(metric, rel=self.relevant_from)
        return metric

    def _described_parameters(self) -> dict[str, Parameter]:
        """Return the parameters that lead to the same weights, with the selected C."""
        C = self.C_ if math.isfinite(self.C_) else "inf"  # JSON has no infinite numbers
        return {**super()._described_parameters(), "C": C, "metric": self._metric().name}


def require_varying(scale: F64) -> None:
    """Raise an error if all features are constant.

    Parameters
    ----------
    scale : array of float64, shape (n_features,)
        Spread of each feature.

    Examples
    --------
    >>> require_varying(np.zeros(3))
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: all 3 features are constant; there is nothing to learn from
    """
    if not scale.any():
        raise InvalidDataError(f"all {scale.size} features are constant; there is nothing to learn from")
