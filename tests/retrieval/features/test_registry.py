"""Features from their names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from rankmax._arrays import F64
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.retrieval.features import (
    BM25,
    Boolean,
    Dirichlet,
    NamedFeature,
    parse_feature,
    register,
    registered_features,
)
from rankmax.retrieval.queries.query import Query
from rankmax.retrieval.registry import FEATURES


@dataclass(frozen=True)
class Odd(NamedFeature):
    """Every kind of parameter, and no fields."""

    symbol: ClassVar[str] = "odd-for-tests"

    column: str
    times: int = 2
    scale: float | None = None
    reverse: bool = False
    kind: Literal["a", "b c"] = "a"

    def values(self, query: Query, documents: NDArray[Any]) -> F64:
        return np.zeros(len(documents))


@pytest.fixture(autouse=True)
def odd() -> Iterator[None]:
    register(Odd)
    yield
    FEATURES.remove(Odd.symbol)


@pytest.mark.parametrize(
    ("feature", "name"),
    [
        (BM25(), "bm25"),
        (BM25(k1=0.9, b=0.4, fields=("title", "body")), "bm25(k1=0.9,b=0.4):title+body"),
        (BM25(k3=7), "bm25(k3=7)"),
        (Dirichlet(mu=1500.0, fields=("title",)), "dirichlet(mu=1500):title"),
        (Dirichlet(mu=np.float64(1e20)), "dirichlet(mu=1e+20)"),
        (Boolean(match="any", fields=["full text", "a+b"]), "boolean(match=any):'full text'+'a+b'"),  # type: ignore[arg-type]
        (Odd("pagerank"), "odd-for-tests(pagerank)"),
        (
            Odd("2024", times=3, scale=0.5, reverse=True, kind="b c"),
            "odd-for-tests(2024,times=3,scale=0.5,reverse=true,kind='b c')",
        ),
        (Odd("a, b"), "odd-for-tests('a, b')"),
    ],
)
def test_names_lead_back_to_features(feature: NamedFeature, name: str) -> None:
    assert feature.name == name
    assert parse_feature(name) == feature
    assert hash(parse_feature(name)) == hash(feature)


def test_every_registered_class_that_needs_no_value_is_known_by_its_symbol() -> None:
    for kind in registered_features():
        if all(parameter.default is not MISSING for parameter in fields(kind)):
            assert parse_feature(kind.symbol).name == kind.symbol
            assert type(parse_feature(kind.symbol)) is kind


@pytest.mark.parametrize("text", ["BM25", " bm25 ", "bm25()", "bm25(k1=1.20)", "bm25(k1 = 1.2, b=.75)"])
def test_other_spellings_have_one_name(text: str) -> None:
    assert parse_feature(text).name == "bm25"


def test_none_and_false_can_be_written() -> None:
    assert parse_feature("odd-for-tests(x,scale=none,reverse=false)") == Odd("x")
    assert parse_feature("odd-for-tests(column=x)") == Odd("x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bm25(k2=1)", r"'bm25\(k2=1\)': bm25 has no parameter 'k2'; its parameters: k1, b, k3"),
        ("coordination(k=1)", "coordination has no parameter 'k'; its parameters: none"),
        ("bm25(k1=low)", r"'bm25\(k1=low\)': k1=low must be a number"),
        ("odd-for-tests(x,times=1.5)", "times=1.5 must be a whole number"),
        ("odd-for-tests(x,reverse=1)", "reverse=1 must be true or false"),
        ("odd-for-tests", r"write odd-for-tests\(COLUMN\)"),
        ("odd-for-tests(x,y)", r"write odd-for-tests\(COLUMN\)"),
        ("odd-for-tests(x,column=y)", r"write odd-for-tests\(COLUMN\)"),
        ("odd-for-tests(x):title", "odd-for-tests looks at no field"),
        ("bm25(1.2)", r"write bm25\(parameter=value,...\), every value with its parameter"),
        ("bm25:title+title", "bm25: a field is named twice: title, title"),
        ("bm25(b=3)", "bm25: b=3 must be a number from 0 to 1"),
    ],
)
def test_a_mistake_is_named(text: str, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        parse_feature(text)


def test_an_unknown_name_is_an_error_with_those_that_are_known() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown feature 'dirichled'; did you mean 'dirichlet'.*bm25"):
        parse_feature("dirichled(mu=1)")


def test_a_symbol_belongs_to_one_class() -> None:
    @dataclass(frozen=True)
    class Other(Odd):
        symbol: ClassVar[str] = "bm25"

    with pytest.raises(InvalidParameterError, match="Other cannot be called 'bm25': that is BM25 already"):
        register(Other)
    assert parse_feature("bm25") == BM25()


@pytest.mark.parametrize("value", ["'a\nb'", "'\\x'", "'\\N{no such letter}'", "'\0'"])
def test_a_quoted_value_that_python_cannot_read_is_an_error(value: str) -> None:
    with pytest.raises(InvalidParameterError, match="cannot read the feature"):
        parse_feature(f"column({value})")
