"""Four learners of weights for the same six features, and a language model: the study behind Table 3."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

from rankmax.errors import ConvergenceWarning
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.learners.learner import LinearLearner
from rankmax.learners.pointwise.classification_svm import ClassificationSVM
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.papers.corpora import Corpus
from rankmax.papers.metzler2007.learning_collection import TestCollection, average_precision, one_tailed
from rankmax.papers.papers import Step, Study
from rankmax.papers.setup import Setup
from rankmax.retrieval.features import Feature, feature_set
from rankmax.workflows.searching.topic_search import model_ranker

UNBALANCED, BALANCED, LANGUAGE_MODEL, DIRECT, OURS = MODELS = (
    "unbalanced SVM",
    "balanced SVM",
    "language modeling",
    "feature-based",
    "ours: rankmax's default",
)
PARTS = ("train", "test")


def _settings(setup: Setup) -> dict[str, Any]:
    return {
        "corpora": {corpus.name: corpus.fingerprint for corpus in setup.corpora},
        "most_topics": _most_topics(setup),
        "restarts": _restarts(setup),
    }


def _most_topics(setup: Setup) -> int:
    return 40 if setup.small else 200


def _restarts(setup: Setup) -> int:
    return 2 if setup.small else 10  # section 2.3.4


def _steps(setup: Setup) -> Iterator[tuple[str, Step]]:
    for corpus in setup.corpora:
        yield corpus.name, partial(_compare, setup, corpus)


BAG_OF_WORDS = Study("bag-of-words", _settings, _steps, "a collection of text")
"""The study behind Table 3."""


def _learners(setup: Setup) -> dict[str, LinearLearner]:
    restarts, seed = _restarts(setup), setup.seed
    return {
        UNBALANCED: ClassificationSVM(seed=seed),
        BALANCED: ClassificationSVM(balance="undersample", seed=seed),
        DIRECT: LinearRanker("AP", n_restarts=restarts, shrinkage=0.0, optimizer=CoordinateAscent(), seed=seed),
        OURS: LinearRanker("AP", n_restarts=restarts, smoothing=0.0, seed=seed),
    }


def _compare(setup: Setup, corpus: Corpus, _: object) -> dict[str, Any]:
    """Train on judged documents of the training topics, and rank all documents for training and test topics."""
    collection = TestCollection(corpus, setup)
    parts = dict(zip(PARTS, corpus.parts(setup.seed, most=_most_topics(setup)), strict=True))
    queries = {part: collection.judged(topics) for part, topics in parts.items()}
    data = collection.training_data(parts["train"], feature_set("bag-of-words", collection.index))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # liblinear is slow where classes overlap this much
        rankers: dict[str, Feature] = {
            name: model_ranker(learner.fit_dataset(data).model_) for name, learner in _learners(setup).items()
        }
    rankers[LANGUAGE_MODEL] = collection.tuned_language_model(queries["train"])
    result: dict[str, Any] = {"topics": {part: len(topics) for part, topics in parts.items()}}
    for part in PARTS:
        values = {name: average_precision(queries[part], rankers[name]) for name in MODELS}
        result[part] = {
            "means": {name: round(float(ap.mean()), 6) for name, ap in values.items()},
            "p_values": {
                name: {other: one_tailed(ap, values[other]) for other in MODELS if other != name}
                for name, ap in values.items()
            },
        }
    return result
