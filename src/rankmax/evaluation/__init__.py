"""Evaluation: means over queries with confidence intervals, and significance tests."""

from rankmax.evaluation.bootstrap import bootstrap_interval
from rankmax.evaluation.significance import holm, randomization_test, t_test, wilcoxon_test

__all__ = [
    "bootstrap_interval",
    "holm",
    "randomization_test",
    "t_test",
    "wilcoxon_test",
]
