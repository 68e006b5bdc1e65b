from __future__ import annotations

import pytest

from rankmax._result_views import Facts, Table, as_html, as_text, axes_for, format_p


def test_small_p_values_are_not_zero() -> None:
    assert [format_p(p) for p in (0.25, 0.0001, 0.00009)] == ["0.2500", "0.0001", "<0.0001"]


def test_text_has_titles_and_aligned_columns() -> None:
    text = as_text([Table(["a", "b"], [["long name", "1"], ["x", "22"]], title="Title"), Facts({"k": "v"})])
    rows = [" a            b", " " + "─" * 14, " long name    1", " x           22"]
    assert text.splitlines() == ["Title", *rows, "", " k   v"]


def test_html_escapes_what_users_name() -> None:
    html = as_html([Table(["<a>"], [["<b>"]], title="<c>"), Facts({"<d>": "<e>"})])
    assert not any(f"<{letter}>" in html for letter in "abcde")


def test_axes_are_made_where_none_are_given() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    ax = axes_for(None)
    assert axes_for(ax) is ax
    pyplot.close(ax.figure)
