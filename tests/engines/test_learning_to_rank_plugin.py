from __future__ import annotations

import pytest
from hypothesis import given, settings

from oracles.engines import Columns, plugin_scores, requests_in
from oracles.exported import Problem, check_same_order, linear_problems
from rankmax.engines.export_target import Destination
from rankmax.engines.learning_to_rank_plugin import scaled
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import MinMax, Unchanged

ENGINES = pytest.mark.parametrize("target", ["elasticsearch-ltr", "opensearch-ltr"])


@ENGINES
@settings(max_examples=25)
@given(problem=linear_problems([Unchanged()]))
def test_ranks_as_the_model_does(target: str, problem: Problem) -> None:
    check_same_order(problem, target, plugin_scores)


@settings(max_examples=25)
@given(problem=linear_problems([Unchanged()]))
def test_ranges_change_no_ranking(problem: Problem) -> None:
    ranges = {name: (min(column), max(column)) for name, column in problem.columns.items()}
    check_same_order(problem, "elasticsearch-ltr", plugin_scores, Destination(ranges=ranges))


def test_ranges_keep_what_single_precision_would_lose() -> None:
    # Beside a time stamp, single precision has no digits left for the other feature.
    model = LinearModel([1.0, 1.0], ("seconds", "bm25"))
    columns: Columns = {"seconds": [1.7e9, 1.7e9 + 256, 1.7e9], "bm25": [12.0, 5.0, 9.0]}
    plain = plugin_scores(export_model(model, "elasticsearch-ltr").text, columns)
    assert plain[0] == plain[2]
    ranges = {"seconds": (1.7e9, 1.7e9 + 256), "bm25": (0.0, 20.0)}
    check_same_order(
        Problem(model, columns), "elasticsearch-ltr", plugin_scores, Destination(ranges=ranges), tolerance=1e-9
    )


@ENGINES
def test_the_request(target: str) -> None:
    model = LinearModel([0.3, 0.0, -1.5], ("title", "unused", "age"), metric="nDCG@10")
    written = export_model(model, target, Destination("shop model", "movies/1"))
    (request,) = written.requests
    method, path, body = requests_in(written.text)[0]
    assert (method, path, body) == (request.method, request.path, request.body)
    assert path == "_ltr/_featureset/movies%2F1/_createmodel"
    stored = {"type": "model/linear", "definition": '{"title":0.3,"age":-1.5}'}
    assert body == {"model": {"name": "shop model", "model": stored}}
    assert "nDCG@10" in written.text
    assert requests_in(written.text)[1][2]["rescore"]["query"]["rescore_query"]["sltr"]["model"] == "shop model"


def test_scores_below_zero_are_warned_of() -> None:
    assert "may be negative" in export_model(LinearModel([-1.0], ("age",)), "opensearch-ltr").text
    assert "may be negative" not in export_model(LinearModel([1.0], ("age",)), "opensearch-ltr").text


@ENGINES
def test_normalization_within_queries_is_refused(target: str) -> None:
    with pytest.raises(IncompatibleError, match=r"normalization 'min-max'.*--normalize none"):
        export_model(LinearModel([1.0], ("bm25",), MinMax()), target)


def test_constant_features_are_not_scaled() -> None:
    weights, ranges = scaled({"a": 1.0, "b": 2.0}, {"a": (5.0, 5.0), "c": (0.0, 1.0)})
    assert (weights, ranges) == ({"a": 1.0, "b": 2.0}, {})
