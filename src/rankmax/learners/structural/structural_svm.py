"""Structural SVMs as learners: SVM-map, SVM-roc, SVM-acc and others."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from rankmax._arrays import F64
from rankmax.backends.backend import Backend
from rankmax.backends.registry import opened
from rankmax.backends.training_data import TrainingData, require_local
from rankmax.data.dataset import RankingDataset
from rankmax.errors import (
    ConvergenceWarning,
    InvalidDataError,
    InvalidParameterError,
    UnknownNameError,
)
from rankmax.formats.shards import Shards
from rankmax.learners.declared_options import Option
from rankmax.learners.learner import LinearLearner, MetricLearner, ValidatedLearner, mean_value
from rankmax.learners.presets import STRUCTURAL_SVM
from rankmax.learners.regularization_constants import Candidate, costs_to_try, select_C
from rankmax.learners.structural.loss_registry import StructuralLoss, structural_loss
from rankmax.learners.structural.n_slack import solve_n_slack
from rankmax.learners.structural.one_slack import OneSlackSolver
from rankmax.learners.structural.partitioned_problem import PartitionedMarginProblem
from rankmax.learners.structural.solution import Solution, SolutionCallback
from rankmax.metrics.binary import BinaryMetric
from rankmax.metrics.evaluator import mean_of_counted
from rankmax.metrics.metric import Metric
from rankmax.metrics.metric_parameters import check_number, plain
from rankmax.models import LinearModel, MarginRecord, Provenance, TrainingRecord
from rankmax.models.provenance import Parameter
from rankmax.preprocessing.feature_normalization import Normalization

Formulation = Literal["one-slack", "n-slack"]

_ROUNDING = 1e-12  # of the largest weight


class StructuralSVM(ValidatedLearner, MetricLearner, LinearLearner):
    r"""Find weights w whose ranking of each query beats every other by a margin that grows with that ranking's loss.

    .. math:: \min_{w, \xi \ge 0} \frac12 \lVert w \rVert^2 + \frac{C}{n} \sum_{q=1}^n \xi_q \quad \text{s.t. }
              \forall q, y: w^T \Psi(x_q, y_q) \ge w^T \Psi(x_q, y) + \Delta(y_q, y) - \xi_q

    The mean slack is a convex upper bound of the mean loss :math:`\Delta = 1 - metric`, so there is one optimum, and
    training stops when the objective is known to be within `tolerance` of it. With ``loss="AP"`` it is SVM-map, with
    ``"ROC"`` SVM-roc, with ``"accuracy"`` SVM-acc.

    A query whose candidates are all relevant, or all nonrelevant, is uninformative and skipped. The penalty treats all
    weights alike, so features should have similar spread (`normalization`).

    Parameters
    ----------
    loss : str or Metric
        "AP", "nDCG", "ROC", "RR", "nDCG@10", "P@10", or any other metric that is a sum over ranks, best without a
        cutoff; or "accuracy": the share of documents that a threshold, learned too, puts on the wrong side.
    C : float or sequence of float, optional
        Regularization constant(s): the larger, the weaker the regularization. Validation queries select one of several.
        By default 0.01, 0.1, ..., 100000 if there are validation queries, else 100.
    relevant_from : float, optional
        Lowest relevant grade; 1 by default, as for the metrics. Not for nDCG, whose gains are by grade.
    tolerance : float
        Stop when the objective is within C times this of the optimum; in units of the mean loss.
    formulation : {"one-slack", "n-slack"}
        "n-slack" is the paper's Algorithm 1: the same optimum, far slower.
    max_iterations : int
        Maximum number of rounds of adding constraints, for each C. If it is reached, the best weights so far are kept,
        and a :class:`~rankmax.errors.ConvergenceWarning` reports the remaining gap.
    normalization : str or Normalization
        Applied within each query before fitting, and again when predicting.
    metric : str or Metric, optional
        Metric for the selection of C and :meth:`score`. By default the loss's own metric, or AP for accuracy.
    backend : str or Backend, optional
        Backend for sharded data, as for :class:`~rankmax.learners.direct.linear_ranker.LinearRanker`: data is then
        given as :class:`~rankmax.formats.shards.Shards`. The weights do not depend on it.

    Attributes
    ----------
    coef_ : array of float64, shape (n_features,)
    intercept_ : float
        The threshold of accuracy, negated; 0 for other losses.
    model_ : LinearModel
    C_ : float
        The given or selected C.
    solution_ : Solution
        Objective, duality gap, numbers of constraints and iterations, and the reason for stopping.
    path_ : list of Candidate
        The solution for each C with its validation value, if there are validation queries.
    skipped_queries_ : tuple of str
        Ids of the uninformative queries.
    value_ : float
        The metric on the training queries.
    validation_value_ : float or None
        The metric on the validation queries, if there are any.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> problem = planted_linear(30, 10, 3, seed=1)
    >>> svm = StructuralSVM("AP", C=100.0).fit_dataset(problem.data)
    >>> svm.value_ > 0.99, svm.solution_.gap <= 100.0 * 1e-4
    (True, True)

    References
    ----------
    Yue, Finley, Radlinski & Joachims 2007, Optimization Problem 1. Joachims 2005 for ROC area and accuracy. Joachims,
    Finley & Yu 2009 for one slack.
    """

    options: ClassVar[tuple[Option, ...]] = STRUCTURAL_SVM.options

    metric: str | Metric | None  # type: ignore[assignment]

    @classmethod
    def from_options(cls, metric: Metric, normalization: str, options: Mapping[str, Any]) -> Self:
        """Return a learner with the metric's loss.

        Parameters
        ----------
        metric : Metric
        normalization : str
        options : mapping of str to object
        """
        return cls(metric, normalization=normalization, **options)

    def __init__(
        self,
        loss: str | Metric = "AP",
        C: float | Sequence[float] | None = None,
        relevant_from: float | None = None,
        tolerance: float = 1e-4,
        formulation: Formulation = "one-slack",
        max_iterations: int = 1000,
        normalization: str | Normalization = "none",
        metric: str | Metric | None = None,
        backend: str | Backend | None = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.relevant_from = relevant_from
        self.tolerance = tolerance
        self.formulation = formulation
        self.max_iterations = max_iterations
        self.normalization = normalization
        self.metric = metric
        self.backend = backend

    def fit_dataset(
        self,
        data: RankingDataset | Shards,
        *,
        validation: RankingDataset | None = None,
        callback: SolutionCallback | None = None,
    ) -> Self:
        """Learn from a data set. An interrupt (Ctrl-C) stops early with the best weights so far.

        Parameters
        ----------
        data : RankingDataset or Shards
        validation : RankingDataset, optional
            Validation queries, by which C is selected.
        callback : callable, optional
            Called with the best :class:`~rankmax.learners.structural.solution.Solution` so far after each round.
        """
        self._check_parameters()
        loss, normalization = self._structural_loss(), Normalization.named(self.normalization)
        if self.formulation != "one-slack":
            require_local(data, "n-slack processes one query after the other, so it is not for shards; use one-slack")
        with opened(data, self.backend, normalization) as training_data:
            problem = PartitionedMarginProblem(training_data, loss)
            self.skipped_queries_ = problem.skipped_queries
            _require_telling(loss, problem.n_queries)
            return self._fit(problem, training_data, validation, callback)

    def _fit(
        self,
        problem: PartitionedMarginProblem,
        data: TrainingData,
        validation: RankingDataset | None,
        callback: SolutionCallback | None,
    ) -> Self:
        """Learn from the informative queries of the data."""
        loss, metric = self._structural_loss(), self._metric()
        normalization = Normalization.named(self.normalization)
        grid = costs_to_try(type(self).__name__, self.C, validated=validation is not None)
        solve = self._solver(problem, callback)
        self.path_: list[Candidate[Solution]] = []
        if validation is None:
            self.C_, self.solution_, self.validation_value_ = grid[0], solve(grid[0]), None
        else:
            held = normalization.apply(validation.select_features(data.feature_names))

            def judge(weights: F64) -> float:
                return mean_value(metric, held.scores(weights[: data.n_features]), held)

            best, self.path_ = select_C(solve, judge, grid)
            self.C_, self.solution_, self.validation_value_ = best.C, best.solution, best.validation_value
        self._warn_unless_converged()
        weights = _without_rounding(self.solution_.weights[: data.n_features])
        if not problem.can_rank(weights):
            raise InvalidDataError(
                "no feature varies within any query that can be learned from, so no weights rank them"
            )
        self.intercept_ = float(self.solution_.weights[-1]) if loss.has_threshold else 0.0
        learned = LinearModel(weights, data.feature_names, normalization)
        self.value_ = mean_of_counted(data.values(learned, [metric])[0])
        self.model_ = LinearModel(
            weights,
            data.feature_names,
            normalization,
            None if loss.has_threshold and self.metric is None else metric.name,
            Provenance(
                learner=type(self).__name__, parameters=self._described_parameters(), data_hash=data.content_hash
            ),
            self._record(loss),
        )
        return self

    def _remedy_of_ties(self) -> str:
        loss = self._structural_loss()
        if getattr(loss.metric, "cutoff", None) is None:
            return "try another C, or normalize the features"
        return (
            f"with a cutoff, as that of {loss.name}, weights of 0 may well be the optimum for every C: give the loss "
            "without its cutoff (and the metric with it, to select C by)"
        )

    def _metric(self) -> Metric:
        if self.metric is None:
            return self._structural_loss().metric
        metric = super()._metric()
        if self.relevant_from is not None and isinstance(metric, BinaryMetric):
            return replace(metric, rel=self.relevant_from)
        return metric

    def _structural_loss(self) -> StructuralLoss:
        return structural_loss(self.loss, relevant_from=self.relevant_from)

    def _check_parameters(self) -> None:
        tolerance, max_iterations = plain(self.tolerance), plain(self.max_iterations)
        check_number(type(self).__name__, "tolerance", tolerance, "a positive number", lambda value: value > 0)
        if isinstance(max_iterations, bool) or not isinstance(max_iterations, int) or max_iterations < 1:
            raise InvalidParameterError(
                f"StructuralSVM: max_iterations={max_iterations} must be a positive whole number"
            )
        if self.formulation not in get_args(Formulation):
            raise UnknownNameError("formulation", str(self.formulation), get_args(Formulation))

    def _solver(
        self, problem: PartitionedMarginProblem, callback: SolutionCallback | None
    ) -> Callable[[float], Solution]:
        tolerance, max_iterations = self.tolerance, self.max_iterations
        if self.formulation == "one-slack":  # goes on from C to C
            solver = OneSlackSolver(problem, tolerance=tolerance, max_iterations=max_iterations, callback=callback)
            return solver.solve
        return partial(
            solve_n_slack, problem.whole, tolerance=tolerance, max_iterations=max_iterations, callback=callback
        )

    def _warn_unless_converged(self) -> None:
        found = self.solution_
        if found.stopped_by in {"iterations", "precision"}:
            remedy = "raise max_iterations" if found.stopped_by == "iterations" else "normalize the features"
            warnings.warn(
                f"StructuralSVM did not converge: after {found.n_iterations} iterations its objective "
                f"{found.objective:.6g} may be {found.gap:.2g} above the optimum, more than C times the tolerance, "
                f"{self.C_ * self.tolerance:.2g}; {remedy}, or allow a larger tolerance",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _record(self, loss: StructuralLoss) -> TrainingRecord:
        found = self.solution_
        return TrainingRecord(
            value=self.value_,
            validation_value=self.validation_value_,
            n_ascents=0,
            stopped_by=found.stopped_by,
            margin=MarginRecord(
                loss=loss.name,
                C=self.C_,
                objective=found.objective,
                gap=found.gap,
                n_iterations=found.n_iterations,
                n_constraints=found.n_constraints,
                n_skipped_queries=len(self.skipped_queries_),
            ),
        )

    def _described_parameters(self) -> dict[str, Parameter]:
        named = {
            "loss": self.loss if isinstance(self.loss, str) else self.loss.name,
            "C": self.C if self.C is None else plain(np.asarray(self.C, np.float64)),
            "normalization": Normalization.named(self.normalization).name,
            "metric": self._metric().name,
        }
        kept = {name: value for name, value in self.get_params().items() if name != "backend"}  # changes no weight
        return {**kept, **named}


def _require_telling(loss: StructuralLoss, n_telling: int) -> None:
    if n_telling == 0:
        raise InvalidDataError(
            f"no query has both documents that {loss.metric.name} counts as relevant and others; there is nothing to "
            "learn from" + (" (relevant_from sets the lowest relevant grade)" if loss.is_binary else "")
        )


def _without_rounding(weights: F64) -> F64:
    """Return weights with rounding errors set to 0: those of features that are constant within queries."""
    return np.where(np.abs(weights) > _ROUNDING * np.abs(weights).max(initial=0.0), weights, 0.0)
