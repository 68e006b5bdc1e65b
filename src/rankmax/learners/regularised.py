"""Learners that weigh errors against the size of the weights, and how validation queries choose between the two."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from rankmax.arrays import F64, Bool
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation
from rankmax.errors import ConvergenceWarning, IncompatibleError, InvalidDataError, InvalidParameterError
from rankmax.learners.base import LinearLearner, MetricLearner
from rankmax.learners.structural.selection import C_GRID
from rankmax.lines.objective import LinearObjective
from rankmax.metrics.base import Metric
from rankmax.metrics.binary import BinaryMetric
from rankmax.models import LinearModel, Parameter, Provenance, TrainingRecord, data_hash

DEFAULT_C = 100.0
"""C where neither it nor validation queries are given."""


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
        grid = self._grid(validation)
        metric, normalisation = self._metric(), Normalisation.named(self.normalisation)
        prepared = normalisation.apply(data)
        problem = self._problem(prepared)
        solutions: list[Solution] = []
        for C in grid:
            solutions.append(problem.solve(C, solutions[-1] if solutions else None))
        best, validation_values = 0, None
        if validation is not None:
            judged = LinearObjective(normalisation.apply(validation.select_features(data.feature_names)), metric)
            validation_values = judged.values([solution.weights for solution in solutions])
            best = int(np.argmax(validation_values))
        chosen = solutions[best]
        self.C_ = grid[best]
        self.intercept_ = chosen.intercept
        self.stopped_by_ = chosen.stopped_by
        self.skipped_queries_ = tuple(data.query_ids[q] for q in np.flatnonzero(problem.skipped))
        self.value_ = LinearObjective(prepared, metric).at(chosen.weights).value
        self.validation_value_ = None if validation_values is None else float(validation_values[best])
        self.validation_values_ = (
            {} if validation_values is None else dict(zip(grid, validation_values.tolist(), strict=True))
        )
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
                stacklevel=2,
            )
        return self

    def _metric(self) -> Metric:
        """Return the metric, to which the same grades are relevant."""
        metric = super()._metric()
        if self.relevant_from is not None and isinstance(metric, BinaryMetric):
            return replace(metric, rel=self.relevant_from)
        return metric

    def _grid(self, validation: RankingDataset | None) -> list[float]:
        """Return the values of C to try, from the smallest."""
        given = self.C
        if given is None:
            given = DEFAULT_C if validation is None else C_GRID
        values = [given] if isinstance(given, int | float | np.number) else list(given)
        if not values or not all(isinstance(C, int | float | np.number) and C > 0 for C in values):
            raise InvalidParameterError(f"C is {self.C!r}; expected a positive number, or several to choose among")
        if len(values) > 1 and validation is None:
            raise IncompatibleError(
                f"{len(values)} values of C need validation queries to choose among them; give one C"
            )
        return sorted({float(C) for C in values})

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
