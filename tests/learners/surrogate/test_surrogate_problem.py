"""The mean loss of a scoring function, against the loss itself, and the same bits wherever the data lies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csc_array

from rankmax.backends.distributed_dataset import DistributedDataset
from rankmax.backends.local import LocalBackend
from rankmax.backends.training_data import LocalData
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError
from rankmax.formats.shards import Shards, write_shards
from rankmax.learners.surrogate.scoring.expected_gain_scoring import ExpectedGain
from rankmax.learners.surrogate.scoring.linear_scoring import LinearScore
from rankmax.learners.surrogate.scoring.scoring_function import ScoringFunction
from rankmax.learners.surrogate.surrogate_problem import SurrogateProblem
from rankmax.learners.surrogate.surrogate_ranker import SurrogateRanker
from rankmax.losses.registry import LOSSES, loss_named
from rankmax.preprocessing.feature_normalization import Unchanged

DATA = planted_linear(14, 9, 3, noise=0.5, seed=4).data
COUNTS = np.array([2.0, 1.0, 0.0, 1.5, 1.0, 1.0, 3.0] * 2)
SCORINGS = [LinearScore(), ExpectedGain(gain="linear")]


def local_problem(data: RankingDataset, query_weights: np.ndarray | None = None) -> SurrogateProblem:
    return SurrogateProblem(LocalData(data, Unchanged()), query_weights)


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Shards:
    return write_shards([(DATA, 4)], tmp_path_factory.mktemp("shards") / "4")


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("scoring", SCORINGS, ids=["linear", "expected-gain"])
@pytest.mark.parametrize("features", [np.asarray, csc_array])
def test_it_is_the_loss_of_the_scores(loss: str, scoring: ScoringFunction, features: type) -> None:
    bound = scoring.bind(DATA.judgments)
    rng = np.random.default_rng(2)
    weights, intercepts = rng.normal(size=(bound.n_outputs(), 3)), rng.normal(size=bound.n_outputs())
    data = RankingDataset.from_arrays(features(DATA.features), DATA.grades, qid=DATA.judgments.query_of_document)
    found = local_problem(data, COUNTS).loss(loss_named(loss), bound, weights, intercepts)
    scores, slopes = bound.combine(weights @ DATA.features.T + intercepts[:, None])
    value, gradient = loss_named(loss).value_and_gradient(scores, DATA.judgments, query_weights=COUNTS)
    assert found.value == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(found.moments, (slopes * gradient) @ DATA.features, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.totals, (slopes * gradient).sum(axis=1), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("backend", [LocalBackend(), LocalBackend(memory=10**6)], ids=["memory", "disk"])
def test_what_lies_with_a_backend_has_the_same_bits(backend: LocalBackend, shards: Shards) -> None:
    there = SurrogateProblem(DistributedDataset(backend, shards, Unchanged()), COUNTS)
    here = local_problem(DATA, COUNTS)
    assert [*there.spread, *there.mean] == [*here.spread, *here.mean]
    bound = ExpectedGain().bind(there.judgments)
    assert bound == ExpectedGain().bind(here.judgments)
    weights, intercepts = np.random.default_rng(3).normal(size=(bound.n_outputs(), 3)), np.arange(bound.n_outputs())
    assert there.deviation(weights[0]) == here.deviation(weights[0])
    a, b = (p.loss(loss_named("cosine"), bound, weights, intercepts.astype(np.float64)) for p in (there, here))
    assert [a.value, *a.moments.ravel(), *a.totals] == [b.value, *b.moments.ravel(), *b.totals]


@pytest.mark.parametrize("scoring", ["linear", "expected-gain"])
def test_a_training_over_shards_is_the_training(scoring: str, shards: Shards) -> None:
    options = {"loss": "cosine", "scoring": scoring, "normalization": "z-score", "max_iterations": 20, "metric": "AP"}
    validation = DATA.select(np.arange(5))
    here = SurrogateRanker(**options).fit_dataset(DATA, query_weights=COUNTS, validation=validation)
    there = SurrogateRanker(**options, backend="local").fit_dataset(shards, query_weights=COUNTS, validation=validation)
    assert here.coef_.tolist() == there.coef_.tolist()
    assert (here.value_, here.validation_value_, here.loss_value_) == (
        *(there.value_, there.validation_value_, there.loss_value_),
    )
    np.testing.assert_array_equal(here.model_.scores(DATA), there.model_.scores(DATA))
    assert here.model_.provenance.parameters == there.model_.provenance.parameters


def test_what_shards_cannot_do_is_refused(shards: Shards, tmp_path: Path) -> None:
    with pytest.raises(IncompatibleError, match="polish is not for shards"):
        SurrogateRanker(polish=True).fit_dataset(shards)
    with pytest.raises(IncompatibleError, match="give Shards"):
        SurrogateRanker(backend="local").fit_dataset(DATA)
