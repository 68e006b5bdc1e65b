"""Terms, phrases and windows: weights on the simplex, moved between collections; the study behind Tables 6 and 7."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP
from rankmax.optimizers.branch_and_bound import BranchAndBound
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.grid_search import GridSearch
from rankmax.optimizers.optimizer import Optimizer
from rankmax.optimizers.steepest_ascent import SteepestAscent
from rankmax.papers.metzler2007.learning_collection import TestCollection, average_precision, one_tailed
from rankmax.papers.papers import Step, Study, Values
from rankmax.papers.setup import Setup
from rankmax.retrieval.features import Dirichlet, NamedFeature, OrderedPhrases, UnorderedWindows, feature_set
from rankmax.retrieval.search.weighted_sum import WeightedSum
from rankmax.spaces import Simplex
from rankmax.spaces.lattice import simplex_lattice
from rankmax.workflows.searching.judged_queries import JudgedQueries

_MOST_WINDOWS = 57  # subsets of a query's terms: all of them up to six terms; some of our queries have twenty
OPTIMIZERS: dict[str, Optimizer] = {
    "grid": GridSearch(step=1 / 20),
    "coordinate ascent": CoordinateAscent(),
    "steepest ascent": SteepestAscent(),
}


def training(name: str) -> str:
    """Return the name of the step that learns weights on a collection."""
    return f"{name}: weights"


def smoothing(name: str) -> str:
    """Return the name of the step that separates the effect of smoothing from that of the features."""
    return f"{name}: smoothing"


def surveying(name: str) -> str:
    """Return the name of the step that evaluates a lattice of weights on a collection."""
    return f"{name}: surface"


def climbing(name: str) -> str:
    """Return the name of the step that compares optimizers on a collection."""
    return f"{name}: optimizers"


def proving(name: str) -> str:
    """Return the name of the step that proves an upper bound over all weights on a collection."""
    return f"{name}: optimum"


def testing(trained: str, tested: str) -> str:
    """Return the name of the step that tests the weights of one collection on another."""
    return f"{tested}: weights of {trained}"


def _settings(setup: Setup) -> dict[str, Any]:
    return {
        "corpora": {corpus.name: corpus.fingerprint for corpus in setup.corpora},
        "most_topics": _most_topics(setup),
        "restarts": _restarts(setup),
        "lattice": _n_steps(setup),
        "most_windows": _MOST_WINDOWS,
        "most_cells": _most_cells(setup),
    }


def _most_topics(setup: Setup) -> int:
    return 40 if setup.small else 200


def _restarts(setup: Setup) -> int:
    return 2 if setup.small else 10


def _n_steps(setup: Setup) -> int:
    return 20 if setup.small else 40


def _most_cells(setup: Setup) -> int:
    return 2_000 if setup.small else 1_000_000


def _steps(setup: Setup) -> Iterator[tuple[str, Step]]:
    collections = [_Proximity(TestCollection(corpus, setup)) for corpus in setup.corpora]
    for one in collections:
        yield training(one.name), one.weights
        yield smoothing(one.name), one.smoothed_alike
        yield surveying(one.name), one.surface
        yield climbing(one.name), one.optimizers
        yield proving(one.name), one.optimum
    for one in collections:
        for other in collections:
            if one is not other:
                yield testing(other.name, one.name), partial(one.weights_of, other.name)


PROXIMITY = Study("proximity", _settings, _steps, "a collection of text")
"""The study behind Tables 6 and 7, Figure 1 and the comparison of optimizers."""


class _Proximity:
    """A collection, its queries and their features, computed when first needed."""

    def __init__(self, collection: TestCollection) -> None:
        self.collection, self.setup = collection, collection.setup
        self.name = collection.corpus.name

    @cached_property
    def features(self) -> tuple[NamedFeature, ...]:
        return tuple(
            replace(one, most=_MOST_WINDOWS) if isinstance(one, UnorderedWindows) else one
            for one in feature_set("proximity", self.collection.index)
        )

    @cached_property
    def topics(self) -> dict[str, str]:
        return self.collection.corpus.queries.sample(_most_topics(self.setup), self.setup.seed)

    @cached_property
    def queries(self) -> JudgedQueries:
        return self.collection.judged(self.topics)

    @cached_property
    def data(self) -> RankingDataset:
        return self.collection.training_data(self.topics, self.features)

    def weights(self, _: Values) -> dict[str, Any]:
        """Learn weights, and compare their ranking of the collection with the best language model's."""
        language_model = self.collection.tuned_language_model(self.queries)
        baseline = average_precision(self.queries, language_model)
        weights = self._learned(self.data, shrinkage=0.0, optimizer=CoordinateAscent())
        ours = self._learned(self.data)
        found = self._average_precision(weights)
        return {
            "weights": weights.tolist(),
            "mu": language_model.mu,
            "language_model": round(float(baseline.mean()), 6),
            "feature_based": round(float(found.mean()), 6),
            "p_value": one_tailed(found, baseline),
            "ours": round(float(self._average_precision(ours).mean()), 6),
        }

    def smoothed_alike(self, values: Values) -> dict[str, Any]:
        """Compare the language model with features of the same smoothing, and terms alone with all features."""
        mu = values[training(self.name)]["mu"]
        features = Dirichlet(mu), OrderedPhrases(mu), UnorderedWindows(mu, most=_MOST_WINDOWS)
        data = self.collection.training_data(self.topics, features)
        weights = self._learned(data, shrinkage=0.0, optimizer=CoordinateAscent())
        found = average_precision(self.queries, WeightedSum(features, tuple(weights.tolist())))
        return {
            "terms_alone": round(float(average_precision(self.queries, self.features[0]).mean()), 6),
            "feature_based": round(float(found.mean()), 6),
            "p_value": one_tailed(found, average_precision(self.queries, features[0])),
        }

    def weights_of(self, other: str, values: Values) -> float:
        """Return the metric of this collection with the weights of another."""
        return round(float(self._average_precision(np.array(values[training(other)]["weights"])).mean()), 6)

    def surface(self, _: Values) -> list[float]:
        """Return the metric on the training documents at every point of a lattice."""
        found = LinearObjective(self.data, AP()).values(simplex_lattice(3, _n_steps(self.setup)) / _n_steps(self.setup))
        rounded: list[float] = found.round(5).tolist()
        return rounded

    def optimizers(self, _: Values) -> dict[str, Any]:
        """Run each optimizer from the same random starts; a grid needs no start."""
        objective, space = LinearObjective(self.data, AP()), Simplex()
        starts = [space.sample(3, np.random.default_rng([self.setup.seed, n])) for n in range(_restarts(self.setup))]
        found = {}
        for name, optimizer in OPTIMIZERS.items():
            tried = starts[:1] if isinstance(optimizer, GridSearch) else starts
            ascents = [
                optimizer.maximize(objective, space, start=start, rng=np.random.default_rng(0)) for start in tried
            ]
            found[name] = {
                "values": [round(ascent.value, 6) for ascent in ascents],
                "lines": sum(ascent.n_lines for ascent in ascents),
                "evaluations": sum(ascent.n_evaluations for ascent in ascents),
            }
        return found

    def optimum(self, values: Values) -> dict[str, Any]:
        """Prove an upper bound; the limit is a number of cells, not seconds, so that the result is reproducible."""
        search = BranchAndBound(cells=_most_cells(self.setup))
        start = values[training(self.name)]["weights"]
        proof = search.prove(LinearObjective(self.data, AP()), start=start)
        return {
            "weights": proof.weights.tolist(),
            "value": round(proof.value, 6),
            "bound": round(proof.bound, 6),
            "cells": proof.n_cells,
            "stopped_by": proof.stopped_by,
        }

    def _learned(self, data: RankingDataset, **parameters: Any) -> F64:
        restarts, seed = _restarts(self.setup), self.setup.seed
        ranker = LinearRanker("AP", "simplex", n_restarts=restarts, smoothing=0.0, seed=seed, **parameters)
        return ranker.fit_dataset(data).coef_

    def _average_precision(self, weights: F64) -> F64:
        return average_precision(self.queries, WeightedSum(self.features, tuple(weights.tolist())))
