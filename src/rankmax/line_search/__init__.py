"""Exact line search: a metric's value along a line in weight space (Morgan, Greiff & Henderson 2004, section 3.3)."""

from rankmax.line_search.fixed_steps import FixedSteps
from rankmax.line_search.golden_section import GoldenSection
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.line_search.metric_sweep import MetricSweep
from rankmax.line_search.objective import Objective, ScoredPoint
from rankmax.line_search.step_function import StepFunction

__all__ = [
    "FixedSteps",
    "GoldenSection",
    "LinearObjective",
    "MetricSweep",
    "Objective",
    "ScoredPoint",
    "StepFunction",
]
