import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array

from rankmax._kernels.parsing import letor_text

GUARD = 7


def parse(text, max_feature=1000, dtype=np.float64):
    """Parse into arrays of the promised sizes, with guards behind them that must stay as they are."""
    n = len(text)
    sizes = {
        "values": (n // letor_text.BYTES_PER_VALUE + 1, dtype),
        "columns": (n // letor_text.BYTES_PER_VALUE + 1, np.int32),
        "grades": (n // letor_text.BYTES_PER_DOCUMENT + 1, np.float64),
        "row_stops": (n // letor_text.BYTES_PER_DOCUMENT + 1, np.int64),
        "queries": ((n // letor_text.BYTES_PER_DOCUMENT + 1, 4), np.int64),
        "docids": (n, np.uint8),
        "docid_stops": (n // letor_text.BYTES_PER_DOCUMENT + 1, np.int64),
        "undecided": ((n // letor_text.BYTES_PER_UNDECIDED + 1, 4), np.int64),
    }
    guarded = {name: np.full(np.prod(size) + 8, GUARD, kind) for name, (size, kind) in sizes.items()}
    arrays = {name: guarded[name][:-8].reshape(size) for name, (size, _) in sizes.items()}
    extent = letor_text.Extent(
        *letor_text.parse_lines(np.frombuffer(bytearray(text), np.uint8), max_feature, *arrays.values())
    )
    assert all((array[-8:] == GUARD).all() for array in guarded.values())
    return extent, arrays


def test_parse_lines():
    text = b"# header\n\n2 qid:a 1:0.5 3:-2e1 #docid = d1\n  0\tqid:a 2:1#x\r\n1.5 qid:b # docid=d3 inc = 1\n"
    extent, arrays = parse(text)
    assert extent == letor_text.Extent(3, 3, 2, 4, 0, 5, 3, 3, letor_text.NO_FAULT, len(text))
    assert arrays["values"][:3].tolist() == [0.5, -20.0, 1.0]
    assert arrays["columns"][:3].tolist() == [0, 2, 1]
    assert arrays["grades"][:3].tolist() == [2.0, 0.0, 1.5]
    assert arrays["row_stops"][:3].tolist() == [2, 3, 3]
    assert arrays["docids"][:4].tobytes() == b"d1d3"
    assert arrays["docid_stops"][:3].tolist() == [2, 2, 4]
    assert [(row, line, text[a:b]) for row, line, a, b in arrays["queries"][:2].tolist()] == [
        (0, 3, b"a"),
        (2, 5, b"b"),
    ]


def test_numbers_for_python_are_listed_with_their_place():
    half_way = "9007199254740993.0000"
    text = f"1 qid:a 1:1\n{half_way} qid:a 1:2 2:{half_way}\n".encode()
    extent, arrays = parse(text)
    found = [(index, line, text[a:b].decode()) for index, line, a, b in arrays["undecided"][: extent.n_undecided]]
    assert found == [(-2, 2, half_way), (2, 2, half_way)]


@pytest.mark.parametrize(
    ("line", "fault", "rest"),
    [
        (b"x qid:1", letor_text.BAD_GRADE, b"x qid:1"),
        (b"-1 qid:1", letor_text.BAD_GRADE, b"-1 qid:1"),
        (b"1x qid:1", letor_text.BAD_GRADE, b"1x qid:1"),
        (b"1", letor_text.BAD_QUERY, b""),
        (b"1 1:2", letor_text.BAD_QUERY, b"1:2"),
        (b"1 qid:", letor_text.BAD_QUERY, b"qid:"),
        (b"1 qid:1 2", letor_text.BAD_FEATURE, b"2"),
        (b"1 qid:1 0:2", letor_text.BAD_FEATURE, b"0:2"),
        (b"1 qid:1 1001:2", letor_text.BAD_FEATURE, b"1001:2"),
        (b"1 qid:1 99999999999999999999999999:2", letor_text.BAD_FEATURE, b"99999999999999999999999999:2"),
        (b"1 qid:1 :2", letor_text.BAD_FEATURE, b":2"),
        (b"1 qid:1 1:", letor_text.BAD_VALUE, b""),
        (b"1 qid:1 1:2:3", letor_text.BAD_VALUE, b"2:3"),
        (b"1 qid:1 1:1e999", letor_text.BAD_VALUE, b"1e999"),
        (b"1 qid:1 2:1 1:1 2:1", letor_text.REPEATED_FEATURE, b""),
    ],
)
def test_faults(line, fault, rest):
    text = b"0 qid:1\n" + line + b"\n"
    extent, _ = parse(text)
    assert (extent.fault, extent.n_lines, extent.n_documents) == (fault, 2, 1)
    assert text[extent.position :] == rest + b"\n"


def test_too_large_for_float32():
    text = b"0 qid:1 1:1e39\n"
    assert parse(text)[0].fault == letor_text.NO_FAULT
    assert parse(text, dtype=np.float32)[0].fault == letor_text.BAD_VALUE


tokens = st.sampled_from([
    b"0", b"1 ", b"qid:1", b"1:1", b"2:1", b"\n", b" ", b"#", b"docid=", b"0 qid:a\n", b"0 qid:a 1:1 2:1 3:1\n",
    b"12345678901234567890", b"0." + b"9" * 19, b":", b"\r", b"\0", b"\xff",
])  # fmt: skip


@given(st.lists(tokens, max_size=30).map(b"".join))
def test_stays_within_its_arrays_whatever_the_text(text):
    extent, _ = parse(text + b"\n", max_feature=2**31 - 1)
    assert extent.fault or extent.position == len(text) + 1


@given(st.binary(max_size=20))
def test_end_of_last_line(text):
    assert letor_text.end_of_last_line(np.frombuffer(bytearray(text), np.uint8), len(text)) == text.rfind(b"\n") + 1


@pytest.mark.parametrize("same_columns", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_layout(same_columns, dtype):
    rng = np.random.default_rng(3)
    n_rows, n_columns, first_row = 40, 9, 5
    if same_columns:
        chosen = [np.array([4, 0, 7])] * n_rows
        columns = chosen[0].astype(np.int32)
    else:
        chosen = [rng.permutation(n_columns)[: rng.integers(n_columns)] for _ in range(n_rows)]
        columns = np.concatenate(chosen).astype(np.int32)
    row_stops = np.cumsum([c.size for c in chosen])
    values = rng.integers(0, 3, row_stops[-1]).astype(dtype)  # a third of them 0
    expected = np.zeros((n_columns, first_row + n_rows), dtype)
    for row, (ids, stop) in enumerate(zip(chosen, row_stops, strict=True)):
        expected[ids, first_row + row] = values[stop - ids.size : stop]

    dense = np.zeros_like(expected)
    letor_text.fill_dense(values, columns, row_stops, first_row, dense)
    assert np.array_equal(dense, expected)

    sparse = csc_array(expected.T)
    counts = np.zeros(n_columns, np.int64)
    letor_text.count_nonzeros(values, columns, counts)
    assert counts.tolist() == np.diff(sparse.indptr).tolist()
    data, indices = np.zeros(sparse.nnz, dtype), np.zeros(sparse.nnz, np.int32)
    for first, stop in [(0, 4), (4, n_columns)]:
        next_free = sparse.indptr[first:stop].astype(np.int64)
        letor_text.fill_sparse(values, columns, row_stops, first_row, first, next_free, indices, data)
    assert np.array_equal(data, sparse.data)
    assert np.array_equal(indices, sparse.indices)
