from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from oracles.engines import solr_scores
from oracles.exported import Problem, check_same_order, linear_problems
from rankmax.engines.export_target import Destination
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import Unchanged, ZScore


@settings(max_examples=25)
@given(linear_problems([Unchanged()]))
def test_ranks_as_the_model_does(problem: Problem) -> None:
    check_same_order(problem, "solr", solr_scores)


@settings(max_examples=25)
@given(linear_problems([Unchanged()]))
def test_ranges_change_no_ranking(problem: Problem) -> None:
    ranges = {name: (min(column), max(column)) for name, column in problem.columns.items()}
    check_same_order(problem, "solr", solr_scores, Destination(ranges=ranges))


def test_every_feature_has_a_weight_and_parameters_are_strings() -> None:
    model = LinearModel([0.5, 0.0, 2.0], ("bm25", "unused", "clicks"))
    written = export_model(model, "solr", Destination("mine", "books", {"clicks": (0.0, 50.0)}))
    body = json.loads("\n".join(line for line in written.text.splitlines() if not line.startswith("//")))
    assert body == written.requests[0].body
    assert (body["name"], body["store"]) == ("mine", "books")
    assert body["params"]["weights"] == {"bm25": 0.5, "clicks": 100.0}
    assert body["features"] == [
        {"name": "bm25"},
        {
            "name": "clicks",
            "norm": {"class": "org.apache.solr.ltr.norm.MinMaxNormalizer", "params": {"min": "0.0", "max": "50.0"}},
        },
    ]
    assert (written.requests[0].method, written.requests[0].path) == ("PUT", "schema/model-store")


def test_normalization_within_queries_is_refused() -> None:
    with pytest.raises(IncompatibleError, match="Solr's learning to rank cannot apply the normalization 'z-score'"):
        export_model(LinearModel([1.0], ("bm25",), ZScore()), "solr")
