"""Held to the definition: a weighted sum of a metric's values by each source, at weights tried one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.data.mixed_judgments import MixedJudgments, separated
from rankmax.errors import InvalidDataError
from rankmax.fusion.weight_search import LatticeSearch
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP, RR, Metric, nDCG
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.optimizers.branch_and_bound import BranchAndBound
from rankmax.spaces.simplex import Simplex

METRICS = [AP(), nDCG() @ 3, RR()]


def mixed_data(seed: int, n_features: int = 2) -> RankingDataset:
    """Return five queries, three of them judged by people too, whose machine judgments count negatively."""
    rng = np.random.default_rng(seed)
    offsets = np.array([0, 5, 9, 12, 18, 24])
    machine = rng.integers(0, 3, offsets[-1]).astype(float)
    people = np.where(rng.random(offsets[-1]) < 0.6, machine, rng.integers(0, 3, offsets[-1]))
    people[offsets[3] :] = np.nan
    sources = [Judgments.from_grades(grades, offsets) for grades in (people, machine)]
    coefficients = np.array([[5 / 3, 5 / 3, 5 / 3, 0.0, 0.0], [-0.6, -0.6, -0.6, 0.9, 0.9]])
    mixed = MixedJudgments.of(sources[1], sources, coefficients)
    return RankingDataset(np.asfortranarray(rng.random((offsets[-1], n_features))), ("a", "b", "c")[:n_features], mixed)


def by_definition(data: RankingDataset, metric: Metric, weights: np.ndarray) -> float:
    mixed = data.judgments
    assert isinstance(mixed, MixedJudgments)
    values = [evaluate_metrics([metric], data.scores(weights), source)[0] for source in mixed.sources]
    total = sum(
        a * value
        for row, by_source in zip(mixed.coefficients, values, strict=True)
        for a, value in zip(row, by_source, strict=True)
        if a
    )
    return float(total / mixed.coefficients.sum())


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("seed", range(5))
def test_a_line_is_the_weighted_sum_of_the_lines_of_the_sources(metric: Metric, seed: int) -> None:
    data = mixed_data(seed)
    objective = LinearObjective(data, metric)
    start = objective.at([1.0, 0.5])
    assert start.value == pytest.approx(by_definition(data, metric, start.weights), abs=1e-12)
    steps = objective.step_function(start, [0.0, 1.0], low=-1.0, high=1.0)
    edges = np.concatenate([[-1.0], steps.breakpoints, [1.0]])
    wide = np.diff(edges) > 1e-9
    middles = ((edges[1:] + edges[:-1]) / 2)[wide]
    found = [by_definition(data, metric, np.array([1.0, 0.5 + mu])) for mu in middles]
    assert steps.values[wide] == pytest.approx(found, abs=1e-12)
    assert objective.line_search(start, [0.0, 1.0], low=-1.0, high=1.0).value == pytest.approx(max(found), abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("seed", range(5))
def test_a_proof_holds_with_negative_coefficients(metric: Metric, seed: int) -> None:
    data = mixed_data(seed, 3)
    proof = BranchAndBound().prove(LinearObjective(data, metric), Simplex(), start=np.full(3, 1 / 3))
    tried = [np.array([i, j, 40 - i - j]) / 40 for i, j in itertools.product(range(41), repeat=2) if i + j <= 40]
    values = [by_definition(data, metric, weights) for weights in tried]
    assert proof.value == pytest.approx(by_definition(data, metric, proof.weights), abs=1e-12)
    assert max(values) - 1e-12 <= proof.bound <= proof.value + 1e-9


@pytest.mark.parametrize("n_features", [2, 3])
def test_a_lattice_has_the_values_of_real_queries(n_features: int) -> None:
    data = mixed_data(1, n_features)
    search = LatticeSearch(data, METRICS[:2])
    for point, table in zip(search.points[::29], search.tables[::29], strict=True):
        expected = [by_definition(data, metric, point) for metric in METRICS[:2]]
        total = data.judgments.coefficients.sum()
        assert table.shape == (2, 5)
        assert table.sum(axis=1) / total == pytest.approx(expected, abs=1e-12)


def test_queries_are_selected_in_all_sources() -> None:
    data = mixed_data(2)
    some = data.select([3, 0])
    whole, part = (
        evaluate_metrics([AP()], np.arange(24.0)[rows], one.judgments)
        for rows, one in ((slice(None), data), (np.r_[12:18, 0:5], some))
    )
    assert part.tolist() == whole[:, [3, 0]].tolist()


def test_separated_queries_weigh_what_their_source_does() -> None:
    plain, weights = separated(mixed_data(3), [1, 2, 3, 4, 5])
    assert plain.n_queries == 8
    assert weights.tolist() == pytest.approx([5 / 3, 10 / 3, 5, -0.6, -1.2, -1.8, 3.6, 4.5])


def test_sources_judge_the_same_documents() -> None:
    one, other = Judgments.from_grades([1, 0], [0, 2]), Judgments.from_grades([1, 0], [0, 1, 2])
    with pytest.raises(InvalidDataError, match="judge other queries or documents"):
        MixedJudgments.of(one, [one, other], np.ones((2, 1)))
    with pytest.raises(InvalidDataError, match="1 rows of 1 finite numbers"):
        MixedJudgments.of(one, [one], np.array([[np.inf]]))
