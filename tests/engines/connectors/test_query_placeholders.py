from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.engines.connectors.query_placeholders import filled, json_template, placeholders
from rankmax.errors import InvalidParameterError

TEMPLATE = {"query": {"bool": {"must": ["{query}", {"x": "say {query}!"}], "k": "{depth}", "v": "{vector}"}}, "n": 1}


@given(st.text())
def test_any_text_stays_one_value(text: str) -> None:
    body = filled(TEMPLATE, {"query": text, "depth": 7, "vector": [0.5]})
    assert body == {"query": {"bool": {"must": [text, {"x": f"say {text}!"}], "k": 7, "v": [0.5]}}, "n": 1}
    assert json.loads(json.dumps(body)) == body


def test_keys_are_left_alone() -> None:
    assert filled({"{query}": 1}, {"query": "a"}) == {"{query}": 1}
    assert placeholders({"{query}": 1}) == set()


def test_what_is_missing_is_named() -> None:
    with pytest.raises(InvalidParameterError, match=r"asks for \{vector\}"):
        filled(TEMPLATE, {"query": "a", "depth": 1})


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"a": 1'])
def test_what_is_no_json_object(text: str) -> None:
    with pytest.raises(InvalidParameterError, match="no JSON object"):
        json_template(text)
