from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidParameterError
from rankmax.evaluation.bootstrap import bootstrap_interval
from rankmax.evaluation.comparison import compare_systems
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.metrics.registry import parse_metric
from rankmax.models import LinearModel
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.preprocessing.binning import Binning
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.projects.workbench import Workbench, select_queries

DATA = planted_linear(25, 8, 4, noise=0.7, seed=2).data
NAMES = DATA.feature_names


def models() -> list:
    binning = Binning.fit(DATA, n_thresholds=3)
    binned = binning.apply(DATA).feature_names
    return [
        LinearModel([1.0, -0.3, 0.2, 0.7], NAMES),
        LinearModel([1.0, -0.3, 0.2, 0.7], NAMES, Normalization.named("z-score")),
        LinearModel([0.3, 0.0, 0.1], ("f3", "f2", "f1")),
        LinearModel(np.linspace(-1, 1, len(binned)), binned),
        LinearModel([0.0], ("unknown",)),
        ExpectedGainModel([0, 1], [0, 1], [[0.0], [1.0]], [0.0, 0.0], ("f1",)),
    ]


@pytest.mark.parametrize("number", range(6))
def test_scores_are_those_of_the_model_bit_for_bit(number: int) -> None:
    model = models()[number]
    np.testing.assert_array_equal(Workbench(DATA).scores(model), model.scores(DATA))


@pytest.mark.parametrize("metric", ["AP", "nDCG@3", "RR(rel=2)"])
def test_a_reading_is_what_evaluating_and_comparing_say(metric: str) -> None:
    first, second = models()[:2]
    reading = Workbench(DATA).read(first, second, parse_metric(metric))
    ours, theirs = (evaluate_scores(model.scores(DATA), DATA, [metric]) for model in (first, second))
    [row] = compare_systems({"a": ours.values[0], "b": theirs.values[0]}, "b").rows
    assert reading.value == pytest.approx(ours.means[0], abs=1e-12)
    assert reading.reference_value == pytest.approx(theirs.means[0], abs=1e-12)
    assert reading.interval == pytest.approx(tuple(ours.intervals()[0]), abs=1e-12)
    assert reading.difference == row.difference
    assert reading.difference_interval == pytest.approx(row.interval, abs=1e-12)
    assert (reading.wins, reading.n_queries) == (row.wins, ours.n_counted[0])
    assert (reading.p_value, reading.marker) == (row.test.p_value, row.marker)


def test_a_triangle_is_shown_for_a_significant_difference_only() -> None:
    bench, metric = Workbench(DATA), parse_metric("AP")
    good, bad, near = (LinearModel(weights, NAMES) for weights in ([-1.0] * 4, [1.0] * 4, [-1.0, -1.0, -1.0, -1.01]))
    assert bench.mean(good, metric) > bench.mean(bad, metric)
    assert (bench.read(good, bad, metric).marker, bench.read(bad, good, metric).marker) == ("▲", "▼")
    assert bench.read(good, near, metric).marker == ""


def test_models_of_other_content_have_values_of_their_own() -> None:
    bench, metric = Workbench(DATA), parse_metric("AP")
    for model in (*models()[:4], models()[0]):
        np.testing.assert_array_equal(
            bench.values(model, metric), evaluate_scores(model.scores(DATA), DATA, ["AP"]).values[0]
        )


def test_many_queries_are_resampled_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankmax.workflows.projects.workbench._MOST_DRAWS", 25 * 500)
    first, second = models()[:2]
    reading = Workbench(DATA).read(first, second, parse_metric("AP"))
    low, high = bootstrap_interval(evaluate_scores(first.scores(DATA), DATA, ["AP"]).values[0], n_resamples=500)
    assert reading.interval == pytest.approx((float(low), float(high)), abs=1e-12)


def test_queries_are_selected_in_the_order_of_the_data() -> None:
    assert select_queries(DATA, []) is DATA
    chosen = select_queries(DATA, [DATA.query_ids[5], DATA.query_ids[2]])
    assert chosen.query_ids == (DATA.query_ids[2], DATA.query_ids[5])
    with pytest.raises(InvalidParameterError, match=r"no query matches none\*"):
        select_queries(DATA, ["none*"])
