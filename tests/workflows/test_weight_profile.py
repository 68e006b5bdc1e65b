from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidDataError, UnknownNameError
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.metrics import parse_metric
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import MinMax, Unchanged
from rankmax.workflows.weight_profile import profile_weight

DATA = planted_linear(12, 8, 4, noise=0.5, seed=3).data


@pytest.mark.parametrize("normalization", [Unchanged(), MinMax()], ids=lambda n: n.name)
@pytest.mark.parametrize("metric", ["AP", "nDCG@3", "ERR@5"])
@pytest.mark.parametrize("feature", ["f1", "f3"])
def test_equals_the_model_with_its_weight_replaced(normalization, metric: str, feature: str) -> None:
    names, weights = ("f4", "f1", "f2"), np.array([0.5, -1.0, 2.0])
    model = LinearModel(weights, names, normalization)
    measure = parse_metric(metric)
    profile = profile_weight(model, DATA, feature, measure)
    points = profile.function.breakpoints
    assert points.size > 20
    at = np.concatenate([[points[0] - 1], (points[1:] + points[:-1]) / 2, [points[-1] + 1]])
    at = at[:: max(1, at.size // 25)]
    for weight, predicted in zip(at, profile.function(at), strict=True):
        replaced = dict(zip(names, weights, strict=True)) | {feature: weight}
        other = LinearModel(np.array(list(replaced.values())), tuple(replaced), normalization)
        assert evaluate_scores(other.scores(DATA), DATA, [measure]).means[0] == pytest.approx(predicted, abs=1e-12)


def test_now_is_what_the_model_gives() -> None:
    model = LinearModel(np.array([0.5, -1.0]), ("f4", "f1"))
    profile = profile_weight(model, DATA, "f1", parse_metric("AP"))
    assert profile.weight == -1.0
    assert profile.value == evaluate_scores(model.scores(DATA), DATA, [parse_metric("AP")]).means[0]
    assert profile.best.value == profile.function.values.max()


def test_a_feature_that_the_model_lacks_has_weight_zero() -> None:
    with_it, without = (
        profile_weight(LinearModel(np.array(weights), names), DATA, "f2", parse_metric("AP"))
        for weights, names in (([1.0, 0.0], ("f1", "f2")), ([1.0], ("f1",)))
    )
    assert with_it.weight == without.weight == 0.0
    np.testing.assert_array_equal(with_it.function.breakpoints, without.function.breakpoints)
    np.testing.assert_array_equal(with_it.function.values, without.function.values)


def test_only_features_of_zero_weight_may_be_absent() -> None:
    profile_weight(LinearModel(np.array([1.0, 0.0]), ("f1", "gone")), DATA, "f1", parse_metric("AP"))
    with pytest.raises(InvalidDataError, match=r"lacks 1 of 2 features: .*gone"):
        profile_weight(LinearModel(np.array([1.0, 2.0]), ("f1", "gone")), DATA, "f1", parse_metric("AP"))


def test_unknown_feature() -> None:
    model = LinearModel(np.array([1.0]), ("bm25",))
    data = RankingDataset.from_arrays([[1.0], [2.0]], [0, 1], qid=[1, 1], feature_names=["bm25"])
    with pytest.raises(UnknownNameError, match="unknown feature 'bm52'; did you mean 'bm25'"):
        profile_weight(model, data, "bm52", parse_metric("AP"))


def test_a_metric_without_tables_is_followed_too() -> None:
    data = RankingDataset.from_arrays([[1.0, 0.0], [2.0, 3.0]], [0, 1], qid=[1, 1], feature_names=["a", "b"])
    profile = profile_weight(LinearModel(np.array([-1.0]), ("a",)), data, "b", parse_metric("Bpref"))
    assert profile.function.breakpoints == pytest.approx([1 / 3])
    assert (profile.value, profile.best.value) == (0.0, 1.0)


def test_an_indicator_is_made_from_the_feature_it_is_of() -> None:
    model = LinearModel(np.array([1.0, 0.5]), ("f1", "f2>0.5"))
    profile = profile_weight(model, DATA, "f2>0.5", parse_metric("AP"))
    assert profile.weight == 0.5
    assert profile.value == evaluate_scores(model.scores(DATA), DATA, [parse_metric("AP")]).means[0]


def test_the_interval_within_one_standard_error_is_around_the_best() -> None:
    model = LinearModel(np.array([0.5, -1.0, 0.3]), ("f4", "f1", "f2"))
    profile = profile_weight(model, DATA, "f2", parse_metric("AP"))
    at_best = LinearModel(np.array([0.5, -1.0, profile.best_weight]), ("f4", "f1", "f2"))
    values = evaluate_scores(at_best.scores(DATA), DATA, ["AP"]).values[0]
    assert profile.standard_error == pytest.approx(np.std(values, ddof=1) / np.sqrt(values.size))
    level, edges = profile.best.value - profile.standard_error, profile.function.edges
    within = profile.within
    assert within.low <= profile.best.low
    assert profile.best.high <= within.high
    inside = (edges[:-1] >= within.low) & (edges[1:] <= within.high)
    assert profile.function.values[inside].min() >= level - 1e-9
    for beside in np.flatnonzero((edges[1:] == within.low) | (edges[:-1] == within.high)):
        assert profile.function.values[beside] < level
