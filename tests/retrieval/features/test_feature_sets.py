"""Sets of features: what is in them, and for which fields."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.errors import UnknownNameError
from rankmax.retrieval.features import (
    choose_features,
    feature_set,
    feature_set_names,
    parse_feature,
    registered_features,
)
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_columns import Columns
from rankmax.retrieval.index.document_files import Document
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import Query


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    documents = [
        Document("d0", {"title": "wing", "text": "flow past a wing"}),
        Document("d1", {"title": "heat", "text": "heat of the flow"}),
    ]
    columns = Columns.from_dict(["d0", "d1"], {"rank": [1, 2], "depth": [3, 4]})
    return build_index(documents, tmp_path_factory.mktemp("sets") / "index", columns=columns)


@pytest.mark.parametrize("name", feature_set_names())
@pytest.mark.parametrize("fields", [(), ("title",), ("title", "text")])
def test_every_member_has_its_own_name_and_a_finite_value(index: Index, name: str, fields: tuple[str, ...]) -> None:
    features = feature_set(name, index, fields)
    assert len({feature.name for feature in features}) == len(features) > 1
    for feature in features:
        assert parse_feature(feature.name) == feature
        assert getattr(feature, "fields", fields) == fields
        assert np.isfinite(feature.values(Query(index, "flow past the wing"), np.arange(2))).all()


def test_the_sets_are_those_of_the_papers(index: Index) -> None:
    sizes = {name: len(feature_set(name, index)) for name in feature_set_names()}
    assert {name: sizes[name] for name in ("bag-of-words", "proximity", "gey", "primitive")} == {
        "bag-of-words": 6,
        "proximity": 3,
        "gey": 6,
        "primitive": 6,
    }


def test_proximity_is_smoothed_with_twice_the_average_length(index: Index) -> None:
    names = [feature.name for feature in feature_set("proximity", index)]
    assert names == ["dirichlet(mu=10)", "ordered(mu=10)", "unordered(mu=10)"]
    empty = feature_set("proximity", index, ["title"])
    assert empty[0].name == "dirichlet(mu=2):title"


def test_every_registered_feature_is_in_some_set(index: Index) -> None:
    in_sets = {type(feature) for name in feature_set_names() for feature in feature_set(name, index)}
    ours = {feature for feature in registered_features() if feature.__module__.startswith("rankmax.")}
    assert ours <= in_sets


def test_columns_are_all_of_the_index(index: Index) -> None:
    assert [feature.name for feature in feature_set("columns", index)] == ["column(rank)", "column(depth)"]


def test_features_that_several_sets_share_are_taken_once(index: Index) -> None:
    chosen = choose_features(index, sets=["bag-of-words", "gey"], names=["log-tf", "bm25"])
    names = [feature.name for feature in chosen]
    assert len(set(names)) == len(names) == 6 + 4 + 1


def test_scopes_multiply(index: Index) -> None:
    chosen = choose_features(index, sets=["proximity", "columns"], scopes=[(), ("title",), ("text",)])
    assert len(chosen) == 3 * 3 + 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sets": ["nearness"]}, "unknown set of features 'nearness'"),
        ({"names": ["bm52"]}, "unknown feature 'bm52'"),
        ({"names": ["bm25:body"]}, "unknown field 'body'"),
        ({"sets": ["gey"], "scopes": [("body",)]}, "unknown field 'body'"),
        ({"names": ["column(pagerank)"]}, "unknown column 'pagerank'"),
    ],
)
def test_unknown_names_are_said_before_any_work(index: Index, arguments: dict[str, list[str]], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        choose_features(index, **arguments)  # type: ignore[arg-type]
