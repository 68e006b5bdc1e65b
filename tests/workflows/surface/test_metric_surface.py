from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.formats.registry import read_dataset
from rankmax.metrics import parse_metric
from rankmax.preprocessing.feature_normalization import MinMax
from rankmax.workflows.surface.metric_surface import metric_segment, metric_surface

DATA = planted_linear(12, 8, 4, noise=0.5, seed=3).data
NAMES = ("f4", "f1", "f2")
CLOSE = 1e-9


def mean_at(data: RankingDataset, names: tuple[str, ...], weights: np.ndarray, metric: str) -> float:
    return float(evaluate_scores(data.select_features(names).scores(weights), data, [parse_metric(metric)]).means[0])


def mean_across(data: RankingDataset, first: float, low: float, high: float, metric: str) -> float:
    """Mean over low < second weight < high, from the metric between each two crossings of any two documents."""
    steps = {low, high}
    for start, end in zip(data.query_offsets[:-1], data.query_offsets[1:], strict=True):
        x, y, z = data.features[start:end].T
        at, slope = first * x + (1 - first) * z, y - z  # score = at + second * slope
        i, j = np.triu_indices(end - start, 1)
        crossings = (at[j] - at[i]) / (slope[i] - slope[j])
        steps.update(crossings[(crossings > low) & (crossings < high)])
    edges = np.array(sorted(steps))
    middles = (edges[1:] + edges[:-1]) / 2
    values = [mean_at(data, data.feature_names, np.array([first, b, 1 - first - b]), metric) for b in middles]
    return float(np.average(values, weights=np.diff(edges)))


@pytest.mark.parametrize("metric", ["AP", "nDCG@3", "ERR@5"])
def test_values_are_exact_means_across_the_cells(metric: str) -> None:
    surface = metric_surface(DATA, NAMES, parse_metric(metric), resolution=4)
    data = DATA.select_features(NAMES)
    expected = [mean_across(data, a, b - 1 / 16, b + 1 / 16, metric) for a, b, _ in surface.points]
    np.testing.assert_allclose(surface.values, expected, atol=1e-9)
    assert np.ptp(surface.values) > 0.1


def test_a_cell_without_steps_has_the_value_of_its_point() -> None:
    """Two documents that only the first weight orders: every row is constant, and the weight 1/2 parts the rows."""
    features = [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
    data = RankingDataset.from_arrays(features, [1, 0], qid=[1, 1], feature_names=["a", "b", "c"])
    surface = metric_surface(data, ["a", "b", "c"], parse_metric("RR"), resolution=4)
    np.testing.assert_array_equal(surface.values, np.where(surface.points[:, 0] > 0.5, 1.0, 0.5))
    assert surface.optimum.value == 1.0
    assert surface.optimum.weights[0] > 0.5


@pytest.mark.parametrize("best", range(3))
def test_the_corner_of_a_perfect_feature_is_the_best(best: int) -> None:
    rng = np.random.default_rng(best)
    grades = np.tile([0, 1, 2, 3], 30)
    features = rng.normal(size=(120, 3))
    features[:, best] = grades
    data = RankingDataset.from_arrays(features, grades, qid=np.repeat(np.arange(30), 4))
    surface = metric_surface(data, ["f1", "f2", "f3"], parse_metric("nDCG"), resolution=12)
    assert surface.points[surface.values.argmax()].argmax() == best
    assert surface.optimum.weights.argmax() == best
    assert surface.optimum.value == 1.0


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(["AP", "nDCG@2", "RR"]), st.integers(2, 9))
@example(139, "AP", 5).via("rounding makes an interval at the end of a row, and its value is the largest of all rows")
@example(447, "AP", 9).via("two such rows")
def test_optimum_is_above_every_cell_and_what_its_weights_give(seed: int, metric: str, resolution: int) -> None:
    """With ties, duplicates and constant features: small whole numbers."""
    rng = np.random.default_rng(seed)
    features, grades = rng.integers(0, 3, (24, 3)).astype(float), rng.integers(0, 2, 24)
    grades[0] = 1
    data = RankingDataset.from_arrays(features, grades, qid=np.repeat(np.arange(6), 4))
    surface = metric_surface(data, data.feature_names, parse_metric(metric), resolution=resolution)
    best = surface.optimum
    assert best.weights.min() >= 0
    assert best.weights.sum() == pytest.approx(1.0)
    assert best.value >= surface.values.max() - CLOSE
    assert best.value == pytest.approx(mean_at(data, data.feature_names, best.weights, metric), abs=CLOSE)
    np.testing.assert_array_equal(
        surface.plateau, surface.values >= best.value - best.standard_error - CLOSE, err_msg="plateau"
    )


def test_optimum_is_above_a_fine_grid_of_real_data(shared_data: Path) -> None:
    from rankmax.line_search.linear_objective import LinearObjective

    data = read_dataset(shared_data / "letor" / "MQ2008" / "S1.txt.gz")
    names = ("f25", "f40", "f39")
    surface = metric_surface(data, names, parse_metric("AP"), resolution=24)
    points = metric_surface(data, names, parse_metric("AP"), resolution=40).points
    grid = LinearObjective(data.select_features(names), parse_metric("AP")).values(points)
    assert surface.optimum.value >= grid.max()
    assert 0 < surface.plateau_share < 1


def test_standard_error_is_that_of_the_mean_over_queries_that_count() -> None:
    data = planted_linear(20, 6, 3, noise=1.0, seed=8).data
    surface = metric_surface(data, data.feature_names, parse_metric("AP"), resolution=5)
    values = evaluate_scores(data.scores(surface.optimum.weights), data, [parse_metric("AP")]).values[0]
    counted = values[~np.isnan(values)]
    assert surface.optimum.standard_error == pytest.approx(np.sqrt(counted.var(ddof=1) / counted.size))


def test_one_query_has_no_standard_error() -> None:
    data = RankingDataset.from_arrays([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]], [1, 0], qid=[1, 1])
    surface = metric_surface(data, data.feature_names, parse_metric("RR"), resolution=3)
    assert surface.optimum.standard_error == 0.0
    np.testing.assert_array_equal(surface.plateau, surface.values >= 1.0 - CLOSE)


def test_features_that_order_nothing_are_all_plateau() -> None:
    data = RankingDataset.from_arrays(np.ones((6, 3)), [1, 0, 0, 0, 1, 0], qid=[1, 1, 1, 2, 2, 2])
    surface = metric_surface(data, data.feature_names, parse_metric("AP"), resolution=3)
    np.testing.assert_allclose(surface.values, 0.75)
    assert surface.plateau_share == 1.0
    assert surface.optimum.value == pytest.approx(0.75)


def test_normalization_comes_first() -> None:
    by_name = metric_surface(DATA, NAMES, parse_metric("AP"), normalization="min-max", resolution=6)
    beforehand = metric_surface(MinMax().apply(DATA), NAMES, parse_metric("AP"), resolution=6)
    np.testing.assert_array_equal(by_name.values, beforehand.values)
    np.testing.assert_array_equal(by_name.optimum.weights, beforehand.optimum.weights)


def test_callback_counts_the_rows() -> None:
    rows = []
    metric_surface(DATA, NAMES, parse_metric("AP"), resolution=7, callback=lambda: rows.append(None))
    assert len(rows) == 7


@pytest.mark.parametrize("metric", ["AP", "nDCG@3"])
def test_segment_is_exact_and_its_optimum_the_best(metric: str) -> None:
    segment = metric_segment(DATA, ("f1", "f2"), parse_metric(metric))
    function = segment.function
    assert (function.low, function.high) == (0.0, 1.0)
    wide = np.diff(function.edges) > 1e-6
    middles = ((function.edges[1:] + function.edges[:-1]) / 2)[wide]
    for first, value in zip(middles, function.values[wide], strict=True):
        assert value == pytest.approx(mean_at(DATA, ("f1", "f2"), np.array([first, 1 - first]), metric), abs=1e-12)
    best = segment.optimum
    assert best.value == pytest.approx(function.values[wide].max(), abs=1e-12)
    assert best.value == pytest.approx(mean_at(DATA, ("f1", "f2"), best.weights, metric), abs=1e-12)
    on = function.values >= best.value - best.standard_error
    assert segment.plateau_share == pytest.approx(np.diff(function.edges)[on].sum())


def test_surface_and_segment_agree_where_one_feature_orders_nothing() -> None:
    """With a first feature that orders nothing, every row has the steps of the segment."""
    data = RankingDataset.from_arrays(
        np.column_stack([np.zeros(DATA.n_documents), DATA.column(0), DATA.column(1)]),
        DATA.judgments.grades,
        qid=np.repeat(np.arange(DATA.n_queries), np.diff(DATA.query_offsets)),
    )
    surface = metric_surface(data, data.feature_names, parse_metric("AP"), resolution=10)
    segment = metric_segment(DATA, ("f1", "f2"), parse_metric("AP"))
    assert surface.optimum.value == pytest.approx(segment.optimum.value, abs=1e-12)


class TestMistakes:
    def test_number_of_features(self) -> None:
        with pytest.raises(InvalidParameterError, match="2 features given where 3 are needed"):
            metric_surface(DATA, ["f1", "f2"], parse_metric("AP"))
        with pytest.raises(InvalidParameterError, match="3 features given where 2 are needed"):
            metric_segment(DATA, NAMES, parse_metric("AP"))

    def test_repeated_feature(self) -> None:
        with pytest.raises(InvalidParameterError, match="may be given once, not f1, f2, f1"):
            metric_surface(DATA, ["f1", "f2", "f1"], parse_metric("AP"))

    def test_unknown_feature(self) -> None:
        with pytest.raises(UnknownNameError, match=r"unknown feature 'f9'; did you mean 'f\d'"):
            metric_surface(DATA, ["f1", "f2", "f9"], parse_metric("AP"))

    @pytest.mark.parametrize("resolution", [0, 1, 301])
    def test_resolution(self, resolution: int) -> None:
        with pytest.raises(InvalidParameterError, match=f"resolution is {resolution}; expected a number of rows"):
            metric_surface(DATA, NAMES, parse_metric("AP"), resolution=resolution)

    def test_no_query_counts(self) -> None:
        data = RankingDataset.from_arrays(np.eye(3), [0, 0, 0], qid=[1, 1, 1])
        with pytest.raises(InvalidDataError, match="no query counts"):
            metric_surface(data, data.feature_names, parse_metric("AP(no_relevant='skip')"))
