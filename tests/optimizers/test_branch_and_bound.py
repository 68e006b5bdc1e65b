from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.arrangement import best_value
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import parse_metric
from rankmax.optimizers.branch_and_bound import BranchAndBound
from rankmax.optimizers.faces import Box, faces
from rankmax.optimizers.proof import Proof, ProofProgress
from rankmax.spaces import AugmentedSimplex, Euclidean, Simplex

METRICS = ("nDCG@2", "nDCG", "AP", "RR", "P@2", "ROC")


def noisy(n_features: int, *, n_queries: int = 15, seed: int = 3, metric: str = "AP") -> LinearObjective:
    return LinearObjective(planted_linear(n_queries, 10, n_features, noise=1.0, seed=seed).data, parse_metric(metric))


@given(
    st.integers(0, 2**20),
    st.sampled_from(METRICS),
    st.integers(2, 3),
    st.integers(1, 3),
    st.sampled_from([3, 11, None]),
)
@settings(max_examples=25)
def test_finds_what_every_face_of_the_arrangement_holds(
    seed: int, metric: str, n_features: int, n_queries: int, n_values: int | None
) -> None:
    rng = np.random.default_rng(seed)
    shape = (4 * n_queries, n_features)
    features = rng.normal(size=shape) if n_values is None else rng.integers(0, n_values, shape).astype(np.float64)
    data = RankingDataset.from_arrays(features, rng.integers(0, 3, shape[0]), qid=np.repeat(np.arange(n_queries), 4))
    proof = BranchAndBound(cells=3000, n_threads=1).prove(LinearObjective(data, parse_metric(metric)))
    best = best_value(data, parse_metric(metric))
    assert (proof.stopped_by, proof.gap) == ("proven", 0.0)
    assert proof.value == pytest.approx(best, abs=1e-9)


@given(st.integers(0, 2**20), st.sampled_from(METRICS), st.integers(2, 3))
@settings(max_examples=6)
def test_boxes_are_searched_up_to_their_bounds(seed: int, metric: str, n_features: int) -> None:
    rng = np.random.default_rng(seed)
    features, grades, qid = rng.integers(-50, 50, (6, n_features)) / 1.0, rng.integers(0, 3, 6), np.repeat([1, 2], 3)
    low = np.append(rng.integers(1, 3), rng.integers(-3, 3, n_features - 1))
    box = Box(tuple(low), tuple(low + np.append(n_features == 2, rng.integers(1, 4, n_features - 1))))
    # Weights in a simplex with vertices V are V^T t, t on the simplex: there the features are V x, exactly.
    expected = max(
        best_value(RankingDataset.from_arrays(features @ vertices.T, grades, qid=qid), parse_metric(metric))
        for vertices in faces(box, n_features)
        if len(vertices) == n_features
    )
    objective = LinearObjective(RankingDataset.from_arrays(features, grades, qid=qid), parse_metric(metric))
    proof = BranchAndBound(cells=3000, n_threads=1).prove(objective, box)
    assert (proof.stopped_by, proof.gap) == ("proven", 0.0)
    assert proof.value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("seed", "n_features", "metric"),
    [(1, 3, "nDCG(gain='exp2')@10"), (2, 3, "AP"), (3, 4, "nDCG@10"), (4, 4, "AP"), (5, 4, "P@5")],
)
def test_small_whole_numbers_are_proven_though_many_planes_meet_in_a_point(
    seed: int, n_features: int, metric: str
) -> None:
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(12), 9)
    features = rng.integers(0, 4, (qid.size, n_features)).astype(np.float64)
    grades = np.digitize(features @ np.ones(n_features) + rng.normal(size=qid.size), [5, 6, 7])
    objective = LinearObjective(RankingDataset.from_arrays(features, grades, qid=qid), parse_metric(metric))
    proof = BranchAndBound(n_threads=1).prove(objective)
    assert (proof.stopped_by, proof.gap) == ("proven", 0.0)
    assert proof.value == pytest.approx(objective.at(proof.weights).value, abs=1e-9)
    sampled = objective.values(rng.dirichlet(np.ones(n_features), 300)).max()
    on_grid = objective.values(rng.integers(0, 6, (300, n_features)) + np.eye(n_features)[0]).max()
    assert max(sampled, on_grid) <= proof.bound + 1e-9


def test_the_best_is_a_tie_on_a_plane_through_a_corner() -> None:
    # The last two weights must be equal, so that the relevant document, being first, is above; and they must not be 0.
    pairs = [([0, 1, 0], [0, 0, 1]), ([0, 0, 1], [0, 1, 0]), ([1, 0, 0], [0, 1, 1]), ([0, 1, 0], [0, 0, 0])]
    features = np.array([row for pair in pairs for row in pair], np.float64)
    features[-2:] = features[:-3:-1]
    data = RankingDataset.from_arrays(features, [1, 0, 1, 0, 1, 0, 0, 1], qid=np.repeat([1, 2, 3, 4], 2))
    proof = BranchAndBound(n_threads=1).prove(LinearObjective(data, parse_metric("P@1")))
    assert (proof.stopped_by, proof.gap, proof.value) == ("proven", 0.0, pytest.approx(1.0))
    assert proof.weights[1] == proof.weights[2] > 0


def test_large_weights_are_compared_as_exactly() -> None:
    objective = noisy(3)
    one = BranchAndBound().prove(objective, Box((0.0,) * 3, (1.0,) * 3))
    many = BranchAndBound().prove(objective, Box((0.0,) * 3, (2.0**30,) * 3), start=2.0**30 * one.weights)
    assert (one.value, one.bound) == (many.value, many.bound) == (BranchAndBound().prove(objective).value,) * 2


def test_ties_on_a_face_are_broken_by_the_order_of_documents() -> None:
    # Only where the first weight is 0 do the first two documents tie, and then the relevant one is above, being first.
    data = RankingDataset.from_arrays([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]], [1, 0, 0], qid=[7, 7, 7])
    proof = BranchAndBound().prove(LinearObjective(data, parse_metric("RR")))
    assert (proof.value, proof.bound, proof.weights.tolist()) == (1.0, 1.0, [0.0, 1.0])


@pytest.mark.parametrize(("first", "second"), [(1.0, 2.0), (3.0, 7.0), (0.5, 0.75)])
def test_ties_better_than_either_side_are_found(first: float, second: float) -> None:
    # Two documents have one feature, two the other, and of each two one is relevant: where all tie, those come first.
    features = [[first, 0.0], [0.0, second], [first, 0.0], [0.0, second]]
    objective = LinearObjective(RankingDataset.from_arrays(features, [1, 1, 0, 0], qid=[7] * 4), parse_metric("AP"))
    proof = BranchAndBound().prove(objective)
    assert (proof.value, proof.bound, proof.stopped_by) == (1.0, 1.0, "proven")
    assert proof.weights[0] * first == proof.weights[1] * second


@pytest.mark.parametrize("metric", ["nDCG@5", "RR"])
def test_no_sampled_weights_are_better(metric: str) -> None:
    objective = noisy(4, metric=metric)
    proof = BranchAndBound(gap=0.01).prove(objective)
    sampled = objective.values(np.random.default_rng(0).dirichlet(np.ones(4), 2000))
    assert proof.bound >= sampled.max()
    assert 0 <= proof.gap <= 0.01
    assert objective.at(proof.weights).value == pytest.approx(proof.value, abs=1e-9)


def test_weights_of_any_sign() -> None:
    objective = noisy(3)
    everywhere, nonnegative = (BranchAndBound().prove(objective, space) for space in (Euclidean(), Simplex()))
    flipped = LinearObjective(_with_first_negated(objective.data), objective.metric)
    assert everywhere.gap == 0
    assert everywhere.value >= nonnegative.value
    assert BranchAndBound().prove(flipped, Euclidean()).value == everywhere.value
    assert everywhere.bound >= objective.values(np.random.default_rng(0).normal(size=(2000, 3))).max()


def _with_first_negated(data: RankingDataset) -> RankingDataset:
    features = np.array(data.features) * [-1.0, 1.0, 1.0]
    return RankingDataset.from_arrays(features, data.grades, qid=data.judgments.query_of_document)


def test_queries_count_by_their_weights() -> None:
    data = RankingDataset.from_arrays(np.eye(2)[[0, 1, 0, 1]], [1, 0, 0, 1], qid=[1, 1, 2, 2])
    objective = LinearObjective(data, parse_metric("RR"), query_weights=[3.0, 1.0])
    proof = BranchAndBound().prove(objective)
    assert proof.value == proof.bound == pytest.approx(objective.at([0.9, 0.1]).value) == 0.875


def test_threads_and_a_good_start_change_only_the_work() -> None:
    objective = noisy(3, n_queries=40)
    one, two = (BranchAndBound(n_threads=n).prove(objective) for n in (1, 2))
    started = BranchAndBound().prove(objective, start=one.weights)
    assert (one.cuts, one.value, one.n_cells) == (two.cuts, two.value, two.n_cells)
    assert one.weights.tolist() == two.weights.tolist()
    assert (started.value, started.bound) == (one.value, one.bound)
    assert started.n_cells < one.n_cells


def test_bound_falls_and_value_rises() -> None:
    seen: list[ProofProgress] = []
    proof = BranchAndBound().prove(noisy(4, n_queries=30), callback=seen.append)
    for earlier, later in zip(proof.history[:-1], proof.history[1:], strict=True):
        assert later.bound <= earlier.bound
        assert later.value >= earlier.value
    assert (seen[-1].value, seen[-1].bound, seen[-1].n_cells) == (proof.value, proof.bound, proof.n_cells)


def test_stops_at_a_budget_with_the_gap_that_is_left() -> None:
    objective = noisy(4, n_queries=60)
    proof = BranchAndBound(cells=1).prove(objective)
    assert proof.stopped_by == "cells"
    assert proof.gap > 0
    assert 255 in proof.cuts
    assert BranchAndBound(seconds=1e-9).prove(objective).stopped_by == "seconds"


def test_an_interrupt_returns_what_is_proven() -> None:
    def interrupt(_: ProofProgress) -> None:
        raise KeyboardInterrupt

    objective = noisy(4, n_queries=60)
    proof = BranchAndBound().prove(objective, callback=interrupt)
    assert proof.stopped_by == "interrupted"
    assert proof.bound >= BranchAndBound().prove(objective).value >= proof.value


@pytest.mark.parametrize(
    "wrong", [{"gap": -0.1}, {"gap": np.nan}, {"seconds": 0.0}, {"cells": 0}, {"n_threads": -1}], ids=str
)
def test_refuses_limits_that_mean_nothing(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameterError, match=next(iter(wrong))):
        BranchAndBound(**wrong)


def test_refuses_what_cannot_be_proven() -> None:
    with pytest.raises(IncompatibleError, match="7 features"):
        BranchAndBound().prove(noisy(7))
    with pytest.raises(IncompatibleError, match="augmented-simplex"):
        BranchAndBound().prove(noisy(3), AugmentedSimplex())


def test_one_feature_has_one_ranking() -> None:
    proof: Proof = BranchAndBound().prove(noisy(1))
    assert (proof.gap, proof.weights.tolist()) == (0.0, [1.0])
