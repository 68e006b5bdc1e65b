"""rankmax finds the weights that maximise the ranking metric you report.

The names below are the public interface; each is imported when it is first used, so that ``import rankmax`` is
instant. Everything about metrics is in :mod:`rankmax.metrics`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankmax._version import __version__

if TYPE_CHECKING:
    from rankmax.data.binning import Binning
    from rankmax.data.dataset import RankingDataset
    from rankmax.data.formats import read_dataset, write_dataset
    from rankmax.data.interchange import as_qrels, as_run
    from rankmax.data.join import JudgedRun, join_runs, judge
    from rankmax.data.judgments import Judgments
    from rankmax.data.letor import read_letor, write_letor
    from rankmax.data.topics import read_topics
    from rankmax.data.trec import Qrels, Run, read_qrels, read_run, write_qrels, write_run
    from rankmax.errors import RankmaxError
    from rankmax.evaluation.compare import Comparison, compare_systems
    from rankmax.evaluation.evaluate import Evaluation, evaluate
    from rankmax.evaluation.significance import randomization_test, t_test, wilcoxon_test
    from rankmax.export.named import export_model
    from rankmax.export.pyterrier import pyterrier_transformer
    from rankmax.export.scikit_learn import ScoreTransformer
    from rankmax.learners.classification import ClassificationSVM
    from rankmax.learners.least_squares import LeastSquaresRanker
    from rankmax.learners.linear_ranker import LinearRanker
    from rankmax.learners.maximum_entropy import MaximumEntropyRanker
    from rankmax.learners.plug_in import PlugInRanker
    from rankmax.learners.ranking_svm import RankingSVM
    from rankmax.learners.structural.svm import StructuralSVM
    from rankmax.learners.surrogate_ranker import SurrogateRanker
    from rankmax.metrics.parse import parse
    from rankmax.metrics.ties import TiePolicy
    from rankmax.models import LinearModel
    from rankmax.models.expected_gain import ExpectedGainModel
    from rankmax.models.files import load_model
    from rankmax.models.varying import VaryingModel

_HOMES = {
    "Binning": "data.binning",
    "ClassificationSVM": "learners.classification",
    "Comparison": "evaluation.compare",
    "Evaluation": "evaluation.evaluate",
    "ExpectedGainModel": "models",
    "JudgedRun": "data.join",
    "Judgments": "data.judgments",
    "LeastSquaresRanker": "learners.least_squares",
    "LinearModel": "models",
    "LinearRanker": "learners.linear_ranker",
    "MaximumEntropyRanker": "learners.maximum_entropy",
    "PlugInRanker": "learners.plug_in",
    "Qrels": "data.trec",
    "RankingDataset": "data.dataset",
    "RankingSVM": "learners.ranking_svm",
    "RankmaxError": "errors",
    "Run": "data.trec",
    "ScoreTransformer": "export.scikit_learn",
    "StructuralSVM": "learners.structural.svm",
    "SurrogateRanker": "learners.surrogate_ranker",
    "TiePolicy": "metrics.ties",
    "VaryingModel": "models.varying",
    "as_qrels": "data.interchange",
    "as_run": "data.interchange",
    "compare_systems": "evaluation.compare",
    "evaluate": "evaluation.evaluate",
    "export_model": "export.named",
    "join_runs": "data.join",
    "judge": "data.join",
    "load_model": "models",
    "parse": "metrics.parse",
    "pyterrier_transformer": "export.pyterrier",
    "randomization_test": "evaluation.significance",
    "read_dataset": "data.formats",
    "read_letor": "data.letor",
    "read_qrels": "data.trec",
    "read_run": "data.trec",
    "read_topics": "data.topics",
    "t_test": "evaluation.significance",
    "wilcoxon_test": "evaluation.significance",
    "write_dataset": "data.formats",
    "write_letor": "data.letor",
    "write_qrels": "data.trec",
    "write_run": "data.trec",
}

__all__ = [
    "Binning",
    "ClassificationSVM",
    "Comparison",
    "Evaluation",
    "ExpectedGainModel",
    "JudgedRun",
    "Judgments",
    "LeastSquaresRanker",
    "LinearModel",
    "LinearRanker",
    "MaximumEntropyRanker",
    "PlugInRanker",
    "Qrels",
    "RankingDataset",
    "RankingSVM",
    "RankmaxError",
    "Run",
    "ScoreTransformer",
    "StructuralSVM",
    "SurrogateRanker",
    "TiePolicy",
    "VaryingModel",
    "__version__",
    "as_qrels",
    "as_run",
    "compare_systems",
    "evaluate",
    "export_model",
    "join_runs",
    "judge",
    "load_model",
    "parse",
    "pyterrier_transformer",
    "randomization_test",
    "read_dataset",
    "read_letor",
    "read_qrels",
    "read_run",
    "read_topics",
    "t_test",
    "wilcoxon_test",
    "write_dataset",
    "write_letor",
    "write_qrels",
    "write_run",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
