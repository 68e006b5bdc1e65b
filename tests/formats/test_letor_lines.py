import io
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.formats import letor_lines
from rankmax.formats.letor_lines import LineError, line_blocks, parse_block, zeros_in_own_pages

FLOAT64, FLOAT32 = np.dtype(np.float64), np.dtype(np.float32)


def parse(text, dtype=FLOAT64, max_feature=1000):
    return parse_block(np.frombuffer(bytearray(text), np.uint8), dtype, max_feature)


@given(st.text("ab\n", max_size=40).map(str.encode), st.integers(1, 12))
def test_blocks_are_the_lines_of_the_file(content, size):
    with patch.object(letor_lines, "_BLOCK", size):
        blocks = [block.tobytes() for block in line_blocks(io.BufferedReader(io.BytesIO(content)))]
    assert all(block.endswith(b"\n") for block in blocks)
    assert b"".join(blocks) == (content + b"\n" if content and not content.endswith(b"\n") else content)


def test_a_piece_holds_equal_columns_once():
    alike = parse(b"1 qid:a 2:1 4:2\n0 qid:a 2:3 4:4\n")
    assert (alike.values.tolist(), alike.columns.tolist()) == ([1, 2, 3, 4], [1, 3])
    for text in (b"1 qid:a 2:1 4:2\n0 qid:a 2:3 5:4\n", b"1 qid:a 2:1 4:2\n0 qid:a\n1 qid:b 2:1 4:2\n"):
        piece = parse(text)
        assert piece.columns.size == piece.values.size


def test_python_rounds_what_the_kernel_leaves_open():
    half_way, above = "9007199254740993.0000", "9007199254740993.0000000000000000000000000000000001"
    piece = parse(f"{above} qid:a 1:{half_way} 2:{above} 3:-{above}\n".encode())
    assert piece.grades.tolist() == [float(above)]
    assert piece.values.tolist() == [float(half_way), float(above), -float(above)]
    assert float(half_way) != float(above)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"good qid:1 1:2", "grade 'good' is not a number; expected lines such as '2 qid:10 1:0.5 2:0.25'"),
        (b"1_0 qid:1 1:2", "grade '1_0' is not a number; expected lines such as '2 qid:10 1:0.5 2:0.25'"),
        (b"nan qid:1 1:2", "grade 'nan' is not finite; expected lines such as '2 qid:10 1:0.5 2:0.25'"),
        (b"-1 qid:1", "grade '-1' is negative; the lowest grade is 0; expected"),
        (b"1 1:0.5", "expected 'qid:ID' after the grade, found '1:0.5'"),
        (b"1", "expected 'qid:ID' after the grade, found the end of the line"),
        (b"1 qid: 1:3", "expected 'qid:ID' after the grade, found 'qid:'"),
        (b"1 qid:\xff 1:3", "query id '\ufffd' is not UTF-8"),
        (b"1 qid:1 word", "expected 'feature:value', found 'word'"),
        (b"1 qid:1 0:1", "feature id '0' is not an integer from 1 to 1000"),
        (b"1 qid:1 -3:1", "feature id '-3' is not an integer from 1 to 1000"),
        (b"1 qid:1 1.5:1", "feature id '1.5' is not an integer from 1 to 1000"),
        (b"1 qid:1 1000000000000:1", "feature id '1000000000000' is not an integer from 1 to 1000"),
        (b"1 qid:1 1:one", "value 'one' is not a number"),
        (b"1 qid:1 1: 2:3", "value '' is not a number"),
        (b"1 qid:1 1:NaN", "value 'NaN' is not finite"),
        (b"1 qid:1 1:-inf", "value '-inf' is not finite"),
        (b"1 qid:1 1:1e309", "value '1e309' is not finite"),
        (b"1 qid:1 1:17976931348623158079372897140530341507993413e266", "is not finite"),
        (b"1 qid:1 3:1 2:1 03:1 #docid = 2:1", "feature 3 occurs twice"),
        (b"1 qid:1 1:\0", "not a text file: there are NUL bytes; expected lines such as"),
        ("1 qid:1 1:\u0661".encode(), "value '\u0661' is not a number"),  # float() takes any script's digits
        (b"1 qid:1 1:\x1c1", "value '\\x1c1' is not a number"),
        (b"1 qid:1 1:" + b"1" * 100 + b"x", "value '" + "1" * 60 + "' is not a number"),
        (b"1 qid:1 1:" + b"x" * 500, "value '" + "x" * 60 + "' is not a number"),
    ],
)
def test_reasons(line, reason):
    with pytest.raises(LineError) as caught:
        parse(b"# a comment\n1 qid:1 1:2\n" + line + b"\n")
    assert caught.value.line == 3
    assert reason in caught.value.reason


def test_too_large_for_float32():
    for text in ("1e39", "340282356779733661637539395458142568448.0"):  # the second rounds to infinity
        with pytest.raises(LineError, match="is too large for float32; read it with dtype=float64"):
            parse(f"1 qid:1 1:{text}\n".encode(), FLOAT32)
        assert parse(f"1 qid:1 1:{text}\n".encode()).values.tolist() == [float(text)]


def test_zeros_in_own_pages():
    for size in (0, 1, 100_000):
        zeros = zeros_in_own_pages(size, FLOAT32)
        assert zeros.shape == (size,)
        assert not zeros.any()
        zeros[:] = 1
