from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from oracles.databases import sqlite_database
from rankmax.engines.sql.dialect import ANY, MYSQL, double, text
from rankmax.errors import IncompatibleError

TEXTS = st.text(st.sampled_from([*"'\\\\~}|ab\n;", "é"]) | st.characters(codec="utf-8", exclude_characters="\0"))


@given(TEXTS)
def test_a_literal_is_the_text_in_sqlite(value: str) -> None:
    with sqlite_database() as database:
        assert database.query(f"SELECT {text(value)}") == [(value,)]


@given(TEXTS)
def test_a_literal_means_the_same_whatever_a_backslash_means(value: str) -> None:
    """Outside of the one pair of them, which all read alike, there is no backslash."""
    literal = text(value).replace("SUBSTR('\\\\', 1, 1)", "")
    assert "\\" not in literal
    assert literal.count("'") % 2 == 0


def test_more_characters_than_there_are_substitutes() -> None:
    value = "".join(map(chr, range(32, 0x200)))
    with sqlite_database() as database:
        assert database.query(f"SELECT {text(value)}") == [(value,)]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_doubles_with_every_bit(value: float) -> None:
    assert float(double(value)) == value
    assert "e" in double(value)


def test_names_are_quoted_as_each_database_does() -> None:
    assert ANY.name('a"`b') == '"a""`b"'
    assert MYSQL.name('a"`b') == '`a"``b`'
    for name in ("", "a\\b", "a\0b"):
        with pytest.raises(IncompatibleError, match="databases read the column name"):
            ANY.name(name)
    with pytest.raises(IncompatibleError, match="leave the character 0 out"):
        text("\0")
