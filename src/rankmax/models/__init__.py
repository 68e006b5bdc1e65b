"""What a learner returns: weights with all that is needed to use them again, as JSON, never pickle."""

from rankmax.models.expected_gain import ExpectedGainModel as ExpectedGainModel
from rankmax.models.files import load_any_model as load_any_model
from rankmax.models.files import load_model as load_model
from rankmax.models.files import model_from_json as model_from_json
from rankmax.models.linear import LinearModel as LinearModel
from rankmax.models.provenance import MarginRecord as MarginRecord
from rankmax.models.provenance import Parameter as Parameter
from rankmax.models.provenance import Provenance as Provenance
from rankmax.models.provenance import TrainingRecord as TrainingRecord
from rankmax.models.varying import VaryingModel as VaryingModel
