"""rankmax finds the weights that maximize the ranking metric you report.

The names below are the public interface; each is imported when it is first used, so that ``import rankmax`` is
instant. Everything about metrics is in :mod:`rankmax.metrics`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankmax._version import __version__

if TYPE_CHECKING:
    from rankmax.api.compare import Comparison, compare
    from rankmax.api.distance import distance
    from rankmax.api.evaluate import Evaluation, evaluate
    from rankmax.api.export import export
    from rankmax.api.index import index
    from rankmax.api.load import load
    from rankmax.api.profile import profile
    from rankmax.api.prove import prove
    from rankmax.api.rank import rank
    from rankmax.api.search import search
    from rankmax.api.surface import surface
    from rankmax.api.train import train
    from rankmax.api.tune import Tuning, tune
    from rankmax.api.verify import verify
    from rankmax.data.dataset import RankingDataset
    from rankmax.data.judging import JudgedRun, join_runs, judge
    from rankmax.data.judgments import Judgments
    from rankmax.data.runs import Qrels, Run
    from rankmax.engines.pyterrier import pyterrier_transformer
    from rankmax.engines.scikit_learn import ScoreTransformer
    from rankmax.errors import RankmaxError
    from rankmax.evaluation.significance import randomization_test, t_test, wilcoxon_test
    from rankmax.formats.interchange import as_qrels, as_run
    from rankmax.formats.letor import read_letor, write_letor
    from rankmax.formats.registry import read_dataset, write_dataset
    from rankmax.formats.topics import read_topics
    from rankmax.formats.trec import read_qrels, read_run, write_qrels, write_run
    from rankmax.learners.direct.linear_ranker import LinearRanker
    from rankmax.learners.pairwise.ranking_svm import RankingSVM
    from rankmax.learners.pointwise.classification_svm import ClassificationSVM
    from rankmax.learners.pointwise.least_squares import LeastSquaresRanker
    from rankmax.learners.pointwise.maximum_entropy import MaximumEntropyRanker
    from rankmax.learners.pointwise.plug_in import PlugInRanker
    from rankmax.learners.structural.structural_svm import StructuralSVM
    from rankmax.learners.surrogate.surrogate_ranker import SurrogateRanker
    from rankmax.metrics.registry import parse_metric
    from rankmax.metrics.ties import TiePolicy
    from rankmax.models import LinearModel
    from rankmax.models.expected_gain_model import ExpectedGainModel
    from rankmax.models.varying_model import VaryingModel
    from rankmax.preprocessing.binning import Binning

_HOMES = {
    "Binning": "preprocessing.binning",
    "ClassificationSVM": "learners.pointwise.classification_svm",
    "Comparison": "api.compare",
    "Evaluation": "api.evaluate",
    "ExpectedGainModel": "models",
    "JudgedRun": "data.judging",
    "Judgments": "data.judgments",
    "LeastSquaresRanker": "learners.pointwise.least_squares",
    "LinearModel": "models",
    "LinearRanker": "learners.direct.linear_ranker",
    "MaximumEntropyRanker": "learners.pointwise.maximum_entropy",
    "PlugInRanker": "learners.pointwise.plug_in",
    "Qrels": "data.runs",
    "RankingDataset": "data.dataset",
    "RankingSVM": "learners.pairwise.ranking_svm",
    "RankmaxError": "errors",
    "Run": "data.runs",
    "ScoreTransformer": "engines.scikit_learn",
    "StructuralSVM": "learners.structural.structural_svm",
    "SurrogateRanker": "learners.surrogate.surrogate_ranker",
    "TiePolicy": "metrics.ties",
    "Tuning": "api.tune",
    "VaryingModel": "models.varying_model",
    "as_qrels": "formats.interchange",
    "as_run": "formats.interchange",
    "compare": "api.compare",
    "distance": "api.distance",
    "evaluate": "api.evaluate",
    "export": "api.export",
    "index": "api.index",
    "join_runs": "data.judging",
    "judge": "data.judging",
    "load": "api.load",
    "parse_metric": "metrics.registry",
    "profile": "api.profile",
    "prove": "api.prove",
    "pyterrier_transformer": "engines.pyterrier",
    "randomization_test": "evaluation.significance",
    "rank": "api.rank",
    "read_dataset": "formats.registry",
    "read_letor": "formats.letor",
    "read_qrels": "formats.trec",
    "read_run": "formats.trec",
    "read_topics": "formats.topics",
    "search": "api.search",
    "surface": "api.surface",
    "t_test": "evaluation.significance",
    "train": "api.train",
    "tune": "api.tune",
    "verify": "api.verify",
    "wilcoxon_test": "evaluation.significance",
    "write_dataset": "formats.registry",
    "write_letor": "formats.letor",
    "write_qrels": "formats.trec",
    "write_run": "formats.trec",
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
    "Tuning",
    "VaryingModel",
    "__version__",
    "as_qrels",
    "as_run",
    "compare",
    "distance",
    "evaluate",
    "export",
    "index",
    "join_runs",
    "judge",
    "load",
    "parse_metric",
    "profile",
    "prove",
    "pyterrier_transformer",
    "randomization_test",
    "rank",
    "read_dataset",
    "read_letor",
    "read_qrels",
    "read_run",
    "read_topics",
    "search",
    "surface",
    "t_test",
    "train",
    "tune",
    "verify",
    "wilcoxon_test",
    "write_dataset",
    "write_letor",
    "write_qrels",
    "write_run",
]


# Old names, where they are, and what to say instead; until version 0.3.
_RENAMED = {
    "compare_systems": ("evaluation.comparison", "compare"),
    "export_model": ("engines.registry", "export"),
    "load_model": ("models.model_files", "load"),
    "parse": ("metrics.registry", "parse_metric"),
}


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        from warnings import warn

        from rankmax._deprecation import deprecation

        home, new = _RENAMED[name]
        warn(deprecation(f"rankmax.{name}", f"rankmax.{new}"), DeprecationWarning, stacklevel=2)
        return getattr(import_module(f"{__name__}.{home}"), new if name == "parse" else name)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
