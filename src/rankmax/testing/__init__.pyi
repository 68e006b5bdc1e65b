from rankmax.testing.engines import EngineContract as EngineContract
from rankmax.testing.export_targets import ExportTargetContract as ExportTargetContract
from rankmax.testing.learners import LearnerContract as LearnerContract
from rankmax.testing.losses import LossContract as LossContract
from rankmax.testing.metrics import MetricContract as MetricContract
from rankmax.testing.optimizers import OptimizerContract as OptimizerContract
from rankmax.testing.spaces import SpaceContract as SpaceContract
