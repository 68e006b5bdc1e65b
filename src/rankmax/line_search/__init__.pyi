from rankmax.line_search.fixed_steps import FixedSteps as FixedSteps
from rankmax.line_search.golden_section import GoldenSection as GoldenSection
from rankmax.line_search.linear_objective import LinearObjective as LinearObjective
from rankmax.line_search.metric_sweep import MetricSweep as MetricSweep
from rankmax.line_search.objective import Objective as Objective
from rankmax.line_search.objective import ScoredPoint as ScoredPoint
from rankmax.line_search.step_function import StepFunction as StepFunction
