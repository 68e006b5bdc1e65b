"""Names of features, taken apart and put together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import InvalidParameterError
from rankmax.retrieval.features.name_spelling import Spelled, put_together, spelled_value, take_apart, unquoted

texts = st.text(min_size=1) | st.text("ab'\"\\+:,()= \n", min_size=1)
numbers = st.integers() | st.floats(allow_nan=False)


@given(
    st.lists(texts, max_size=2),
    st.dictionaries(st.sampled_from(["k1", "mu", "_b"]), texts | numbers),
    st.lists(texts, max_size=3),
)
def test_what_is_put_together_comes_apart(
    values: list[str], parameters: dict[str, str | float], fields: list[str]
) -> None:
    arguments = [
        *map(spelled_value, values),
        *(f"{parameter}={spelled_value(value)}" for parameter, value in parameters.items()),
    ]
    parts = take_apart(put_together("some-feature", arguments, fields))
    assert parts.symbol == "some-feature"
    assert [unquoted(value) for value in parts.values] == values
    assert parts.fields == tuple(fields)
    assert list(parts.parameters) == list(parameters)
    for parameter, value in parameters.items():
        spelled = parts.parameters[parameter]
        assert (unquoted(spelled) if isinstance(value, str) else type(value)(spelled)) == value


def test_spaces_do_not_matter_around_parts() -> None:
    assert take_apart("  f( x , y = 2 )  ") == Spelled("f", ("x",), {"y": "2"}, ())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(",
        "f(",
        "f)",
        "f(x",
        "f(x,)",
        "f(=1)",
        "f(a=)",
        "f:",
        "f:a+",
        "f:+a",
        "f g",
        "1f",
        "f(a=1,2)",
        "f(a=1,a=2)",
        "f:'a\nb'",
        "f:'\\x'",
        "f:'\0'",
    ],
)
def test_what_cannot_be_read_is_an_error_with_an_example(text: str) -> None:
    with pytest.raises(InvalidParameterError, match=r"cannot read the feature .* for instance bm25"):
        take_apart(text)
