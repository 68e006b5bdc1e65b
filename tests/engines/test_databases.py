"""Exported SQL in real databases, and exported Python, against what `rankmax rank` writes: documents in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

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
from rankmax.data.runs import Run
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.models.ranking_model import RankingModel, fuse_runs
from rankmax.models.varying_model import VaryingModel
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.registry import normalization_names

SYSTEMS = ("bm25", 'the "dense" one')
DOCUMENTS = ("a", "B", "b", "A", "d10", "d2", "D2", "é")  # whose order depends on how texts are compared
SUMMED = (
    "l2",
    "sum",
    "z-score",
    "retrieved-z-score",
    "opensearch-z-score",
    "milvus-inner-product",
)  # databases round sums in their own ways
KINDS = ["sqlite", "duckdb", "postgresql", "postgresql by locale", "mariadb", "mariadb ansi", "mariadb backslashes"]
TARGETS = {"postgresql by locale": "postgresql", "mariadb": "mysql", "mariadb backslashes": "mysql"}
SQL_MODES = {"mariadb": "", "mariadb ansi": "ANSI_QUOTES", "mariadb backslashes": "NO_BACKSLASH_ESCAPES"}
Scores = dict[str, dict[str, dict[str, float]]]  # by system, query, document


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


@st.composite
def scores_of_systems(draw: st.DrawFn) -> Scores:
    """Draw lists with many ties, scores of 0 and below, and documents that one system lacks."""
    scores = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 1.0, 2.0, 3.0, 5.0, -1.0, -0.3])
    lists = st.dictionaries(st.sampled_from(DOCUMENTS), scores, max_size=8)
    queries = st.fixed_dictionaries({"q1": lists, "q2": lists})
    found: Scores = draw(st.fixed_dictionaries(dict.fromkeys(SYSTEMS, queries)))
    found[SYSTEMS[0]]["q1"].setdefault("a", 1.0)
    found[SYSTEMS[1]]["q2"].setdefault("a", 1.0)
    return found


def ranked(model: RankingModel, scores: Scores, values: dict[str, str] | None = None) -> list[tuple[str, str, float]]:
    """Return what `rankmax rank` writes: query, document, score."""
    fused = fuse_runs(model, {name: Run.from_dict(lists) for name, lists in scores.items()}, values=values)
    rows = [(q, d, s) for q, found in fused.to_dict().items() for d, s in found.items()]
    return sorted(sorted(rows, key=lambda row: (row[2], row[1].encode()), reverse=True), key=lambda row: row[0])


def outer_join(scores: Scores) -> dict[str, list[Any]]:
    """Return the columns of a full outer join of the systems' results: None where one lacks the document."""
    pairs = sorted({(q, d) for lists in scores.values() for q, found in lists.items() for d in found})
    columns: dict[str, list[Any]] = {"query": [q for q, _ in pairs], "document": [d for _, d in pairs]}
    return columns | {name: [lists.get(q, {}).get(d) for q, d in pairs] for name, lists in scores.items()}


def check_alike(found: list[tuple[str, str, float]], expected: list[tuple[str, str, float]], exact: bool) -> None:
    by_document = {(q, d): s for q, d, s in found}
    assert len(found) == len(expected)
    assert [by_document[q, d] for q, d, _ in expected] == pytest.approx([s for *_, s in expected], rel=1e-9, abs=1e-12)
    if exact:
        assert found == expected
        return
    theirs = {(q, d): s for q, d, s in expected}
    for (q, d, s), (next_q, next_d, next_s) in pairwise(found):
        if q == next_q:  # scores that differ by their last digits alone may be swapped; equal ones go by id
            assert theirs[q, d] >= theirs[q, next_d] - 1e-9
            assert s > next_s or d.encode() > next_d.encode()


def python_ranking(text: str, scores: Scores, values: dict[str, str] | None = None) -> list[tuple[str, str, float]]:
    module: dict[str, Any] = {}
    exec(text, module)
    rows = []
    for query in sorted({q for lists in scores.values() for q in lists}):
        documents = sorted({d for lists in scores.values() for d in lists.get(query, {})})
        features = {
            d: {name: lists[query][d] for name, lists in scores.items() if d in lists.get(query, {})} for d in documents
        }
        value = () if values is None else (values[query],)
        by_id = dict(zip(features, module["scores"](list(features.values()), *value, list(features)), strict=True))
        rows += [(query, d, by_id[d]) for d in module["ranking"](features, *value)]
    return rows


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


HOSTILE = [
    "\\' THEN 1 END FROM step1; DROP TABLE candidates; -- ",
    "' THEN 1 END FROM step1; DROP TABLE candidates; -- ",
    "'; DROP TABLE candidates; --",
    '"; DROP TABLE candidates; --',
    "`; DROP TABLE candidates; -- ",
    "*/ ; DROP TABLE candidates; /*",
    "\\",
    "~\\~",
    "\n; DROP TABLE candidates; --",
    "\r; DROP TABLE candidates; --",
    "%s %(x)s {x} :x ? $1 @x",
    "\u2028DROP TABLE candidates;",
]
hostile = st.one_of(
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from([*"'\"`\\;-*/#%$?{}~ \n\r\tax", "DROP TABLE candidates;", "--"]), min_size=1).map("".join),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12),
)


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
            (names["group"], "z"),
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
