"""AdditiveRanker: the contract of learners, shapes that no weight can express, monotone curves, bags, files."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.learners.additive.additive_ranker import AdditiveRanker
from rankmax.learners.additive.curve_training import DEFAULT_SMOOTHNESS, SMOOTHNESSES
from rankmax.learners.direct.direct_training import Training
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.models.additive_model import AdditiveModel
from rankmax.testing.learners import LearnerContract

RNG = np.random.default_rng(2)
X = RNG.random((360, 3))
BENT = (np.abs(X[:, 0] - 0.5) < 0.15).astype(float) + (X[:, 1] > 0.8)


def bent() -> RankingDataset:
    return RankingDataset.from_arrays(X, BENT, qid=np.arange(360) // 12, feature_names=["age", "clicks", "noise"])


class TestContract(LearnerContract):
    learners = (
        AdditiveRanker("AP", n_knots=6, smoothness=100.0, sweep_knots=True),
        AdditiveRanker("AP", n_knots=4, smoothness=float("inf"), normalization="z-score"),
        AdditiveRanker("nDCG@5", n_knots=4, smoothness=30.0, n_products=1, smoothing=0.0),
        AdditiveRanker("AP", curves="steps", n_knots=6, smoothness=30.0),
    )
    agreement = 0.85


def test_curves_beat_lines_where_the_middle_is_best() -> None:
    parts = [bent().select(np.arange(0, 30, 2)), bent().select(np.arange(1, 30, 2))]
    curves, lines = (learner("AP").fit_dataset(parts[0]) for learner in (AdditiveRanker, LinearRanker))
    assert curves.smoothness_ < float("inf")
    values = [
        learner.score(parts[1].features, parts[1].grades, qid=np.arange(180) // 12) for learner in (curves, lines)
    ]
    assert values[0] > values[1] + 0.1


def test_curves_of_lines_are_nearly_straight_and_lose_little() -> None:
    data = planted_linear(160, 12, 3, noise=0.3, seed=0).data
    train, new = data.select(np.arange(80)), data.select(np.arange(80, 160))
    ranker, lines = (AdditiveRanker("AP", smoothness=given).fit_dataset(train) for given in (None, float("inf")))
    assert list(ranker.held_out_) == list(SMOOTHNESSES)
    assert ranker.smoothness_ >= DEFAULT_SMOOTHNESS
    found, straight = (
        one.score(new.features, new.grades, qid=new.judgments.query_of_document) for one in (ranker, lines)
    )
    assert found > straight - 0.005
    assert lines.model_.provenance.parameters["selected smoothness"] == "straight"
    for curve in lines.model_.curves:
        slopes = np.diff(curve.values) / np.diff(curve.knots)
        np.testing.assert_allclose(slopes, slopes[0], rtol=1e-6)


def test_straight_lines_are_the_linear_rankers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Training, "margin_share", 0.0)  # curves have no part of SVM-map
    data = planted_linear(20, 12, 3, noise=0.3, seed=4).data  # so few documents that codes lose nothing
    for shrinkage, tolerance in ((1.0, 1e-3), (0.75, 0.02)):
        lines = AdditiveRanker("AP", smoothness=float("inf"), shrinkage=shrinkage).fit_dataset(data).model_
        weights = LinearRanker("AP", shrinkage=shrinkage).fit_dataset(data).coef_
        slopes = np.array([np.diff(curve.values)[0] / np.diff(curve.knots)[0] for curve in lines.curves])
        cosine = slopes @ weights / np.linalg.norm(slopes) / np.linalg.norm(weights)
        assert cosine > 1 - tolerance**2


def test_less_smooth_curves_are_selected_where_they_are_clearly_better() -> None:
    rng = np.random.default_rng(5)
    values = rng.exponential(100.0, (1500, 2))
    grades = (np.exp(-values[:, 0] / 8) + np.exp(-values[:, 1] / 8) > 0.5).astype(float)
    parts = [
        RankingDataset.from_arrays(values[rows], grades[rows], qid=np.arange(750) // 15)
        for rows in (slice(0, 750), slice(750, 1500))
    ]
    ranker, smoother = (
        AdditiveRanker("AP", smoothness=given).fit_dataset(parts[0]) for given in (None, DEFAULT_SMOOTHNESS)
    )
    assert ranker.smoothness_ < DEFAULT_SMOOTHNESS
    found, before = (one.score(values[750:], grades[750:], qid=np.arange(750) // 15) for one in (ranker, smoother))
    assert found > before + 0.01
    validated = AdditiveRanker("AP").fit_dataset(parts[0], validation=parts[1])
    assert validated.smoothness_ < DEFAULT_SMOOTHNESS


def test_validation_queries_select_the_smoothness() -> None:
    train, validation = bent().select(np.arange(20)), bent().select(np.arange(20, 30))
    ranker = AdditiveRanker("AP").fit_dataset(train, validation=validation)
    assert ranker.validation_value_ == ranker.model_.training.validation_value
    assert ranker.smoothness_ < DEFAULT_SMOOTHNESS
    best = max(ranker.held_out_.values())
    assert ranker.held_out_[ranker.smoothness_] > best - 0.03


@pytest.mark.parametrize("given", ["age=up", ["age=up", "clicks=down"], {"age": "up", "clicks": "down"}])
def test_monotone_curves_do_not_turn(given: object) -> None:
    model = AdditiveRanker("AP", smoothness=30.0, monotone=given).fit_dataset(bent()).model_
    assert (np.diff(model.curve("age").values) >= 0).all()
    if given != "age=up":
        assert (np.diff(model.curve("clicks").values) <= 0).all()


def test_lines_and_steps_of_few_values_are_the_same_function() -> None:
    rng = np.random.default_rng(3)
    features = np.column_stack([rng.integers(0, 5, 360) ** 2, rng.integers(0, 9, 360), rng.random(360) > 0.5])
    grades = (features[:, 0] % 3 == 1) + (features[:, 1] > 5.0)
    data = RankingDataset.from_arrays(features.astype(float), grades, qid=np.arange(360) // 12)
    for given in ({"sweep_knots": True}, {"smoothness": float("inf")}, {"monotone": "f2=up"}):
        lines, steps = (
            AdditiveRanker("AP", curves=curves, **{"smoothness": 30.0, **given}).fit_dataset(data)
            for curves in ("lines", "steps")
        )
        assert {curve.kind for curve in steps.model_.curves} == {"constant"}
        np.testing.assert_allclose(steps.model_.scores(data), lines.model_.scores(data), atol=1e-4)


def test_steps_bend_and_keep_to_monotone_ways() -> None:
    parts = [bent().select(np.arange(0, 30, 2)), bent().select(np.arange(1, 30, 2))]
    steps, lines = (AdditiveRanker("AP", curves=curves).fit_dataset(parts[0]) for curves in ("steps", "lines"))
    values = [learner.score(parts[1].features, parts[1].grades, qid=np.arange(180) // 12) for learner in (steps, lines)]
    assert values[0] > values[1] - 0.05
    monotone = AdditiveRanker("AP", curves="steps", smoothness=30.0, monotone={"age": "up", "clicks": "down"})
    model = monotone.fit_dataset(bent()).model_
    for name, way in (("age", 1.0), ("clicks", -1.0)):
        assert (way * np.diff(model.curve(name).values) > 0).all()  # equal neighbors are one step


def test_bags_give_deviations_and_another_mean() -> None:
    one = AdditiveRanker("AP", smoothness=30.0, n_bags=3, seed=1).fit_dataset(bent()).model_
    assert all(curve.deviations is not None for curve in one.curves)
    assert one.curve("age").deviations.max() > 0.01
    again = AdditiveRanker("AP", smoothness=30.0, n_bags=3, seed=1).fit_dataset(bent()).model_
    assert again.to_json() == one.to_json()
    assert AdditiveRanker("AP", smoothness=30.0).fit_dataset(bent()).model_.curve("age").deviations is None


def test_the_model_keeps_the_weights_of_the_linear_fit_and_its_own_record() -> None:
    ranker = AdditiveRanker("AP", smoothness=30.0).fit_dataset(bent())
    assert isinstance(ranker.model_, AdditiveModel)
    assert ranker.model_.curve("clicks").weight > 0
    assert ranker.model_.training.value == ranker.value_
    assert AdditiveModel.from_json(ranker.model_.to_json()).to_json() == ranker.model_.to_json()


def test_straight_lines_have_two_knots_and_features_without_effect_none() -> None:
    data = RankingDataset.from_arrays(np.c_[X, np.ones(360)], BENT, qid=np.arange(360) // 12)
    straight = AdditiveRanker("AP", smoothness=float("inf")).fit_dataset(data).model_
    assert [curve.knots.size for curve in straight.curves] == [2, 2, 2, 0]
    assert straight.used == [0, 1, 2]
    assert straight.curve("f1").knots.tolist() == [X[:, 0].min(), X[:, 0].max()]
    bent_curve = AdditiveRanker("AP", smoothness=30.0).fit_dataset(data).model_.curve("f1")
    assert bent_curve.knots.size > 10
    assert all(value == round(value, 6) for value in bent_curve.values.tolist())


def test_query_weights_of_zero_leave_queries_out() -> None:
    data = bent()
    weights = (np.arange(30) < 15).astype(float)
    part = AdditiveRanker("AP", smoothness=30.0, n_knots=4)
    weighted = part.fit_dataset(data, query_weights=weights).model_
    spoiled = RankingDataset.from_arrays(
        X,
        np.where(np.arange(360) < 180, BENT, RNG.integers(0, 3, 360)),
        qid=np.arange(360) // 12,
        feature_names=data.feature_names,
    )
    other = part.fit_dataset(spoiled, query_weights=weights).model_
    for one, two in zip(weighted.curves, other.curves, strict=True):
        np.testing.assert_allclose(one.values, two.values, atol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"curves": "cubic"}, "unknown curves 'cubic'. Known: lines, steps"),
        ({"curves": None}, "curves is None; expected lines or steps"),
        ({"n_knots": 1}, "n_knots is 1; expected a whole number from 2 on"),
        ({"n_bags": -1}, "n_bags is -1"),
        ({"seed": True}, "seed is True"),
        ({"shrinkage": 1.5}, "shrinkage is 1.5; expected a number from 0 to 1"),
        ({"smoothing": float("inf")}, "smoothing is inf; expected a nonnegative finite number"),
        ({"smoothness": 0.0}, "smoothness is 0.0; expected a positive number, or inf"),
        ({"monotone": "age"}, "expected a feature and its way"),
        ({"monotone": ["age=up", "age=down"]}, "two ways"),
    ],
)
def test_bad_parameters_are_refused(parameters: dict, message: str) -> None:
    with pytest.raises((InvalidParameterError, UnknownNameError), match=message):
        AdditiveRanker("AP", **parameters).fit_dataset(bent())


def test_an_unknown_monotone_feature_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown feature 'recency'\. Known: age, clicks, noise"):
        AdditiveRanker("AP", monotone="recency=up").fit_dataset(bent())


def test_a_query_without_documents_changes_little() -> None:
    data = bent()
    judgments = Judgments.from_grades(
        data.grades, np.append(data.query_offsets, 360), query_ids=[*data.query_ids, "empty"]
    )
    one = AdditiveRanker("AP", smoothness=30.0, n_knots=4).fit_dataset(data)
    other = AdditiveRanker("AP", smoothness=30.0, n_knots=4).fit_dataset(
        RankingDataset(data.features, data.feature_names, judgments)
    )
    for curve, same in zip(one.model_.curves, other.model_.curves, strict=True):
        np.testing.assert_allclose(curve.values, same.values, atol=0.1)
