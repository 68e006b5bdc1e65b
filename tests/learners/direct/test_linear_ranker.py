from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.splits import k_folds, letor_folds
from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.formats.letor import read_letor
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.learners.direct.margin_fit import fit_margins_over
from rankmax.learners.direct.training_progress import TrainingProgress
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.linear_fit import fit_linear
from rankmax.metrics import AP, nDCG
from rankmax.models import LinearModel
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.optimizer import Budget
from rankmax.preprocessing.binning import Binning
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.spaces import space_named
from rankmax.testing.learners import LearnerContract

NOISY = planted_linear(15, 10, 6, noise=0.7, seed=2).data


class TestContract(LearnerContract):
    learners = (
        LinearRanker(n_restarts=1),
        LinearRanker("AP", n_restarts=1, normalization="min-max"),
    )
    agreement = 0.85
    closeness = 0.2  # the middle of a plateau moves when rows do


class TestContractOfBags(LearnerContract):
    learners = (LinearRanker("nDCG@5", n_bags=4),)
    agreement = 0.85
    closeness = 0.3  # queries in another order make other samples


@pytest.mark.parametrize("space", ["euclidean", "simplex", "augmented-simplex"])
def test_value_is_that_of_the_model_on_the_training_data(space: str) -> None:
    data = planted_linear(15, 10, 4, noise=0.7, seed=2).data
    ranker = LinearRanker(AP(), space=space, n_restarts=3, shrinkage=0.0).fit_dataset(data)
    assert evaluate_scores(ranker.model_.scores(data), data, ["AP"]).means[0] == pytest.approx(ranker.value_, abs=1e-9)
    assert len(ranker.ascents_) == 3
    assert ranker.value_ == max(ascent.value for ascent in ranker.ascents_)


def test_negative_weights_need_another_space_than_the_simplex() -> None:
    problem = planted_linear(30, 12, 3, seed=8)
    assert (problem.weights < 0).any()
    values = {
        space: LinearRanker("AP", space=space, n_restarts=3).fit_dataset(problem.data).value_
        for space in ("euclidean", "simplex", "augmented-simplex")
    }
    assert values["simplex"] < values["euclidean"] - 0.01
    assert values["augmented-simplex"] == pytest.approx(values["euclidean"], abs=0.02)


def test_same_seed_same_model() -> None:
    data = planted_linear(15, 10, 4, noise=0.7, seed=2).data
    first, second = (LinearRanker("RR", n_restarts=4, seed=5).fit_dataset(data).model_ for _ in range(2))
    assert first.to_json() == second.to_json()


def test_provenance_names_every_parameter() -> None:
    data = planted_linear(8, 6, 2, seed=2).data
    optimizer = CoordinateAscent(budget=Budget(lines=5))
    ranker = LinearRanker(nDCG() @ 3, n_restarts=1, optimizer=optimizer).fit_dataset(data)
    assert all(ascent.n_lines <= 5 for ascent in ranker.ascents_)
    again = LinearModel.from_json(ranker.model_.to_json())
    assert again.metric == "nDCG@3"
    assert again.provenance.parameters["optimizer"] == repr(optimizer)
    assert again.provenance.parameters["space"] == "euclidean"


def stopping_after(n_reports: int) -> Callable[[TrainingProgress], None]:
    told: list[TrainingProgress] = []

    def stop(progress: TrainingProgress) -> None:
        told.append(progress)
        if len(told) == n_reports:
            raise KeyboardInterrupt

    return stop


@pytest.mark.parametrize(("n_bags", "n_reports"), [(0, 1), (0, 2), (0, 6), (2, 7)])
def test_an_interrupted_training_goes_on_to_the_same_bits(n_bags: int, n_reports: int, tmp_path: Path) -> None:
    ranker = LinearRanker("AP", n_restarts=2, n_bags=n_bags, optimizer=CoordinateAscent(shuffled=True), seed=9)
    whole = ranker.fit_dataset(NOISY).model_
    ranker.fit_dataset(NOISY, callback=stopping_after(n_reports), checkpoint=tmp_path / "journal")
    assert ranker.stopped_by_ == "interrupted"
    assert ranker.model_.training is not None
    assert ranker.model_.training.stopped_by == "interrupted"
    objective = LinearObjective(NOISY, AP())
    assert ranker.value_ == objective.at(ranker.coef_).value
    assert ranker.fit_dataset(NOISY, checkpoint=tmp_path / "journal").model_.to_json() == whole.to_json()


def test_an_interrupt_before_there_is_anything_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rankmax.learners.direct.direct_training.fit_linear_over", interrupt)
    with pytest.raises(KeyboardInterrupt):
        LinearRanker("AP").fit_dataset(NOISY)


def test_more_starts_can_be_added_to_a_checkpoint(tmp_path: Path) -> None:
    few = LinearRanker("AP", n_restarts=2).fit_dataset(NOISY, checkpoint=tmp_path / "journal")
    more = LinearRanker("AP", n_restarts=4).fit_dataset(NOISY, checkpoint=tmp_path / "journal")
    again = LinearRanker("AP", n_restarts=4).fit_dataset(NOISY)
    assert [a.value for a in more.ascents_] == [a.value for a in again.ascents_]
    assert [a.value for a in more.ascents_[:2]] == [a.value for a in few.ascents_]


@pytest.mark.parametrize("change", [{"seed": 1}, {"metric": "RR"}, {"space": "simplex"}, {"normalization": "min-max"}])
def test_a_checkpoint_of_another_training_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    LinearRanker("AP", n_restarts=1).fit_dataset(NOISY, checkpoint=tmp_path / "journal")
    name = next(iter(change))
    with pytest.raises(IncompatibleError, match=f"journal of another training: {name} was"):
        LinearRanker(**{"metric": "AP", "n_restarts": 1, **change}).fit_dataset(NOISY, checkpoint=tmp_path / "journal")
    with pytest.raises(IncompatibleError, match="query_weights was None"):
        LinearRanker("AP", n_restarts=1).fit_dataset(
            NOISY, query_weights=np.arange(15.0), checkpoint=tmp_path / "journal"
        )


def test_time_limit_takes_the_best_so_far_and_can_be_extended(tmp_path: Path) -> None:
    ranker = LinearRanker("AP", n_restarts=3, time_limit=1e-9)
    ranker.fit_dataset(NOISY, checkpoint=tmp_path / "journal")
    assert (ranker.stopped_by_, len(ranker.ascents_)) == ("seconds", 1)
    ranker.set_params(time_limit=None).fit_dataset(NOISY, checkpoint=tmp_path / "journal")
    assert ranker.stopped_by_ == "converged"
    assert ranker.coef_.tolist() == LinearRanker("AP", n_restarts=3).fit_dataset(NOISY).coef_.tolist()


@pytest.mark.parametrize("space", ["euclidean", "augmented-simplex"])
def test_validation_queries_choose_among_all_points(space: str) -> None:
    validation = planted_linear(15, 10, 6, noise=0.7, seed=99).data
    ranker = LinearRanker("AP", n_restarts=3, space=space, normalization="min-max", shrinkage=0.0)
    ranker.fit_dataset(NOISY, validation=validation)
    objective = LinearObjective(Normalization.named("min-max").apply(validation), AP())
    restore = space_named(space).restore
    seen = [objective.at(restore(p.weights)).value for ascent in ranker.ascents_ for p in ascent.history]
    assert ranker.validation_value_ == max(seen)
    assert ranker.validation_value_ == pytest.approx(
        evaluate_scores(ranker.model_.scores(validation), validation, ["AP"]).means[0]
    )
    assert ranker.value_ < max(ascent.value for ascent in ranker.ascents_)


def test_shrinkage_goes_from_the_best_weights_to_the_surrogate() -> None:
    def ranked(shrinkage: float, **validation: RankingDataset) -> LinearRanker:
        return LinearRanker("AP", n_restarts=1, shrinkage=shrinkage, smoothing=0.0).fit_dataset(NOISY, **validation)

    found, halfway, surrogate = ranked(0.0), ranked(0.5), ranked(1.0)
    assert found.value_ == found.ascents_[0].value
    assert surrogate.value_ == pytest.approx(found.ascents_[0].history[0].value)

    def direction(ranker: LinearRanker) -> F64:
        scores = ranker.model_.scores(NOISY).reshape(NOISY.n_queries, -1)
        centered = scores - scores.mean(axis=1, keepdims=True)
        return centered / centered.std()

    average = direction(found) + direction(surrogate)
    np.testing.assert_allclose(direction(halfway), average / average.std(), atol=1e-9)
    X, grades = (np.concatenate([np.array(part)] * 4) for part in (NOISY.features, NOISY.grades))
    copies = RankingDataset.from_arrays(X, grades, qid=np.arange(grades.size) // (grades.size // (4 * NOISY.n_queries)))
    chosen = ranked(0.5, validation=copies)  # enough of the queries learned from would have nothing shrunk
    assert chosen.value_ == pytest.approx(found.value_, abs=1e-12)


def test_smoothing_is_the_default_and_0_maximizes_the_metric_itself() -> None:
    default, exact = LinearRanker("AP", shrinkage=0.0), LinearRanker("AP", n_restarts=1, shrinkage=0.0, smoothing=0.0)
    assert default.fit_dataset(NOISY).value_ < exact.fit_dataset(NOISY).value_
    assert len(default.ascents_) == 1
    same = LinearRanker("AP", shrinkage=0.0, smoothing=0.5).fit_dataset(NOISY)
    np.testing.assert_array_equal(same.coef_, default.coef_)
    other = LinearRanker("AP", shrinkage=0.0, smoothing=0.1).fit_dataset(NOISY)
    assert not np.array_equal(other.coef_, default.coef_)


def test_the_surrogate_averages_fits_by_the_probability_that_each_is_the_better_one() -> None:
    def scaled(data: RankingDataset, weights: F64) -> F64:
        scores = data.scores(weights).reshape(data.n_queries, -1)
        found: F64 = weights / (scores - scores.mean(axis=1, keepdims=True)).std()
        return found

    def values(data: RankingDataset, weights: F64) -> F64:
        return AP().per_query(data.scores(weights), data.judgments)

    def smooth(data: RankingDataset, kept: F64) -> F64:
        losses = CrossEntropy(), ProportionalCrossEntropy()
        first, second = (fit_linear(loss, data, query_weights=kept, ridge=40 / kept.sum()).weights for loss in losses)
        difference = kept * (values(data, first) - values(data, second))
        share = norm.cdf(difference.sum() / np.linalg.norm(difference))
        average: F64 = share * scaled(data, first) + (1 - share) * scaled(data, second)
        return average

    def margins(data: RankingDataset, kept: F64) -> F64:
        found = fit_margins_over(LinearObjective(data, AP(), query_weights=kept))
        assert found is not None
        return found

    for n_queries in (8, NOISY.n_queries):
        few = NOISY.select(np.arange(n_queries))
        difference = np.zeros(n_queries)
        for fold in k_folds(n_queries, 3, seed=0):
            learned = np.isin(np.arange(n_queries), fold.train).astype(np.float64)
            better = values(few, margins(few, learned)) - values(few, smooth(few, learned))
            difference[fold.test] = better[fold.test]
        share = norm.cdf(difference.sum() / np.linalg.norm(difference)) / 2
        everything = np.ones(n_queries)
        average = (1 - share) * scaled(few, smooth(few, everything)) + share * scaled(few, margins(few, everything))
        found = LinearRanker("AP", shrinkage=1.0).fit_dataset(few).coef_
        np.testing.assert_allclose(scaled(few, found), scaled(few, average), rtol=1e-9)
        with_default = LinearRanker("AP").fit_dataset(few).coef_
        np.testing.assert_array_equal(with_default, LinearRanker("AP", shrinkage=0.75).fit_dataset(few).coef_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"smoothing": -0.1}, "smoothing is -0.1"),
        ({"smoothing": math.inf}, "smoothing is inf"),
        ({"smoothing": 0.5, "optimizer": CoordinateAscent()}, "not for CoordinateAscent"),
    ],
)
def test_smoothing_is_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        LinearRanker("AP", **parameters).fit_dataset(NOISY)


def right_where_small(n_queries: int) -> RankingDataset:
    scale = np.repeat([0.01] * (n_queries * 9 // 10) + [-100.0] * (n_queries // 10), 2)
    grades = np.tile([1.0, 0.0], n_queries)
    X = np.stack([grades * scale, np.random.default_rng(0).normal(size=2 * n_queries)], axis=1)
    return RankingDataset.from_arrays(X, grades, qid=np.repeat(np.arange(n_queries), 2))


def test_shrinkage_stops_before_a_single_feature_would_do_better() -> None:
    """The first feature is right in 54 queries, but the surrogate sees the others, where it is large and wrong."""
    data = right_where_small(60)
    alone = evaluate_scores(data.scores([1.0, 0.0]), data, ["AP"]).means[0]
    surrogate = fit_linear(CrossEntropy(), data).weights
    assert evaluate_scores(data.scores(surrogate), data, ["AP"]).means[0] < alone
    assert LinearRanker("AP", n_restarts=2, shrinkage=1.0).fit_dataset(data).value_ >= alone


def test_a_single_feature_that_may_be_better_by_chance_leaves_the_share() -> None:
    """Of ten queries, the best of two features is better by less than two standard errors."""
    data = right_where_small(10)
    default = LinearRanker("AP", shrinkage=1.0).fit_dataset(data)
    alone = evaluate_scores(data.scores([1.0, 0.0]), data, ["AP"]).means[0]
    assert default.value_ < alone
    difference = AP().per_query(data.scores([1.0, 0.0]), data.judgments) - AP().per_query(
        default.model_.scores(data), data.judgments
    )
    assert 0 < difference.sum() < 2 * np.linalg.norm(difference)


@pytest.mark.parametrize("wrong", [-0.1, 1.5, float("nan")])
def test_wrong_shrinkage(wrong: float) -> None:
    with pytest.raises(InvalidParameterError, match=r"shrinkage is .* from 0 to 1"):
        LinearRanker(shrinkage=wrong).fit_dataset(NOISY)


def test_validation_data_is_matched_by_name() -> None:
    mirrored = NOISY.select_features(NOISY.feature_names[::-1])
    ranker = LinearRanker("AP", n_restarts=1).fit_dataset(NOISY, validation=mirrored)
    assert ranker.validation_value_ == pytest.approx(ranker.value_)


def test_weighted_queries_count_as_often() -> None:
    weights = np.array([3.0, 0.0, 1.0, 1.0, 2.0] + [1.0] * 10)
    weighted = LinearRanker("AP", n_restarts=2).fit_dataset(NOISY, query_weights=weights)
    by_id = LinearRanker("AP", n_restarts=2).fit(
        NOISY.features,
        NOISY.grades,
        qid=NOISY.judgments.query_of_document,
        query_weights=dict(enumerate(weights)),
    )
    assert by_id.coef_.tolist() == weighted.coef_.tolist()
    values = evaluate_scores(weighted.model_.scores(NOISY), NOISY, ["AP"]).values[0]
    assert weighted.value_ == pytest.approx(np.average(values, weights=weights))
    assert (
        weighted.value_
        >= LinearObjective(NOISY, AP(), query_weights=weights)
        .at(LinearRanker("AP", n_restarts=2).fit_dataset(NOISY).coef_)
        .value
        - 0.02
    )


def test_bags_are_averaged_into_one_model() -> None:
    ranker = LinearRanker("AP", n_bags=4).fit_dataset(NOISY)
    record = ranker.model_.training
    assert record is not None
    assert (record.n_ascents, len(record.bag_values), record.curve) == (4, 4, ())
    assert ranker.value_ == LinearObjective(NOISY, AP()).at(ranker.coef_).value
    simplex = LinearRanker("AP", n_bags=3, space="simplex").fit_dataset(NOISY)
    assert space_named("simplex").contains(simplex.coef_)


def test_bags_of_a_single_query_have_nothing_to_be_judged_by() -> None:
    one = NOISY.select([0])
    assert LinearRanker("AP", n_bags=2).fit_dataset(one).value_ > 0.5


def test_the_training_curve_is_that_of_the_best_ascent() -> None:
    ranker = LinearRanker("AP", n_restarts=3).fit_dataset(NOISY)
    best = max(ranker.ascents_, key=lambda ascent: ascent.value)
    record = LinearModel.from_json(ranker.model_.to_json()).training
    assert record is not None
    assert record.curve == tuple((p.n_lines, p.value) for p in best.history)
    assert record.n_lines == sum(ascent.n_lines for ascent in ranker.ascents_)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("n_restarts", 0), ("n_restarts", 1.5), ("n_bags", -1), ("n_jobs", 0), ("seed", -1), ("time_limit", 0.0)],
)
def test_bad_parameters(parameter: str, value: float) -> None:
    data = planted_linear(3, 4, 2, seed=1).data
    with pytest.raises(InvalidParameterError, match=f"{parameter} is {value}; expected"):
        LinearRanker(**{parameter: value}).fit_dataset(data)


def test_beats_least_squares_on_the_metric_it_maximizes(shared_data: Path) -> None:
    from rankmax.learners.pointwise.least_squares import LeastSquaresRanker

    parts = [read_letor(shared_data / "letor" / "MQ2008" / f"S{i}.txt.gz") for i in range(1, 6)]
    train = next(iter(letor_folds(parts))).train
    direct = LinearRanker("nDCG@10", n_restarts=1).fit_dataset(train)
    baseline = LeastSquaresRanker().fit_dataset(train).model_
    assert direct.value_ > np.mean(evaluate_scores(baseline.scores(train), train, ["nDCG@10"]).values) + 0.01


def test_binned_features_bend_what_is_learned() -> None:
    rng = np.random.default_rng(1)
    age = rng.uniform(0, 10, 240)
    grades = np.abs(age - 4) + rng.normal(0, 0.3, 240) < 1.5  # neither too young nor too old
    data = RankingDataset.from_arrays(age[:, None], grades, qid=np.repeat(range(12), 20))
    indicators = Binning.fit(data, n_thresholds=8).apply(data)
    assert not isinstance(indicators.features, np.ndarray)  # but sparse
    straight, bent = (LinearRanker("AP", n_restarts=1).fit_dataset(one) for one in (data, indicators))
    assert bent.value_ > straight.value_ + 0.3
    np.testing.assert_array_equal(bent.model_.scores(data), bent.model_.scores(indicators))
