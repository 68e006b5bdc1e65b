from __future__ import annotations

import pytest

import rankmax
from rankmax.data.synthetic_runs import SYSTEMS, synthetic_runs
from rankmax.errors import InvalidParameterError


def test_the_seed_decides_all():
    first, again, other = (synthetic_runs(4, 30, seed=seed) for seed in (3, 3, 4))
    assert first.qrels.to_dict() == again.qrels.to_dict()
    assert {n: r.to_dict() for n, r in first.runs.items()} == {n: r.to_dict() for n, r in again.runs.items()}
    assert first.runs["bm25"].to_dict() != other.runs["bm25"].to_dict()


def test_shapes_are_as_asked_for():
    made = synthetic_runs(6, 40, seed=1)
    assert list(made.runs) == list(SYSTEMS)
    assert all(len(found) == 20 for run in made.runs.values() for found in run.to_dict().values())
    for judged in made.qrels.to_dict().values():
        assert len(judged) == 40
        assert sorted(judged.values())[-4:] == [1, 1, 1, 2]  # 8% and 2% of 40, rounded up


def test_systems_are_better_than_chance_and_complement_each_other():
    made = synthetic_runs(100, 100, seed=1)
    values = {name: means["AP"] for name, means in rankmax.evaluate(made.qrels, made.runs, "AP").means.items()}
    assert min(values.values()) > 0.2
    together = rankmax.rank(rankmax.LinearModel([1 / 2.5, 1 / 0.04, 1 / 5], tuple(SYSTEMS)), made.runs)
    assert rankmax.evaluate(made.qrels, {"sum": together}, "AP").means["sum"]["AP"] > max(values.values())


def test_a_collection_without_documents_is_refused():
    with pytest.raises(InvalidParameterError, match="at least 1"):
        synthetic_runs(3, 0, seed=1)
