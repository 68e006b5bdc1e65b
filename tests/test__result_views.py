from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from rankmax._result_views import Block, Facts, Table, as_html, as_text, axes_for, format_p, visible_json


def test_small_p_values_are_not_zero() -> None:
    assert [format_p(p) for p in (0.25, 0.0001, 0.00009)] == ["0.2500", "0.0001", "<0.0001"]


def test_text_has_titles_and_aligned_columns() -> None:
    text = as_text([Table(["a", "b"], [["long name", "1"], ["x", "22"]], title="Title"), Facts({"k": "v"})])
    rows = [" a            b", " " + "─" * 14, " long name    1", " x           22"]
    assert text.splitlines() == ["Title", *rows, "", " k   v"]


@pytest.mark.parametrize("written", [as_text, as_html])
def test_what_a_terminal_would_obey_is_written_out(written: Callable[[list[Block]], str]) -> None:
    hostile = "\x1b[2J\x9b1m a\u202eb\u2066 \r\n bm25 1.0"
    text = written([Table([hostile], [[hostile]], title=hostile), Facts({hostile: hostile}), hostile])
    assert not any(character in text for character in "\x1b\x9b\u202e\u2066\r")
    assert text.count(r"\x1b[2J\x9b1m a\u202eb\u2066 \r\n bm25 1.0") == 5
    assert "größe 長さ क\u200dष" in written([Facts({"name": "größe 長さ क\u200dष"})])
    wide = as_text([Table(["a", "b"], [["\x1b", "1"], ["xxxx", "2"]])])
    assert len({len(line) for line in wide.splitlines()[1:]}) == 1


def test_json_for_a_terminal_says_the_same() -> None:
    value = {"\u202ea\x7f": ["\x9b", "\x1b\n\u2028", 1.5, "é\U0001f600"]}
    text = visible_json(value)
    assert json.loads(text) == value
    assert "é\U0001f600" in text
    assert not any(character in text for character in "\u202e\x7f\x9b\u2028")


def test_html_escapes_what_users_name() -> None:
    html = as_html([Table(["<a>"], [["<b>"]], title="<c>"), Facts({"<d>": "<e>"})])
    assert not any(f"<{letter}>" in html for letter in "abcde")


def test_axes_are_made_where_none_are_given() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    ax = axes_for(None)
    assert axes_for(ax) is ax
    pyplot.close(ax.figure)
