"""Small jobs that together call every kernel for the types of arguments that the verbs call it with.

numba compiles a kernel when it is called, so this is the one list of what there is to compile: whatever a verb needs
and no job does is compiled when the verb is first used. ``tools/check_wheel.py`` runs every verb with the kernels of
these jobs, and fails if any other is compiled.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rankmax.data.dataset import RankingDataset
from rankmax.data.runs import Qrels
from rankmax.data.synthetic import planted_linear
from rankmax.learners.registry import LEARNERS
from rankmax.losses.registry import LOSSES
from rankmax.metrics.registry import parse_metric
from rankmax.preprocessing.binning import Binning

_METRICS = ("AP", "nDCG@10", "ERR@10")  # a line search over all ranks, the top ranks and a cascade


def _proofs() -> None:
    """Prove the best weights, draw a surface with its proof, and tune."""
    from rankmax.fusion.signals import signals_of_features
    from rankmax.workflows.proofs.proven_optimum import prove_optimum
    from rankmax.workflows.surface.metric_surface import metric_surface
    from rankmax.workflows.surface.proven import with_proof
    from rankmax.workflows.tuning.tuning import tune_systems

    data = _data()
    metric = parse_metric("AP")
    prove_optimum(data, None, metric, seconds=5.0)
    with_proof(metric_surface(data, data.feature_names, metric, resolution=4), data)
    tune_systems(signals_of_features(data), [metric], n_folds=2, n_repeats=1)


def _training() -> None:
    """Maximize expected metrics, as ``rankmax train`` does, over weights of any sign and nonnegative ones."""
    from rankmax.learners.direct.linear_ranker import LinearRanker

    for metric, space in (("AP", "simplex"), ("nDCG@10", "euclidean")):
        LinearRanker(metric, space).fit_dataset(_data())


def _exact_training() -> None:
    """Maximize each kind of metric itself, and the rarer kinds of metrics and features."""
    from rankmax.learners.direct.linear_ranker import LinearRanker

    for metric, space in zip(_METRICS, ("simplex", "euclidean", "euclidean"), strict=True):
        LinearRanker(metric, space, n_restarts=1, smoothing=0.0).fit_dataset(_data())
    LinearRanker("ERR@10").fit_dataset(_data())
    for smoothing in (0.5, 0.0):
        LinearRanker("AP", n_restarts=1, smoothing=smoothing).fit_dataset(_data(np.float32))


def _views() -> None:
    """Evaluate a model, and draw a weight's profile and a surface."""
    from rankmax.models import LinearModel
    from rankmax.workflows.surface.metric_surface import metric_surface
    from rankmax.workflows.weight_profile import profile_weight

    data = _data()
    model = LinearModel(np.ones(3), data.feature_names)
    for name in _METRICS:
        metric = parse_metric(name)
        profile_weight(model, data, data.feature_names[0], metric)
        metric_surface(data, data.feature_names, metric, resolution=2)


def _trees() -> None:
    """Score by a sum of trees, and look where the training data's documents are."""
    from rankmax.models import TreeEnsembleModel
    from rankmax.models.trees.structure import Tree

    data = _data()
    node, counts = np.array([0]), np.array([1.0, data.n_documents - 1.0])
    stump = Tree(
        node, np.array([0.5]), ~node, ~node - 1, np.array([0.0, 1.0]), node == 0, node.astype(np.uint8), counts
    )
    for precision in (False, True):
        model = TreeEnsembleModel((stump,) * 50, data.feature_names, 1.0, 0.0, precision, precision)
        model.scores(data)
    model.was_trained_on(data)


def _letor_files() -> None:
    """Read LETOR files, dense and sparse."""
    from rankmax.formats.letor import read_letor, write_letor

    data = _data()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.txt"
        write_letor(data, path)
        read_letor(path)
        for dtype in (np.float64, np.float32):
            for sparse in (False, True):
                read_letor(path, dtype=dtype, sparse=sparse)


def _learners() -> None:
    """Fit every other learner, with every loss, and one on binned features."""
    for dtype in (np.float64, np.float32):
        data = _data(dtype)
        for loss in LOSSES.names():
            _fit("surrogate", data, loss=loss)
        for name in ("expected-gain", "ranking-svm", "maximum-entropy", "least-squares", "additive"):
            _fit(name, data)
    binned = Binning.fit(_data()).apply(_data())
    for name in ("surrogate", "classification-svm"):
        _fit(name, binned)
    for metric in ("AP", "nDCG", "nDCG@10", "RR", "ROC"):
        _fit("structural-svm", _data(), metric, C=1.0)


def _text() -> None:
    """Build an index, search it, and compute features."""
    from rankmax.retrieval.analysis.analyzer import Analyzer
    from rankmax.retrieval.extraction.candidate_pools import listed_candidates
    from rankmax.retrieval.extraction.extraction import extract
    from rankmax.retrieval.features import BM25, choose_features, parse_feature
    from rankmax.retrieval.index.builder import build_index
    from rankmax.retrieval.index.document_files import Document
    from rankmax.retrieval.registry import FEATURE_SETS
    from rankmax.workflows.searching.topic_search import search_topics

    words = ["wing", "swept", "lift", "drag", "flow", "shock", "layer"]
    documents = [
        Document(f"d{n}", {"title": words[n % 7], "text": " ".join(words[: 1 + n % 7] * 3)}) for n in range(30)
    ]
    topics = {"q1": "swept wing lift", "q2": "shock layer"}
    qrels = Qrels.from_dict({"q1": {"d3": 1, "d4": 0}, "q2": {"d6": 1, "d5": 0}})
    with tempfile.TemporaryDirectory() as folder:
        index = build_index(documents, Path(folder) / "index", analyzer=Analyzer(stop="english", stemmer="porter2"))
        search_topics(index, topics, BM25(), 10)
        search_topics(index, topics, parse_feature("boolean"), 10)
        chosen = choose_features(index, sets=FEATURE_SETS.names(), names=[], scopes=[(), ("title",)])
        extract(index, topics, listed_candidates(index, qrels), chosen, qrels=qrels)


JOBS: dict[str, Callable[[], None]] = {
    "proofs": _proofs,
    "text": _text,
    "letor-files": _letor_files,
    "learners": _learners,
    "training": _training,
    "exact-training": _exact_training,
    "views": _views,
    "trees": _trees,
}
"""Jobs by name, the longest first."""


def _fit(learner: str, data: RankingDataset, metric: str = "AP", **options: Any) -> None:
    LEARNERS.load(learner).from_options(parse_metric(metric), "none", options).fit_dataset(data)


def _data(dtype: type = np.float64) -> RankingDataset:
    """Return enough data for several threads."""
    data = planted_linear(200, 60, 3, noise=1.0, seed=0).data
    return replace(data, features=np.asarray(data.features, dtype))
