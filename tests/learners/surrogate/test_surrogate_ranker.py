"""The surrogate ranker: contract, choice by validation queries, models, and bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.splits import letor_folds
from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError, InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.formats.letor import read_letor
from rankmax.learners.surrogate.scoring.expected_gain_scoring import EPSILONS, ExpectedGain
from rankmax.learners.surrogate.scoring.linear_scoring import LinearScore
from rankmax.learners.surrogate.surrogate_ranker import SurrogateRanker
from rankmax.losses.cross_entropy import ALPHAS, CrossEntropy
from rankmax.losses.smooth_ndcg import SmoothNDCG
from rankmax.metrics import ERR, nDCG
from rankmax.models import LinearModel
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.models.model_files import load_model
from rankmax.testing.learners import LearnerContract

NOISY = planted_linear(20, 10, 4, noise=0.7, seed=2).data
VALIDATION = planted_linear(20, 10, 4, noise=0.7, seed=99).data


class TestContract(LearnerContract):
    learners = (
        SurrogateRanker(),
        SurrogateRanker("cosine", "linear"),
        SurrogateRanker("squared", ExpectedGain(gain="linear", epsilon=0.9), normalization="min-max"),
    )
    agreement = 0.85
    closeness = 0.05  # another order of rows rounds otherwise, which a threshold may make a difference


def test_linear_scores_make_a_linear_model() -> None:
    ranker = SurrogateRanker("cosine", "linear").fit_dataset(NOISY)
    assert isinstance(ranker.model_, LinearModel)
    assert ranker.coef_.shape == (4,)


def test_a_model_can_be_written_and_read(tmp_path: Path) -> None:
    ranker = SurrogateRanker("squared", normalization="z-score", seed=5).fit_dataset(NOISY)
    assert isinstance(ranker.model_, ExpectedGainModel)
    ranker.model_.save(tmp_path / "model.json")
    back = load_model(tmp_path / "model.json")
    assert back.scores(VALIDATION).tolist() == ranker.model_.scores(VALIDATION).tolist()
    assert back.provenance.parameters["scoring"] == repr(ExpectedGain(grades=(0.0, 1.0, 2.0)))
    assert back.provenance.parameters["loss"] == "Squared(gain='linear')"
    assert (back.provenance.seed, back.metric) == (5, "nDCG@10")
    assert back.training is not None
    assert back.training.value == ranker.value_ == evaluate_scores(back.scores(NOISY), NOISY, ["nDCG@10"]).means[0]


def test_validation_queries_choose_among_everything() -> None:
    losses = [CrossEntropy(alpha=alpha) for alpha in ALPHAS[::3]]
    functions = [ExpectedGain(epsilon=epsilon) for epsilon in EPSILONS[::2]]
    ranker = SurrogateRanker(losses, functions, "AP", ridge=(0.01, 1.0)).fit_dataset(NOISY, validation=VALIDATION)
    assert len(ranker.candidates_) == 3 * 3 * 2
    values = [candidate.validation_value for candidate in ranker.candidates_]
    best = ranker.candidates_[int(np.argmax(values))]
    assert ranker.validation_value_ == max(values)
    assert (ranker.loss_, ranker.ridge_) == (best.fit.loss, best.ridge)
    assert ranker.scoring_.epsilon == best.fit.scoring.epsilon  # type: ignore[attr-defined]
    assert evaluate_scores(ranker.model_.scores(VALIDATION), VALIDATION, ["AP"]).means[0] == ranker.validation_value_
    alone = SurrogateRanker(ranker.loss_, ranker.scoring_, "AP", ridge=ranker.ridge_).fit_dataset(NOISY)
    assert alone.coef_.tolist() == ranker.coef_.tolist()


def test_validation_queries_choose_what_a_name_leaves_open() -> None:
    ranker = SurrogateRanker("cross-entropy", "expected-gain", max_iterations=3)
    tried = [candidate.fit for candidate in ranker.fit_dataset(NOISY, validation=VALIDATION).candidates_]
    assert [(fit.loss.alpha, fit.scoring.epsilon) for fit in tried] == [(a, e) for a in ALPHAS for e in EPSILONS]  # type: ignore[attr-defined]
    assert len(ranker.fit_dataset(NOISY).candidates_) == 1
    ranker = SurrogateRanker(CrossEntropy(), ExpectedGain(), max_iterations=3)
    assert len(ranker.fit_dataset(NOISY, validation=VALIDATION).candidates_) == 1


def test_stages_are_candidates_only_for_validation_queries() -> None:
    loss = SmoothNDCG(smoothing=0.25, first_smoothing=2.0)
    assert len(SurrogateRanker(loss, "linear").fit_dataset(NOISY).candidates_) == 1
    ranker = SurrogateRanker(loss, "linear").fit_dataset(NOISY, validation=VALIDATION)
    assert [candidate.fit.loss for candidate in ranker.candidates_] == list(loss.stages())


def test_several_without_validation_queries_are_refused() -> None:
    with pytest.raises(IncompatibleError, match=r"4 combinations .* no validation queries"):
        SurrogateRanker(["cosine", "squared"], ["linear", "expected-gain"]).fit_dataset(NOISY)


def test_gradient_descent_and_random_starts_learn_too() -> None:
    for parameters in ({"optimizer": "gradient-descent"}, {"n_restarts": 5}):
        ranker = SurrogateRanker("cosine", **parameters).fit_dataset(NOISY)  # type: ignore[arg-type]
        assert ranker.value_ > 0.75


def test_polishing_never_lowers_the_metric_on_the_training_queries() -> None:
    plain, polished = (SurrogateRanker("cosine", polish=polish).fit_dataset(NOISY) for polish in (False, True))
    assert polished.value_ >= plain.value_
    assert polished.coef_.tolist() == plain.coef_.tolist()
    chosen = SurrogateRanker("cosine", polish=True).fit_dataset(NOISY, validation=VALIDATION)
    refused = SurrogateRanker("cosine").fit_dataset(NOISY, validation=VALIDATION)
    assert chosen.validation_value_ >= refused.validation_value_  # type: ignore[operator]
    linear = SurrogateRanker("cosine", "linear", polish=True).fit_dataset(NOISY)
    assert isinstance(linear.model_, LinearModel)


def test_query_weights_count() -> None:
    once = SurrogateRanker("cosine", "linear").fit_dataset(NOISY, query_weights=np.arange(20.0))
    by_id = SurrogateRanker("cosine", "linear").fit_dataset(
        NOISY, query_weights={query: float(i) for i, query in enumerate(NOISY.query_ids)}
    )
    assert once.coef_.tolist() == by_id.coef_.tolist()
    assert once.coef_.tolist() != SurrogateRanker("cosine", "linear").fit_dataset(NOISY).coef_.tolist()


def test_score_is_the_metric() -> None:
    ranker = SurrogateRanker("cosine", "linear", nDCG() @ 3).fit_dataset(NOISY)
    qid = NOISY.judgments.query_of_document
    assert ranker.score(NOISY.features, NOISY.grades, qid=qid) == pytest.approx(ranker.value_)


def test_gains_of_a_metric() -> None:
    ranker = SurrogateRanker("cosine", ExpectedGain(gain=ERR(max_grade=4)), "ERR").fit_dataset(NOISY)
    assert isinstance(ranker.model_, ExpectedGainModel)
    np.testing.assert_allclose(ranker.model_.gains, [0, 1 / 16, 3 / 16])


def test_grades_that_training_lacks_have_no_probability_but_are_ranked() -> None:
    few = RankingDataset.from_arrays(NOISY.features, np.minimum(NOISY.grades, 1), qid=NOISY.judgments.query_of_document)
    model = SurrogateRanker("cosine").fit_dataset(few).model_
    assert isinstance(model, ExpectedGainModel)
    assert model.grades.tolist() == [0.0, 1.0]
    assert model.probabilities(NOISY).shape == (NOISY.n_documents, 2)
    assert evaluate_scores(model.scores(NOISY), NOISY, ["nDCG@5"]).means[0] > 0.6


@pytest.mark.parametrize("scoring", ["linear", "expected-gain"])
def test_a_single_grade_says_nothing(scoring: str) -> None:
    same = RankingDataset.from_arrays(np.arange(4.0)[:, None], [1] * 4, qid=[1, 1, 2, 2])
    with pytest.raises(InvalidDataError, match="documents of"):
        SurrogateRanker(scoring=scoring).fit_dataset(same)


def test_unbounded_weights_are_finite_and_told() -> None:
    X, qid = np.repeat([[-2.0], [-1.0], [1.0], [2.0]], 3, axis=0), [1, 2, 3] * 4
    data = RankingDataset.from_arrays(X, [0] * 6 + [1] * 6, qid=qid)
    ranker = SurrogateRanker("squared", ExpectedGain(epsilon=1.0), ridge=0.0, max_iterations=5, tolerance=0.0)
    model = ranker.fit_dataset(data).model_
    assert isinstance(model, ExpectedGainModel)
    assert model.training is not None
    assert model.training.stopped_by == "iterations"
    assert np.isfinite(ranker.coef_).all()


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"loss": "hinge"}, UnknownNameError, "unknown loss 'hinge'"),
        ({"scoring": "tree"}, UnknownNameError, "unknown scoring function 'tree'"),
        ({"optimizer": "newton"}, UnknownNameError, "unknown way of descent 'newton'"),
        ({"metric": "nDGC"}, UnknownNameError, "did you mean 'nDCG'"),
        ({"ridge": -1.0}, InvalidParameterError, "ridge=-1 must be a nonnegative number"),
        ({"loss": []}, InvalidParameterError, "at least one loss"),
        ({"n_restarts": -1}, InvalidParameterError, "n_restarts is -1; expected a nonnegative whole number"),
        ({"seed": -1}, InvalidParameterError, "seed is -1"),
        ({"max_iterations": 0}, InvalidParameterError, "max_iterations=0"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        SurrogateRanker(**parameters).fit_dataset(NOISY)


def test_smoothrank_and_listnet_are_near_the_published_results(shared_data: Path) -> None:
    """On the test queries of OHSUMED's first two folds, against what the same metric says of least squares."""
    parts = [read_letor(shared_data / "letor" / "OHSUMED" / f"S{i}.txt.gz") for i in range(1, 6)]
    means: dict[str, list[float]] = {}
    for fold in list(letor_folds(parts))[:2]:
        for name, loss in (("SmoothRank", "smooth-ndcg"), ("ListNet", CrossEntropy()), ("regression", "squared")):
            ranker = SurrogateRanker(loss, LinearScore(), "LetorNDCG@10", ridge=0.0)
            ranker.fit_dataset(fold.train, validation=fold.validation)
            test = evaluate_scores(ranker.model_.scores(fold.test), fold.test, ["LetorNDCG@10"]).means[0]
            means.setdefault(name, []).append(float(test))
    found = {name: np.mean(values) for name, values in means.items()}
    assert found["SmoothRank"] > found["regression"]
    assert found["ListNet"] > found["regression"]
