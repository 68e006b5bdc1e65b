"""Export of models as requests to and configurations of search engines, one module per engine."""

from rankmax.engines.export_target import Destination, Export, Request, Target
from rankmax.engines.pyterrier import pyterrier_transformer
from rankmax.engines.scikit_learn import ScoreTransformer

__all__ = [
    "Destination",
    "Export",
    "Request",
    "ScoreTransformer",
    "Target",
    "pyterrier_transformer",
]
