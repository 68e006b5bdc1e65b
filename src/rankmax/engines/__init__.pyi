from rankmax.engines.export_target import Destination as Destination
from rankmax.engines.export_target import Export as Export
from rankmax.engines.export_target import Request as Request
from rankmax.engines.export_target import Target as Target
from rankmax.engines.pyterrier import pyterrier_transformer as pyterrier_transformer
from rankmax.engines.scikit_learn import ScoreTransformer as ScoreTransformer
