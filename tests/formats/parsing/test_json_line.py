from __future__ import annotations

import pytest

from rankmax.formats.parsing.json_line import json_object


def test_fields_of_an_object() -> None:
    assert json_object('{"a": [1, null], "b": "\\u00e9"}') == {"a": [1, None], "b": "é"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "not JSON"),
        ("{'a': 1}", r"not JSON \(.*\): \"\{'a': 1\}\""),
        ("7", "expected a JSON object, found '7'"),
        ('["' + "x" * 100 + '"]', r"found '\[\"x{58}\.\.\.'$"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_anything_else_is_told(line: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        json_object(line)
