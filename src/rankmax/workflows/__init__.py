"""The jobs that the command line and other front ends offer, from files to results: one file a job."""

from rankmax.workflows.demo import DemoResult, run_demo
from rankmax.workflows.ranking import run_of
from rankmax.workflows.systems import System, distinct_names, evaluate_predictions, evaluate_runs

__all__ = [
    "DemoResult",
    "System",
    "distinct_names",
    "evaluate_predictions",
    "evaluate_runs",
    "run_demo",
    "run_of",
]
