from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.ids import Ids
from rankmax.data.query_document_pairs import find_pairs, first_rows

pairs = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["a", "b", "c", "long" * 5, "long" * 5 + "x"])))


def constant_hashes(ids):
    return np.zeros(len(ids), np.uint64)


def short_hashes(ids):
    return np.array([len(raw) for raw in ids.to_bytes()], np.uint64)


@pytest.fixture(params=[None, constant_hashes, short_hashes], ids=["good", "constant", "length"])
def hashing(request):
    """Answers must not depend on how good the hash is."""
    if request.param is None:
        yield
    else:
        with patch.object(Ids, "hashes", request.param):
            yield


def table(rows):
    return np.array([q for q, _ in rows], np.int64), Ids.from_strings(d for _, d in rows)


@pytest.mark.usefixtures("hashing")
class TestExact:
    @given(rows=pairs)
    def test_first_rows(self, rows):
        assert first_rows(*table(rows)).tolist() == [rows.index(row) for row in rows]

    @given(rows=pairs, known=pairs.map(lambda rows: list(dict.fromkeys(rows))))
    def test_find_pairs(self, rows, known):
        expected = [known.index(row) if row in known else -1 for row in rows]
        assert find_pairs(*table(rows), *table(known)).tolist() == expected


def test_many_pairs():
    rng = np.random.default_rng(1)
    rows = [(int(q), f"d{d}") for q, d in zip(rng.integers(0, 50, 5000), rng.integers(0, 200, 5000), strict=True)]
    known = {row: n for n, row in enumerate(dict.fromkeys(rows[::3]))}
    assert find_pairs(*table(rows), *table(list(known))).tolist() == [known.get(row, -1) for row in rows]
