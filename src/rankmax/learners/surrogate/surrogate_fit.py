"""Minimization of any loss over the parameters of any scoring function."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankmax._arrays import F64
from rankmax.learners.surrogate.scoring.linear_scoring import LinearScore
from rankmax.learners.surrogate.scoring.scaled_features import Design
from rankmax.learners.surrogate.scoring.scoring_function import ScoringFunction
from rankmax.learners.surrogate.surrogate_problem import SurrogateProblem
from rankmax.losses.descent import Descent, minimize
from rankmax.losses.squared import Squared
from rankmax.losses.surrogate_loss import Surrogate


@dataclass(frozen=True, eq=False)
class SurrogateFit:
    """Result of a descent.

    Attributes
    ----------
    loss : Surrogate
        The stage of the loss that was minimized.
    scoring : ScoringFunction
        Scoring function, bound to the training data.
    rows : array of float64, shape (n_outputs, n_columns)
        Parameters of the linear functions of standardized features.
    weights : array of float64, shape (n_outputs, n_features)
        Weights in the units of the data's features.
    intercepts : array of float64, shape (n_outputs,)
    value : float
        Mean loss relative to that of scores that are all 0, plus the penalty.
    n_iterations : int
    converged : bool
        Whether the gradient fell to the tolerance.
    """

    loss: Surrogate
    scoring: ScoringFunction
    rows: F64
    weights: F64
    intercepts: F64
    value: float
    n_iterations: int
    converged: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class SurrogateFitter:
    r"""Minimizes losses of scoring functions on one data set.

    .. math:: \min_w \frac{L(h_w)}{L(0)} + \frac{ridge}{2} \lVert v - v_0 \rVert^2

    where L(0) is the loss of scores that are all 0, so that penalty and tolerance are comparable across losses; v are
    the weights for standardized features (see :class:`~rankmax.learners.surrogate.scoring.scaled_features.Design`),
    without intercepts; and :math:`v_0` is the start of the descent. For a linear function it is 0 with a convex loss,
    and least squares with another loss, which may have no minimum near 0. For other scoring functions it ranks as the
    linear optimum of the same loss does, so that the penalty, too, pulls toward the linear ranking. (With random
    starts, it is 0.)

    Attributes
    ----------
    problem : SurrogateProblem
        The normalized data with query weights.
    ridge : float
        Nonnegative penalty.
    method : str
        "lbfgs" or "gradient-descent".
    n_restarts : int
        Number of descents from normal random weights, of which the lowest is taken; with 0, one descent from
        :math:`v_0`.
    max_iterations : int
        Maximum number of iterations per stage of the loss.
    tolerance : float
        Largest component of the gradient at which a descent stops.
    seed : int
        Random seed, for random starts.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.learners.surrogate.scoring.expected_gain_scoring import ExpectedGain
    >>> from rankmax.backends.training_data import LocalData
    >>> from rankmax.learners.surrogate.surrogate_problem import SurrogateProblem
    >>> from rankmax.preprocessing import Unchanged
    >>> from rankmax.losses import Cosine
    >>> data = LocalData(planted_linear(20, 10, 3, noise=0.3, seed=1).data, Unchanged())
    >>> fitter = SurrogateFitter(problem=SurrogateProblem(data))
    >>> linear, expected_gain = (fitter.fit(Cosine(), scoring)[-1] for scoring in (LinearScore(), ExpectedGain()))
    >>> linear.weights.shape, expected_gain.weights.shape, expected_gain.value < linear.value
    ((1, 3), (3, 3), True)

    References
    ----------
    Yang, Ravikumar & Lease 2010, Algorithm 2 and section 6.2.
    """

    problem: SurrogateProblem
    ridge: float = 0.1
    method: Descent = "lbfgs"
    n_restarts: int = 0
    max_iterations: int = 200
    tolerance: float = 1e-3
    seed: int = 0
    _designs: dict[bool, Design] = field(default_factory=dict, init=False, repr=False)
    _linear: dict[tuple[Surrogate, bool], F64] = field(default_factory=dict, init=False, repr=False)

    def fit(self, loss: Surrogate, scoring: ScoringFunction) -> list[SurrogateFit]:
        """Minimize a loss of a scoring function, and return the fit of each stage of the loss, the loss itself last.

        Parameters
        ----------
        loss : Surrogate
        scoring : ScoringFunction
        """
        bound = scoring.bind(self.problem.judgments)
        design = self._design(bound.intercept)
        if self.n_restarts == 0 or isinstance(bound, LinearScore):
            start = self._start(loss, bound, design)
            return self._descend(loss, bound, design, start, anchor=start)
        shape = bound.n_outputs(), design.n_columns
        rng = np.random.default_rng(self.seed)
        starts = [rng.standard_normal(shape) for _ in range(self.n_restarts)]
        descents = [self._descend(loss, bound, design, start, anchor=np.zeros(shape)) for start in starts]
        return min(descents, key=lambda stages: stages[-1].value)

    def _design(self, intercept: bool) -> Design:
        if intercept not in self._designs:
            mean = self.problem.mean if intercept else np.zeros(self.problem.n_features)
            self._designs[intercept] = Design.of(self.problem.spread, mean, intercept=intercept)
        return self._designs[intercept]

    def _start(self, loss: Surrogate, scoring: ScoringFunction, design: Design) -> F64:
        if not isinstance(scoring, LinearScore):
            linear = self._linear_optimum(loss, design)
            spread = self.problem.deviation(design.restored(linear[None])[0][0])
            return scoring.start(linear / spread if spread > 0 else linear)
        if loss.convex:
            return np.zeros((1, design.n_columns))
        return self._linear_optimum(Squared(gain=loss.gain), design)[None]

    def _linear_optimum(self, loss: Surrogate, design: Design) -> F64:
        key = loss, design.intercept
        if key not in self._linear:
            self._linear[key] = self.fit(loss, LinearScore(intercept=design.intercept))[-1].rows[0]
        return self._linear[key]

    def _descend(
        self, loss: Surrogate, scoring: ScoringFunction, design: Design, start: F64, *, anchor: F64
    ) -> list[SurrogateFit]:
        fits: list[SurrogateFit] = []
        penalized = np.arange(design.n_columns) < design.scale.size
        rows = start
        for stage in loss.stages():
            unit = self._unit(stage)

            def objective(flat: F64, stage: Surrogate = stage, unit: float = unit) -> tuple[float, F64]:
                rows = flat.reshape(start.shape)
                mean = self.problem.loss(stage, scoring, *design.restored(rows))
                away = np.where(penalized, rows - anchor, 0.0)
                slope = design.gradient(mean.moments / unit, mean.totals / unit) + self.ridge * away
                return mean.value / unit + self.ridge / 2 * float((away**2).sum()), slope.ravel()

            found = minimize(
                objective,
                rows.ravel(),
                method=self.method,
                max_iterations=self.max_iterations,
                tolerance=self.tolerance,
            )
            rows = found.parameters.reshape(start.shape)
            restored = design.restored(rows)
            fits.append(SurrogateFit(stage, scoring, rows, *restored, found.value, found.n_iterations, found.converged))
        return fits

    def _unit(self, loss: Surrogate) -> float:
        """Return the loss of scores that are all 0."""
        nothing = np.zeros((1, self.problem.n_features))
        return abs(self.problem.loss(loss, LinearScore(), nothing, np.zeros(1)).value) or 1.0
