"""Models that learners return: weights with everything needed to use them again, stored as JSON, never pickle."""

from rankmax.models.expected_gain_model import ExpectedGainModel as ExpectedGainModel
from rankmax.models.linear_model import LinearModel as LinearModel
from rankmax.models.model_files import load_any_model as load_any_model
from rankmax.models.model_files import load_model as load_model
from rankmax.models.model_files import model_from_json as model_from_json
from rankmax.models.provenance import MarginRecord as MarginRecord
from rankmax.models.provenance import Parameter as Parameter
from rankmax.models.provenance import Provenance as Provenance
from rankmax.models.provenance import TrainingRecord as TrainingRecord
from rankmax.models.varying_model import VaryingModel as VaryingModel
