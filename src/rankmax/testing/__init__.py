"""Contract tests that a third party's metric or learner can inherit."""

from rankmax.testing.export_targets import ExportTargetContract
from rankmax.testing.learners import LearnerContract
from rankmax.testing.losses import LossContract
from rankmax.testing.metrics import MetricContract
from rankmax.testing.optimizers import OptimizerContract
from rankmax.testing.spaces import SpaceContract

__all__ = [
    "ExportTargetContract",
    "LearnerContract",
    "LossContract",
    "MetricContract",
    "OptimizerContract",
    "SpaceContract",
]
