"""Weight profiles: a model's metric as a function of one weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmax._numerics.standard_error import standard_error
from rankmax._numerics.tolerance import SAME_VALUE
from rankmax._result_views import Block, Facts, ResultView, as_frame, axes_for
from rankmax.data.dataset import RankingDataset
from rankmax.errors import UnknownNameError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.line_search.step_function import Interval, StepFunction
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric
from rankmax.models import LinearModel
from rankmax.preprocessing.binning import features_by_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Profile(ResultView):
    """A metric as a function of one weight of a model, the others fixed.

    It shows itself as facts, also in a notebook.

    Attributes
    ----------
    feature : str
        Feature whose weight varies.
    metric : Metric
    weight : float
        The model's weight of the feature.
    value : float
        Mean of the metric at that weight.
    function : StepFunction
        The mean of the metric for every value of the weight, negative ones included.
    best_weight : float
        The best weight: the middle of the best interval, or near it where documents tie in the middle.
    standard_error : float
        Standard error of the mean at the best weight.
    """

    feature: str
    metric: Metric
    weight: float
    value: float
    function: StepFunction
    best_weight: float
    standard_error: float

    @property
    def within(self) -> Interval:
        """The interval around the best one on which the metric is within one standard error of the best."""
        return self.function.reaching(self.best.value - self.standard_error - SAME_VALUE)

    @property
    def best(self) -> Interval:
        """The widest interval of weights with the largest value."""
        return self.function.best()

    @property
    def blocks(self) -> list[Block]:
        """The best interval beside the weight of the model, and what changing it would gain."""
        best, within, n_breakpoints = self.best, self.within, self.function.breakpoints.size
        facts = {
            "feature": self.feature,
            "metric": self.metric.name,
            "breakpoints": f"{n_breakpoints}",
            "weight now": f"{self.weight:.8g}",
            "value now": f"{self.value:.6f}",
            "best value": f"{best.value:.6f}",
            "best interval": f"{best.low:.8g} to {best.high:.8g}",
            "its middle": f"{self.best_weight:.8g}",
            "within 1 s.e. of best": f"{within.low:.8g} to {within.high:.8g}",
        }
        if best.value > self.value + SAME_VALUE:
            return [Facts(facts), f"the best weight gains {best.value - self.value:.6f}"]
        if n_breakpoints:
            return [Facts(facts), "no other value of this weight is better"]
        return [Facts(facts), "no value of this weight changes the metric"]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which can be written as JSON."""
        best, within = self.best, self.within
        return {
            "feature": self.feature,
            "metric": self.metric.name,
            "weight": self.weight,
            "value": self.value,
            "best": {"low": best.low, "high": best.high, "middle": self.best_weight, "value": best.value},
            "standard_error": self.standard_error,
            "within_standard_error": {"low": within.low, "high": within.high},
            "breakpoints": self.function.breakpoints.tolist(),
            "values": self.function.values.tolist(),
        }

    def to_frame(self) -> Any:
        """Return a pandas data frame, with a row for each interval of weights."""
        return as_frame(("low", "high", "value"), self.function.rows())

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the function with its best interval and the model's weight, and return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.
        """
        from rankmax.line_search.step_plots import draw_steps

        ax = axes_for(ax)
        draw_steps(ax, self.function, (self.weight, self.value), (self.feature, self.metric.name))
        return ax


def profile_weight(model: LinearModel, data: RankingDataset, feature: str, metric: Metric) -> Profile:
    """Return a metric as a function of the weight of one feature.

    Parameters
    ----------
    model : LinearModel
    data : RankingDataset
        Data with every feature of nonzero weight, and `feature`.
    feature : str
        Feature to vary; one that the model lacks has weight 0.
    metric : Metric

    Examples
    --------
    >>> import numpy as np
    >>> from rankmax.metrics import RR
    >>> data = RankingDataset.from_arrays([[0.0, 1.0], [1.0, 0.5]], [1, 0], qid=[7, 7], feature_names=["a", "b"])
    >>> profile = profile_weight(LinearModel(np.array([1.0]), ("a",)), data, "b", RR())
    >>> profile.weight, profile.value, profile.best
    (0.0, 0.5, Interval(low=2.0, high=inf, value=1.0))
    """
    weight_of = {
        name: weight for name, weight in zip(model.feature_names, model.weights.tolist(), strict=True) if weight
    }
    if feature not in data.feature_names and feature not in weight_of:
        raise UnknownNameError("feature", feature, data.feature_names)
    moved = features_by_name(data, list(dict.fromkeys([*weight_of, feature])))
    objective = LinearObjective(model.normalization.apply(moved), metric)
    start = objective.at([weight_of.get(name, 0.0) for name in moved.feature_names])
    weight = weight_of.get(feature, 0.0)
    direction = [float(name == feature) for name in moved.feature_names]
    along = objective.step_function(start, direction)
    function = StepFunction(along.breakpoints + weight, along.values)
    best = function.best()
    others = np.where(direction, 0.0, start.weights)
    values = objective.values([others + place * np.array(direction) for place in best.places])
    as_predicted = np.abs(values - best.value) <= SAME_VALUE
    chosen = best.places[int(np.argmax(as_predicted))]
    at_best = objective.at(others + chosen * np.array(direction))
    error = standard_error(evaluate_metrics([metric], at_best.scores, data.judgments)[0])
    return Profile(feature, metric, weight, start.value, function, chosen, error)
