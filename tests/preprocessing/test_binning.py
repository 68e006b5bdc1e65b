"""Binned features: thresholds, indicators, their names, and models that need nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array

from rankmax.data.binned_matrix import ABSENT
from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.learners.pairwise.ranking_svm import RankingSVM
from rankmax.learners.pointwise.classification_svm import ClassificationSVM
from rankmax.learners.pointwise.maximum_entropy import MaximumEntropyRanker
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP
from rankmax.models import LinearModel
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.preprocessing.binning import Binning, features_by_name
from rankmax.preprocessing.feature_normalization import MinMax, Percentile


def one_feature(values: list[float], name: str = "f") -> RankingDataset:
    return RankingDataset.from_arrays(
        np.array(values)[:, None], np.zeros(len(values)), qid=np.zeros(len(values)), feature_names=[name]
    )


finite = st.floats(allow_nan=False, allow_infinity=False)


def test_names_are_short() -> None:
    data = planted_linear(10, 30, 2, seed=1).data
    assert max(map(len, Binning.fit(data).feature_names)) <= 10


@given(st.lists(finite, min_size=2, max_size=30), st.integers(1, 8), st.sampled_from(["quantiles", "even"]))
def test_indicators_are_comparisons(values: list[float], n: int, spacing: str) -> None:
    data = one_feature(values)
    if min(values) == max(values):
        with pytest.raises(InvalidDataError, match="all 1 features are constant; there is nothing to bin"):
            Binning.fit(data)
        return
    if spacing == "even" and not np.isfinite(max(values) - min(values)):
        return
    binning = Binning.fit(data, n_thresholds=n, spacing=spacing)  # type: ignore[arg-type]
    thresholds = binning.thresholds["f"]
    assert 1 <= thresholds.size <= n
    binned = binning.apply(data)
    assert np.array_equal(binned.features.toarray(), np.array(values)[:, None] > thresholds)
    if spacing == "quantiles":  # every threshold separates something
        n_ones = binned.features.toarray().sum(axis=0)
        assert (np.diff(n_ones) < 0).all()
        assert 0 < n_ones[-1] <= n_ones[0] < len(values)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=30))
def test_few_distinct_values_are_all_told_apart(values: list[int]) -> None:
    if min(values) < max(values):
        assert Binning.fit(one_feature(list(map(float, values)))).thresholds["f"].size == len(set(values)) - 1


def test_svm_acc3_and_acc4_have_50_values_between_0_and_1() -> None:
    data = planted_linear(5, 30, 2, seed=3).data
    for normalization in (Percentile(), MinMax()):
        binning = Binning.fit(data, spacing="even", region=(0, 1), normalization=normalization)
        assert binning.thresholds["f1"].size == 50
        np.testing.assert_allclose(binning.thresholds["f1"], np.arange(1, 51) / 51, atol=0.0002)
        normalized = normalization.apply(data)
        expected = np.hstack([normalized.column(j)[:, None] > binning.thresholds[f"f{j + 1}"] for j in range(2)])
        assert np.array_equal(binning.apply(data).features.toarray(), expected)
        assert binning.apply(data).feature_names[0] == f"{normalization.name}(f1)>0.0196"


def test_sparse_data_can_be_binned() -> None:
    data = planted_linear(5, 30, 3, seed=4).data
    X = np.where(np.array(data.features) > 0.5, data.features, 0.0)
    dense, sparse = (
        RankingDataset.from_arrays(form, data.grades, qid=data.judgments.query_of_document)
        for form in (X, csc_array(X))
    )
    for normalization in ("none", "percentile"):
        binning = Binning.fit(dense, normalization=normalization)
        assert binning.feature_names == Binning.fit(sparse, normalization=normalization).feature_names
        assert np.array_equal(binning.apply(dense).features.toarray(), binning.apply(sparse).features.toarray())


def test_absent_values_pass_no_threshold_and_choose_none() -> None:
    judgments = Judgments.from_grades([1, 0, 0, 0, 1, 0], [0, 4, 6])
    features = np.array([[-5.0, np.nan, -1.0, -3.0, np.nan, -2.0]]).T
    data = RankingDataset(features, ("run",), judgments)
    present = RankingDataset.from_arrays([[-5.0], [-1.0], [-3.0], [-2.0]], np.zeros(4), qid=[0, 0, 0, 1])
    for normalization in ("none", "percentile", "min-max"):
        expected = Binning.fit(present, normalization=normalization)  # of the values that there are
        binning = Binning.fit(data, normalization=normalization)
        assert list(map(list, binning.thresholds.values())) == list(map(list, expected.thresholds.values()))
        rows = binning.apply(data).features.toarray()
        assert not rows[[1, 4]].any()
        assert np.array_equal(rows[[0, 2, 3, 5]], expected.apply(present).features.toarray())
        by_name = features_by_name(data, binning.feature_names)  # as a model scores them
        assert np.array_equal(by_name.features.toarray(), rows)
        assert (by_name.features.codes[[1, 4]] == ABSENT).all()
        assert (by_name.features.codes[[0, 2, 3, 5]] != ABSENT).all()


def test_constant_features_are_left_out() -> None:
    X = np.column_stack([np.ones(10), np.arange(10.0)])
    data = RankingDataset.from_arrays(X, np.zeros(10), qid=np.zeros(10))
    binning = Binning.fit(data, n_thresholds=3)
    assert binning.apply(data).feature_names == ("f2>2.5", "f2>4.5", "f2>7.5")
    assert binning.apply(data.select_features(["f2"])).n_features == 3


def test_unseen_data_are_compared_with_the_same_thresholds() -> None:
    binning = Binning.fit(one_feature([1.0, 2.0, 3.0]))
    assert binning.apply(one_feature([-5.0, 2.2, 9.0])).features.toarray().tolist() == [[0, 0], [1, 0], [1, 1]]
    with pytest.raises(InvalidDataError, match="lacks 1 of 1 features: f; it has g"):
        binning.apply(one_feature([1.0], name="g"))


def test_features_by_name_take_what_is_there_and_make_the_rest() -> None:
    X = [[1.0, 7.0, 0.0], [3.0, 8.0, 1.0]]
    data = RankingDataset.from_arrays(X, [1, 0], qid=[7, 7], feature_names=["a", "b", "b>7.5"])
    assert features_by_name(data, ["b", "a"]) is not data
    assert features_by_name(data, ["a", "b", "b>7.5"]) is data
    made = features_by_name(data, ["a>2", "b>7.5", "percentile(a)>0.5", "b", "a>0"])
    assert made.feature_names == ("a>2", "b>7.5", "percentile(a)>0.5", "b", "a>0")
    assert made.features.toarray().tolist() == [[0, 0, 0, 7, 1], [1, 1, 1, 8, 1]]
    with pytest.raises(InvalidDataError, match=r"lacks 2 of 2 features: d, c; it has a, b, b>7.5"):
        features_by_name(data, ["a>2", "c>1", "c>2", "d"])


def test_a_feature_that_is_called_like_a_normalized_one_is_taken_as_it_is() -> None:
    data = one_feature([5.0, 9.0], name="min-max(a)")
    assert features_by_name(data, ["min-max(a)>7"]).features.toarray().tolist() == [[0], [1]]


@pytest.mark.parametrize(
    "learner",
    [
        LinearRanker("AP", n_restarts=1, optimizer=CoordinateAscent()),
        MaximumEntropyRanker(),
        RankingSVM(),
        ClassificationSVM(C=1.0, standardize=False),
    ],
)
@pytest.mark.parametrize("normalization", ["none", "percentile"])
def test_a_model_of_binned_features_scores_the_base_features(learner: object, normalization: str) -> None:
    data = planted_linear(20, 15, 4, noise=0.3, seed=5).data
    binned = Binning.fit(data, n_thresholds=8, normalization=normalization).apply(data)
    learned = learner.fit_dataset(binned)  # type: ignore[attr-defined]
    model = LinearModel.from_json(learned.model_.to_json())
    assert learned.value_ > 0.8
    assert np.array_equal(model.scores(data), model.scores(binned))


def test_exact_lines_along_indicators() -> None:
    """Direct maximization moves one indicator at a time: the predicted value is what the new weights give."""
    data = planted_linear(12, 20, 3, noise=0.5, seed=6).data
    binned = Binning.fit(data, n_thresholds=6).apply(data)
    objective = LinearObjective(binned, AP())
    dense = LinearObjective(
        RankingDataset(binned.features.toarray(order="F"), binned.feature_names, binned.judgments), AP()
    )
    point = objective.at(np.random.default_rng(2).normal(size=binned.n_features))
    for axis in np.eye(binned.n_features):
        along, densely = (problem.step_function(point, axis) for problem in (objective, dense))
        assert np.array_equal(along.breakpoints, densely.breakpoints)
        assert np.array_equal(along.values, densely.values)
        best = along.best()
        assert objective.at(point.weights + best.middle * axis).value == pytest.approx(best.value)


def test_binning_finds_what_no_weight_of_the_feature_itself_can() -> None:
    rng = np.random.default_rng(7)
    X = rng.uniform(-1, 1, size=(300, 1))
    grades = (np.abs(X[:, 0]) < 0.3).astype(float)  # relevant in the middle
    data = RankingDataset.from_arrays(X, grades, qid=np.repeat(np.arange(10), 30))
    straight = MaximumEntropyRanker().fit_dataset(data)
    binned = MaximumEntropyRanker().fit_dataset(Binning.fit(data).apply(data))
    assert binned.value_ > 0.95 > straight.value_ + 0.3


def test_mistakes_are_named() -> None:
    data = one_feature([1.0, 2.0])
    with pytest.raises(InvalidParameterError, match="n_thresholds is 0"):
        Binning.fit(data, n_thresholds=0)
    with pytest.raises(UnknownNameError, match="unknown spacing 'quantile'; did you mean 'quantiles'"):
        Binning.fit(data, spacing="quantile")  # type: ignore[arg-type]
    for spacing, region in (("quantiles", (0, 1)), ("even", (1, 1)), ("even", (0, np.inf))):
        with pytest.raises(InvalidParameterError, match="expected two ascending numbers"):
            Binning.fit(data, spacing=spacing, region=region)  # type: ignore[arg-type]
    for thresholds in ([2.0, 1.0], [np.nan]):
        with pytest.raises(InvalidDataError, match="thresholds of 'f' must be finite numbers that ascend"):
            Binning({"f": np.array(thresholds)})
