"""Exports of additive models: databases, Python and what engines document, against what `rankmax rank` writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from oracles.database_rankings import (
    SYSTEMS,
    Scores,
    check_alike,
    hostile,
    outer_join,
    python_ranking,
    ranked,
    scores_of_systems,
)
from oracles.databases import Database, duckdb_database, sqlite_database
from oracles.engines import requests_in
from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.engines.export_target import Destination
from rankmax.engines.query_templates import SystemTemplate
from rankmax.engines.registry import TARGETS, export_model
from rankmax.errors import IncompatibleError
from rankmax.models.additive_model import AdditiveModel, Product
from rankmax.models.curve import Curve
from rankmax.preprocessing.feature_normalization import MinMax, Normalization

STEPS = Curve([0.0, 0.5, 2.0], [-1.0, 0.25, 2.0, 1.0], "constant", absent=-0.5)
LINES = Curve([-0.5, 0.5, 3.0], [1.0, -0.25, 2.0], "linear", absent=0.75)
ONE = Curve([], [0.5], "constant", absent=-0.25)
NAMES = ("age", "clicks", "flat")
KNOTS = [-0.5, 0.0, 0.5, 2.0, 3.0]
VALUES = [*KNOTS, *np.nextafter(KNOTS, 9).tolist(), *np.nextafter(KNOTS, -9).tolist(), 0.1, 1.7, 100.0]


def model_of(normalization: str = "none", names: tuple[str, str] = SYSTEMS) -> AdditiveModel:
    products = [Product(names[1], names[0], -0.7)]
    return AdditiveModel([STEPS, LINES], names, products, Normalization.named(normalization))


@pytest.fixture(scope="module", params=["sqlite", "duckdb"])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    with sqlite_database() if request.param == "sqlite" else duckdb_database() as opened:
        yield opened


ALIKE = ("none", "min-max", "percentile", "retrieved-min-max", "opensearch-min-max", "reciprocal-rank")
ROUNDED = ("l2", "retrieved-z-score")  # a last digit may be on the other side of a step: straight lines alone


def checked(name: str, rows: Callable[[str, Scores], list[tuple[str, str, float]]], target: str) -> None:
    model = model_of(name) if name in ALIKE else AdditiveModel([LINES], SYSTEMS[:1], (), Normalization.named(name))
    text = export_model(model, target).text

    @settings(max_examples=12)
    @given(scores_of_systems())
    def check(scores: Scores) -> None:
        seen = {system: scores[system] for system in model.feature_names}
        check_alike(rows(text, seen), ranked(model, seen), name in ALIKE)

    check()


@pytest.mark.parametrize("name", [*ALIKE, *ROUNDED])
def test_sql_ranks_as_rank_does(database: Database, name: str) -> None:
    def rows(text: str, scores: Scores) -> list[tuple[str, str, float]]:
        database.load(outer_join(scores))
        return database.query(text)

    checked(name, rows, "sql")


@pytest.mark.parametrize("name", [*ALIKE, *ROUNDED])
def test_python_ranks_as_rank_does(name: str) -> None:
    checked(name, python_ranking, "python")


def features() -> tuple[AdditiveModel, RankingDataset, F64]:
    """Return a model of curves of three features, and all pairs of values at, beside and between knots."""
    model = AdditiveModel([STEPS, LINES, ONE], NAMES, [Product("age", "clicks", 0.3)])
    X = np.array([[a, b, 1.0] for a in VALUES for b in VALUES])
    data = RankingDataset.from_arrays(X, np.zeros(len(X)), qid=np.zeros(len(X)), feature_names=NAMES)
    return model, data, X


def test_sql_has_the_bits_of_the_scores(database: Database) -> None:
    model, data, X = features()
    ids = [f"d{i}" for i in range(len(X))]
    database.load({"query": ["q"] * len(X), "document": ids, **dict(zip(NAMES, X.T.tolist(), strict=True))})
    found = {document: score for _, document, score in database.query(export_model(model, "sql").text)}
    assert [found[i] for i in ids] == model.scores(data).tolist()


def test_vespa_s_expressions_have_the_bits_of_the_scores() -> None:
    model, data, X = features()
    text = export_model(model, "vespa").text
    functions = dict(re.findall(r"function (\w+)\(\) \{\n\s*expression: (.*)\n", text))
    score = re.search(r"first-phase \{\n\s*expression: (.*)\n", text)
    assert score

    def as_python(expression: str) -> str:
        return re.sub(r"\bif \(", "choose(", expression)

    for row, expected in zip(X.tolist(), model.scores(data).tolist(), strict=True):
        known: dict[str, Any] = {f"attribute_{name}": x for name, x in zip(NAMES, row, strict=True)}
        known["choose"] = lambda test, yes, no: yes if test else no
        for name, expression in functions.items():
            known[name] = eval(re.sub(r"attribute\((\w+)\)", r"attribute_\1", as_python(expression)), known)
        assert eval(as_python(score[1]), known) == expected


def test_trees_of_steps_score_as_the_curves() -> None:
    from rankmax.engines.curves import trees_of_curves

    model = AdditiveModel([STEPS, Curve([1.0, 2.0], [0.5, 0.5]), ONE], NAMES)
    _, data, _ = features()
    trees, remark = trees_of_curves(model, "an engine", "python")
    assert remark == ""
    np.testing.assert_allclose(trees.scores(data), model.scores(data), rtol=1e-15)
    assert len(trees.trees) == 3
    for target in ("solr", "opensearch-ltr", "elasticsearch-ltr"):
        assert export_model(model, target).requests


def test_straight_lines_become_steps_within_the_error_that_is_told() -> None:
    from rankmax.engines.curves import stepped, trees_of_curves

    steep = Curve([0.0, 1.0, 1.0 + 2**-52, 50.0], [0.0, 3.0, -3.0, -2.5])
    model = AdditiveModel([LINES, steep], ("a", "b"))
    trees, remark = trees_of_curves(model, "an engine", "python")
    bound = (1.25 + 2.25 + 3.0 + 6.0 + 0.5) / 1024
    assert f"at most {bound:.3g}; python has no such difference" in remark
    x = np.random.default_rng(0).uniform(-1, 51, 5000)
    for curve in model.curves:
        difference = np.abs(stepped(curve).at(x) - curve.at(x))
        assert difference.max() <= np.abs(np.diff(curve.values)).sum() / 1024 * (1 + 1e-9)
    X = np.c_[x / 20, x]
    data = RankingDataset.from_arrays(X, np.zeros(x.size), qid=np.zeros(x.size), feature_names=["a", "b"])
    assert np.abs(trees.scores(data) - model.scores(data)).max() <= bound * (1 + 1e-9)
    for target in ("solr", "opensearch-ltr", "elasticsearch-ltr"):
        text = " ".join(line.lstrip("#/ ") for line in export_model(model, target).text.splitlines())
        assert f"at most {bound:.3g}" in text


def function_score(body: dict[str, Any], row: dict[str, float]) -> float:
    """Return what function_score adds up: the weights of all functions whose filter holds."""
    inner = body["query"]["function_score"]
    assert (inner["score_mode"], inner["boost_mode"]) == ("sum", "replace")
    total = 0.0
    for function in inner["functions"]:
        assert function["weight"] >= 0
        ((kind, span),) = function.get("filter", {"all": {}}).items()
        if kind == "range":
            ((field, limits),) = span.items()
            holds = field in row and limits.get("gt", -np.inf) < row[field] <= limits.get("lte", np.inf)
        elif kind == "exists":
            holds = span["field"] in row
        elif kind == "bool":
            holds = span["must_not"]["exists"]["field"] not in row
        else:
            holds = True
        total += function["weight"] if holds else 0.0
    return total


def test_weights_of_ranges_add_up_to_the_score_but_for_a_constant() -> None:
    model = AdditiveModel([STEPS, Curve([1.0, 2.0], [0.5, 0.5]), ONE], NAMES)
    _, data, X = features()
    ((_, _, body),) = requests_in(export_model(model, "function-score").text)
    found = np.array([function_score(body, dict(zip(NAMES, row, strict=True))) for row in X.tolist()])
    shifts = found - model.scores(data)
    np.testing.assert_allclose(shifts, shifts[0], atol=1e-12)
    without = function_score(body, {"clicks": 1.0, "flat": 1.0})
    at_zero = function_score(body, {"age": 0.0, "clicks": 1.0, "flat": 1.0})
    assert without == at_zero  # a missing value is 0


def test_a_script_gets_fields_the_score_of_the_query_and_templates() -> None:
    model = AdditiveModel([STEPS, LINES], ("bm25", "clicks"), [Product("bm25", "clicks", 1.0)])
    templates = {"bm25": SystemTemplate(field="body"), "clicks": SystemTemplate(field="n_clicks")}
    ((_, path, body),) = requests_in(export_model(model, "script-score", Destination(templates=templates)).text)
    assert path == "YOUR-INDEX/_search"
    inner = body["query"]["script_score"]
    assert inner["query"] == {"match": {"body": "WORDS OF THE QUERY"}}
    assert "_score" in inner["script"]["source"]
    assert [curve["field"] for curve in inner["script"]["params"]["curves"]] == [None, "n_clicks"]
    assert inner["script"]["params"]["lowest"] == pytest.approx(-1.0 - 0.25 + min(-2.0, -0.5))
    plain = export_model(AdditiveModel([LINES], ("clicks",)), "script-score").text
    assert "_score;" not in plain


@pytest.mark.parametrize(
    ("target", "model", "expected"),
    [
        (
            "function-score",
            AdditiveModel([LINES], ("x",)),
            "no straight lines, as the curve of 'x' has: export to script-score",
        ),
        (
            "opensearch-ltr",
            AdditiveModel([STEPS, ONE], ("x", "y"), [Product("x", "y", 1.0)]),
            "cannot multiply the curves",
        ),
        (
            "vespa",
            AdditiveModel([STEPS], ("x",), (), MinMax()),
            "cannot normalize .*'min-max'.*export to python or sql",
        ),
        ("script-score", AdditiveModel([STEPS], ("x",), (), MinMax()), "learn with --normalize none"),
        ("solr-function", AdditiveModel([STEPS, LINES], ("bm25", "rm3")), "both 'bm25' and 'rm3' seem to be one"),
        ("function-score", AdditiveModel([STEPS], ("bm25",)), "cannot compare the score of the query, as 'bm25'"),
        ("qdrant", AdditiveModel([STEPS], ("x",)), "cannot compute curves: export to python, sql, vespa"),
        ("sql", AdditiveModel([Curve([], [0.0], "constant")], ("x",)), "every curve of the model is 0"),
        ("python", AdditiveModel([STEPS], ("x>0.5",)), "learn one of the feature itself"),
    ],
)
def test_what_a_target_cannot_do_is_refused_with_the_remedy(target: str, model: AdditiveModel, expected: str) -> None:
    with pytest.raises(IncompatibleError, match=expected):
        export_model(model, target)


def test_hostile_names_do_nothing_in_sql(database: Database) -> None:
    @settings(max_examples=40)
    @given(hostile)
    def check(name: str) -> None:
        model = AdditiveModel([STEPS], (name,), metric=name)
        if "\\" in name or name.casefold() in ("query", "document"):
            with pytest.raises(IncompatibleError):
                export_model(model, "sql")
            return
        try:
            database.load({"query": ["q", "q"], "document": ["a", "b"], name: [0.3, None]})
        except Exception:  # no column can be called that here
            return
        text = export_model(model, "sql").text
        assert {d: s for _, d, s in database.query(text)} == {"a": 0.25, "b": -1.0}
        assert database.n_candidates() == 2

    check()


@settings(max_examples=60)
@given(hostile | st.sampled_from(['"""\nraise SystemExit\n', "\0", "'\\", '"}}', "$value1", "{!func}"]))
def test_hostile_names_do_nothing_elsewhere(name: str) -> None:
    model = AdditiveModel([STEPS, LINES], (name + "!", "age"), [Product("age", name + "!", 2.0)], metric=name)
    module: dict[str, Any] = {}
    exec(export_model(model, "python").text, module)
    assert module["scores"]([{name + "!": 0.3, "age": -1.0}]) == [0.25 + 1.0 + 0.25 * 1.0 * 2.0]
    for target in ("script-score", "solr-function"):
        text = export_model(model, target).text
        ((_, _, body),) = requests_in(text)
        assert sum(not line.startswith(("#", " ", "{", "}")) and line != "" for line in text.split("\n")) == 1
        if target == "script-score":
            assert body["query"]["script_score"]["script"]["params"]["curves"][0]["field"] == name + "!"
            assert (
                json.dumps(name + "!")[1:-1] not in body["query"]["script_score"]["script"]["source"] or len(name) < 2
            )


@pytest.mark.parametrize("target", ["postgresql-hybrid", "duckdb-hybrid", "sqlite-hybrid", "postgresql", "mysql"])
def test_other_databases_get_the_same_case(target: str) -> None:
    text = export_model(AdditiveModel([STEPS, LINES], ("bm25", "e5")), target).text
    assert "CASE WHEN" in text
    assert text.count(" THEN ") >= 6


@pytest.mark.parametrize("target", TARGETS)
def test_curves_are_written_or_refused(target: str) -> None:
    known = TARGETS.load(target)
    model = AdditiveModel([STEPS], ("age",), metric="AP")
    if known.write_additive is None:
        with pytest.raises(IncompatibleError, match="export to"):
            export_model(model, target)
    else:
        written = export_model(model, target)
        assert written.text.endswith("\n")
        assert "AP" in written.text
        with pytest.raises(IncompatibleError, match="leave the ranges out"):
            export_model(model, target, Destination(ranges={"age": (0.0, 1.0)}))
