from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import DataFormatError
from rankmax.formats.predictions import read_scores, write_scores


@given(scores=st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_round_trip_is_bit_equal(scores: list[float], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("scores") / "scores.txt"
    write_scores(np.array(scores), path)
    read = read_scores(path, n_documents=len(scores))
    assert read.tobytes() == np.array(scores, np.float64).tobytes()


def test_last_column_of_ranklib_and_blank_lines_and_gzip(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt.gz"
    path.write_bytes(gzip.compress(b"q1\t0\t0.5\r\n\nq1\t1\t-2e3\n", mtime=0))
    np.testing.assert_array_equal(read_scores(path, n_documents=2), [0.5, -2000.0])


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"1\n\nabc\n3\n", 3, "score 'abc' is not a finite number"),
        (b"1\nnan\n3\n", 2, "score 'nan' is not a finite number"),
        (b"1\n2\ninf\n", 3, "score 'inf' is not a finite number"),
        (b"1_0\n2\n3\n", 1, "score '1_0' is not a finite number"),
        (b"1\n2\n", None, "2 scores for 3 documents"),
        (b"", None, "0 scores for 3 documents"),
        (b"\x001\n2\n3\n", None, "binary file"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, line: int | None, message: str) -> None:
    path = tmp_path / "scores.txt"
    path.write_bytes(content)
    with pytest.raises(DataFormatError, match=message) as error:
        read_scores(path, n_documents=3)
    assert error.value.line == line


@given(content=st.binary(max_size=60), n=st.integers(0, 5))
def test_fuzz(content: bytes, n: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("scores") / "scores.txt"
    path.write_bytes(content)
    try:
        scores = read_scores(path, n_documents=n)
    except DataFormatError:
        return
    assert scores.shape == (n,)
    assert np.isfinite(scores).all()
