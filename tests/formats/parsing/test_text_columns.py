import gzip
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.trec import BLANKS
from rankmax.errors import DataFormatError
from rankmax.formats.parsing import text_columns as columns
from rankmax.formats.parsing.text_columns import ColumnFile

BLOCKS = [1, 7, 64, 1 << 19]


@pytest.fixture(scope="session")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("columns") / "file.txt"


def tokens(path, n_columns, block=1 << 19):
    names = [f"c{j}" for j in range(n_columns)]
    with patch.object(columns, "_BLOCK", block):
        file = ColumnFile(path, names)
        rows = []
        for part in file.blocks():
            assert len(part) > 0
            cells = [[file.token(*at) for at in zip(*map(list, part.column(j)), strict=True)] for j in range(n_columns)]
            rows += zip(*cells, strict=True)
    return rows


token = st.text(st.characters(min_codepoint=33, exclude_categories=["Cs"]), min_size=1, max_size=9)
blank = st.text(" \t\r\v\f", min_size=1, max_size=3)
margin = st.text(" \t\r", max_size=2)
line = st.one_of(
    st.tuples(margin, token, blank, token, blank, token, margin).map("".join),
    st.tuples(margin, token, blank, token, blank, token, margin).map("".join),
    margin,
)


@given(st.lists(line, max_size=30), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.sampled_from(BLOCKS))
def test_any_blanks_separate_columns(path, lines, newline, ends_in_newline, block):
    content = (newline.join(lines) + (newline if ends_in_newline else "")).encode()
    path.write_bytes(content)
    expected = [
        tuple(cell.decode() for cell in BLANKS.split(line) if cell)
        for line in content.split(b"\n")
        if BLANKS.sub(b"", line)
    ]
    if expected and expected[0][0].startswith("\ufeff"):
        return  # a mark, not a character: tested below
    if not expected:
        with pytest.raises(DataFormatError, match="empty file"):
            tokens(path, 3, block)
    else:
        assert tokens(path, 3, block) == expected


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("a b c\nd e\n", 2, 2),
        ("a b c\n\n\nd e f g\na b c", 4, 4),
        ("a b\nc d e f\n", 1, 2),  # as many tokens as three columns in two lines
        ("a\nb\nc\n", 1, 1),
        ("a b c\na b c\na b c x", 3, 4),
    ],
)
def test_wrong_number_of_columns(path, text, line, found, block):
    path.write_text(text)
    with pytest.raises(DataFormatError) as caught:
        tokens(path, 3, block)
    assert str(caught.value) == f"{path}:{line}: expected 3 columns (c0 c1 c2), found {found}"


@pytest.mark.parametrize("content", [b"", b"\n", b" \t\r\n  \n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_empty(path, content):
    path.write_bytes(content)
    with pytest.raises(DataFormatError, match=r"empty file; expected lines of 2 columns \(c0 c1\)"):
        tokens(path, 2)


def test_binary(path):
    path.write_bytes(b"a b\nc \0\n")
    with pytest.raises(DataFormatError, match=r":2: binary file \(null byte\); expected lines of 2 columns"):
        tokens(path, 2)


def test_not_utf8(path):
    path.write_bytes("a b\nc é\n".encode("latin-1"))
    with pytest.raises(DataFormatError, match=r":2: not UTF-8 text \(byte 0xe9\)"):
        tokens(path, 2)


def test_utf8_and_a_byte_order_mark(path):
    path.write_bytes("\ufeffé 日本\n".encode())
    assert tokens(path, 2) == [("é", "日本")]


def test_endless_line(path):
    path.write_bytes(b"a b\n" + b"x" * 5000)
    with patch.object(columns, "_LONGEST_LINE", 4096), pytest.raises(DataFormatError, match=":2: a line of more than"):
        tokens(path, 2, 8)


def test_long_token_is_shortened_in_messages(path):
    path.write_text("x" * 500 + " b\n")
    assert tokens(path, 2) == [("x" * 60 + "...", "b")]


def test_gzip_much_larger_than_its_file(path):
    content = b"query document\n" * 300_000
    path.write_bytes(gzip.compress(content, mtime=0))
    file = ColumnFile(path, ["query", "document"])
    assert sum(map(len, file.blocks())) == 300_000


@pytest.mark.parametrize("cut", [5, 15, 30])
def test_truncated_gzip(path, cut):
    path.write_bytes(gzip.compress(b"query document\n" * 100, mtime=0)[:cut])
    with pytest.raises(DataFormatError, match="damaged or truncated gzip"):
        ColumnFile(path, ["query", "document"])
