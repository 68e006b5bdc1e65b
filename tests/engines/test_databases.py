"""Exported SQL in real databases, and exported Python, against what `rankmax rank` writes: documents in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from oracles.database_rankings import (
    SUMMED,
    SYSTEMS,
    Scores,
    check_alike,
    hostile,
    outer_join,
    python_ranking,
    ranked,
    scores_of_systems,
)
from oracles.databases import (
    Database,
    MariaDB,
    PostgreSQL,
    PostgreSQLByLocale,
    duckdb_database,
    mariadb_server,
    postgresql_server,
    sqlite_database,
)
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError
from rankmax.models import AdditiveModel, LinearModel
from rankmax.models.additive_model import Product
from rankmax.models.curve import Curve
from rankmax.models.query_weights_model import QueryWeightsModel
from rankmax.models.varying_model import VaryingModel
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.query_features import KINDS as KINDS_OF_QUERY_FEATURES
from rankmax.preprocessing.query_features import QueryFeature
from rankmax.preprocessing.registry import normalization_names

KINDS = ["sqlite", "duckdb", "postgresql", "postgresql by locale", "mariadb", "mariadb ansi", "mariadb backslashes"]
TARGETS = {"postgresql by locale": "postgresql", "mariadb": "mysql", "mariadb backslashes": "mysql"}
SQL_MODES = {"mariadb": "", "mariadb ansi": "ANSI_QUOTES", "mariadb backslashes": "NO_BACKSLASH_ESCAPES"}


@pytest.fixture(scope="module")
def postgresql() -> Iterator[Callable[[], Any]]:
    with postgresql_server() as connect:
        yield connect


@pytest.fixture(scope="module")
def mariadb() -> Iterator[Callable[[str], Any]]:
    with mariadb_server() as connect:
        yield connect


@dataclass(frozen=True)
class Ranker:
    """A database, and the target that is exported for it."""

    database: Database
    target: str


@pytest.fixture(scope="module", params=KINDS)
def ranker(request: pytest.FixtureRequest) -> Iterator[Ranker]:
    kind: str = request.param
    target = TARGETS.get(kind, "sql")
    if kind in ("sqlite", "duckdb"):
        with sqlite_database() if kind == "sqlite" else duckdb_database() as database:
            yield Ranker(database, target)
    elif kind.startswith("postgresql"):
        made = PostgreSQLByLocale if "locale" in kind else PostgreSQL
        with closing(request.getfixturevalue("postgresql")()) as connection:
            yield Ranker(made(connection), target)
    else:
        with closing(request.getfixturevalue("mariadb")(SQL_MODES[kind])) as connection:
            yield Ranker(MariaDB(connection), target)


@pytest.mark.parametrize("name", normalization_names())
def test_python_ranks_as_rank_does_with_ties_zeros_and_missing_documents(name: str) -> None:
    model = LinearModel([0.3, 0.7], SYSTEMS, Normalization.named(name))
    text = export_model(model, "python").text

    @settings(max_examples=25)
    @given(scores_of_systems())
    def check(scores: Scores) -> None:
        check_alike(python_ranking(text, scores), ranked(model, scores), name not in SUMMED)

    check()


@pytest.mark.parametrize("name", normalization_names())
def test_sql_ranks_as_rank_does_with_ties_zeros_and_missing_documents(ranker: Ranker, name: str) -> None:
    model = LinearModel([0.3, 0.7], SYSTEMS, Normalization.named(name))
    text = export_model(model, ranker.target).text

    @settings(max_examples=12)
    @given(scores_of_systems())
    def check(scores: Scores) -> None:
        ranker.database.load(outer_join(scores))
        check_alike(ranker.database.query(text), ranked(model, scores), name not in SUMMED)

    check()


@pytest.mark.parametrize("name", ["none", "retrieved-min-max"])
def test_curves_and_their_products(ranker: Ranker, name: str) -> None:
    steps = Curve([0.0, 0.5, 2.0], [-1.0, 0.25, 2.0, 1.0], "constant", absent=-0.5)
    lines = Curve([-0.5, 0.5, 3.0], [1.0, -0.25, 2.0], absent=0.75)
    products = [Product(SYSTEMS[1], SYSTEMS[0], -0.7)]
    model = AdditiveModel([steps, lines], SYSTEMS, products, Normalization.named(name))
    text = export_model(model, ranker.target).text

    @settings(max_examples=12)
    @given(scores_of_systems())
    def check(scores: Scores) -> None:
        ranker.database.load(outer_join(scores))
        check_alike(ranker.database.query(text), ranked(model, scores), exact=True)

    check()


def test_whole_numbers_are_ranked_as_doubles(ranker: Ranker) -> None:
    """0.1 + 0.2 is more than 0.3 in doubles, not in decimals."""
    model = LinearModel([0.1, 0.2], SYSTEMS)
    scores: Scores = {SYSTEMS[0]: {"q": {"a": 1, "b": 3}}, SYSTEMS[1]: {"q": {"a": 1}}}
    ranker.database.load(outer_join(scores), dict.fromkeys(SYSTEMS, "INTEGER"))
    rows = ranker.database.query(export_model(model, ranker.target).text)
    assert [(q, d, s) for q, d, s in rows] == ranked(model, scores)


@settings(max_examples=10)
@given(scores_of_systems(), st.booleans())
def check_varying(ranker: Ranker, scores: Scores, by_number: bool) -> None:
    numbers, groups = ((2.0, 6.5), ()) if by_number else (None, ("What", "it's", "7"))
    model = VaryingModel(
        "kind", numbers, groups, [[0.1, 0.9], [0.7, 0.3], [0.5, 0.5]][: len(groups) or 2], [1, 2], SYSTEMS
    )
    for values in (
        ({"q1": "1", "q2": "3.25"},) if by_number else ({"q1": "What", "q2": "what"}, {"q1": "7", "q2": "it's"})
    ):
        columns = outer_join(scores)
        columns["kind"] = [float(values[q]) if by_number else values[q] for q in columns["query"]]
        ranker.database.load(columns, {"kind": ranker.database.number if by_number else ranker.database.text})
        expected = ranked(model, scores, values)
        check_alike(ranker.database.query(export_model(model, ranker.target).text), expected, exact=True)
        check_alike(python_ranking(export_model(model, "python").text, scores, values), expected, exact=True)


def test_weights_that_depend_on_the_query(ranker: Ranker) -> None:
    check_varying(ranker)


@settings(max_examples=8)
@given(scores_of_systems(), st.integers(0, 9))
def check_fitting(ranker: Ranker, scores: Scores, seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = [QueryFeature(kind) for kind in KINDS_OF_QUERY_FEATURES if kind != "column"]
    features += [QueryFeature("gap", SYSTEMS[1]), QueryFeature("entropy", SYSTEMS[0]), QueryFeature("column", "clicks")]
    n = len(features)
    model = QueryWeightsModel(
        tuple(features), rng.random(n), rng.uniform(0.2, 2, n), [0.5, 0.3], rng.normal(0, 0.2, (n, 2)), SYSTEMS
    )
    rows = {"q1": {"text": "what is it", "clicks": "7"}, "q2": {"text": "wing", "clicks": "0.5"}}
    columns = outer_join(scores)
    told = {"q1": (3.0, 1.0, 7.0), "q2": (1.0, 0.0, 0.5)}
    for i, name in enumerate(("length", "question", "clicks")):
        columns[name] = [told[query][i] for query in columns["query"]]
    ranker.database.load(columns, dict.fromkeys(("length", "question", "clicks"), ranker.database.number))
    check_alike(
        ranker.database.query(export_model(model, ranker.target).text), ranked(model, scores, rows), exact=False
    )


def test_weights_that_fit_the_query(ranker: Ranker) -> None:
    check_fitting(ranker)


@pytest.mark.parametrize("named", ["group", "feature", "column", "metric"])
def test_hostile_names_do_nothing(ranker: Ranker, named: str) -> None:
    database = ranker.database

    @settings(max_examples=40)
    @given(hostile)
    def check(name: str) -> None:
        names = {"group": "g", "feature": "bm25", "column": "kind", "metric": "AP"} | {named: name}
        feature, column = names["feature"], names["column"]
        model = VaryingModel(
            column, None, (names["group"], "other"), [[2.0], [3.0]], [5.0], (feature,), metric=names["metric"]
        )
        columns = [column.casefold(), feature.casefold()]
        if "\\" in feature + column or {"query", "document"} & {*columns} or columns[0] == columns[1]:
            with pytest.raises(IncompatibleError, match=r"give it a name|called query|rename"):
                export_model(model, ranker.target)
            return
        text = export_model(model, ranker.target).text
        text.encode()
        groups = [names["group"], "other", "another", names["group"].swapcase() + "!", None]
        n = len(groups)
        ids = [f"d{i}" for i in range(n)]
        table = {"query": ids, "document": ids, feature: [1.0] * n, column: groups}
        try:
            database.load(table, {column: database.text})
        except Exception:  # no column can be called that here
            return
        assert {d: s for _, d, s in database.query(text)} == dict(zip(ids, [2.0, 3.0, 5.0, 5.0, 5.0], strict=True))
        assert database.n_candidates() == n

    check()


@pytest.mark.parametrize("named", ["group", "feature", "column", "metric"])
def test_hostile_names_do_nothing_in_python(named: str) -> None:
    @settings(max_examples=60)
    @given(hostile | st.sampled_from(['"""\nraise SystemExit\n', "\0", "'\\", "\ud800"]))
    def check(name: str) -> None:
        names = {"group": "g", "feature": "bm25", "column": "kind", "metric": "AP"} | {named: name}
        model = VaryingModel(
            names["column"],
            None,
            (names["group"], names["group"] + "z"),
            [[2.0], [3.0]],
            [5.0],
            (names["feature"],),
            metric=names["metric"],
        )
        text = export_model(model, "python").text
        text.encode()
        module: dict[str, Any] = {}
        exec(text, module)
        assert module["scores"]([{names["feature"]: 1.0}], names["group"]) == [2.0]
        assert module["scores"]([{names["feature"]: 1.0}, {}], "no group") == [5.0, 0.0]

    check()


def test_mysql_without_ansi_quotes_refuses_the_portable_query(mariadb: Callable[[str], Any]) -> None:
    """Names in double quotes would be strings there, and every score 0."""
    with closing(mariadb("")) as connection:
        database = MariaDB(connection)
        database.load({"query": ["q"], "document": ["d"], "bm25": [1.0]})
        with pytest.raises(Exception, match="syntax"):
            database.query(export_model(LinearModel([1.0], ("bm25",)), "sql").text)


def test_scores_of_zero_are_scores() -> None:
    model = LinearModel([1.0], ("bm25",), Normalization.named("reciprocal-rank"))
    module: dict[str, Any] = {}
    exec(export_model(model, "python").text, module)
    documents = {"a": {"bm25": 1.0}, "b": {"bm25": 0.0}, "c": {"bm25": None}, "d": {}, "e": {"bm25": float("nan")}}
    np.testing.assert_allclose(module["scores"](list(documents.values())), [1 / 61, 1 / 62, 0, 0, 0])
    assert module["ranking"](documents) == ["a", "b", "e", "d", "c"]
