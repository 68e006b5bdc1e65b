import gzip
import re
import subprocess
import sys
import tracemalloc
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csc_array
from sklearn.datasets import load_svmlight_file

from oracles.letor import parse_letor
from rankmax.data.dataset import RankingDataset
from rankmax.errors import DataFormatError, InvalidDataError, InvalidParameterError
from rankmax.formats import letor_lines
from rankmax.formats.letor import read_letor, write_letor

BLOCKS = [1, 60, 1 << 20]
ODD = (
    b"# any comment 3:4 qid:9\r\n"
    b"2 qid:q-7 3:.5 1:1e-3   #docid = GX000-00-0000000 inc = 1 prob = 0.02\r\n"
    b"\r\n"
    b"\t+0.5\tqid:q-7 #docid=x#y\r\n"
    b"  # another\n"
    b"0 qid:\xc3\xa9 6:-2. 2:+7E+1# no docid\n"
    b"1 qid:z#docid = last"
)


@pytest.fixture(scope="session")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("letor") / "file.txt"


def read(path, content, **options):
    path.write_bytes(content)
    return read_letor(path, **options)


def dense(data):
    return data.features.toarray() if data.is_sparse else data.features


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes("F") == b.tobytes("F")


def assert_as_oracle(data, content):
    grades, queries, documents, features = parse_letor(content)
    expected = np.zeros((len(grades), data.n_features))
    for row, by_id in enumerate(features):
        for feature, value in by_id.items():
            expected[row, feature - 1] = value
    assert data.grades.tolist() == grades
    assert [data.query_ids[q] for q in data.judgments.query_of_document] == queries
    assert (data.document_ids.to_bytes() if data.document_ids is not None else [b""] * len(grades)) == documents
    assert np.array_equal(dense(data), expected) if data.is_sparse else same_bits(data.features, expected)
    assert data.feature_names == tuple(f"f{j + 1}" for j in range(data.n_features))


@pytest.mark.parametrize("block", BLOCKS)
def test_odd_but_well_formed(path, block):
    with patch.object(letor_lines, "_BLOCK", block):
        data = read(path, ODD)
    assert_as_oracle(data, ODD)
    assert data.features.tolist() == [[0.001, 0, 0.5, 0, 0, 0], [0] * 6, [0, 70, 0, 0, 0, -2], [0] * 6]
    assert data.query_ids == ("q-7", "é", "z")
    assert data.query_offsets.tolist() == [0, 2, 3, 4]
    assert data.document_ids.to_list() == ["GX000-00-0000000", "x#y", "", "last"]
    assert data.features.flags.f_contiguous
    assert not data.features.flags.writeable


def test_gzip_is_known_by_content(path):
    assert_as_oracle(read(path, gzip.compress(ODD, mtime=0)), ODD)


def test_n_features_fixes_the_width(path):
    assert read(path, b"1 qid:1 2:5\n", n_features=4).features.tolist() == [[0, 5, 0, 0]]
    with pytest.raises(DataFormatError, match=r"file\.txt:1: feature id '2' is not an integer from 1 to 1$"):
        read_letor(path, n_features=1)


def test_no_features_at_all(path):
    assert read(path, b"1 qid:1\n0 qid:1\n").features.shape == (2, 0)


def test_float32_is_the_cast_of_float64(path):
    content = b"1 qid:1 " + b" ".join(
        b"%d:%a" % (j + 1, v) for j, v in enumerate(np.random.default_rng(1).random(99).tolist())
    )
    wide, narrow = read(path, content), read(path, content, dtype=np.float32)
    assert same_bits(narrow.features, wide.features.astype(np.float32))


def test_sparse_where_the_file_has_little_of_the_matrix(path):
    wide = b"".join(b"1 qid:1 %d:1 %d:0 70:%d\n" % (j + 100, j + 101, j) for j in range(2000))
    data = read(path, wide)
    assert isinstance(data.features, csc_array)
    assert_as_oracle(data, wide)
    assert data.features.nnz == 2000 + 1999  # explicit zeros are not stored
    assert data.features.indices.dtype == data.features.indptr.dtype == np.int32
    assert same_bits(read(path, wide, sparse=False).features, data.features.toarray(order="F"))
    assert not read(path, b"1 qid:1 1:1 500:1\n").is_sparse
    assert read(path, b"1 qid:1 1:1 2:1\n", sparse=True).is_sparse


@pytest.mark.parametrize("n_threads", [1, 3])
def test_same_bits_for_any_number_of_threads(path, n_threads, use_threads):
    use_threads(n_threads)
    rng = np.random.default_rng(5)
    lines = [f"{i % 3} qid:{i // 7} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row)) for i, row in
             enumerate(rng.random((300, 5)).tolist())]  # fmt: skip
    content = "\n".join(lines).encode()
    with patch.object(letor_lines, "_BLOCK", 1000):
        for sparse in (False, True):
            assert_as_oracle(read(path, content, sparse=sparse), content)


@pytest.mark.parametrize("sparse", [False, True])
def test_as_scikit_learn(path, sparse):
    rng = np.random.default_rng(7)
    lines = []
    for i in range(200):
        chosen = np.flatnonzero(rng.random(30) < 0.6)
        pairs = " ".join(f"{j + 1}:{v:.6g}" for j, v in zip(chosen, rng.normal(0, 1e3, chosen.size), strict=True))
        lines.append(f"{rng.integers(5)} qid:{i // 9} {pairs} # note\n")
    data = read(path, "".join(lines).encode(), sparse=sparse)
    X, y, qid = load_svmlight_file(str(path), query_id=True)
    assert np.array_equal(dense(data), X.toarray())
    assert data.grades.tolist() == y.tolist()
    assert [int(data.query_ids[q]) for q in data.judgments.query_of_document] == qid.tolist()


@pytest.mark.parametrize("name", ["MQ2008/S1", "MQ2008/S4", "OHSUMED/S2"])
def test_real_files_as_the_oracle(shared_data, name):
    file = shared_data / "letor" / f"{name}.txt.gz"
    with patch.object(letor_lines, "_BLOCK", 100_000):
        data = read_letor(file)
    assert_as_oracle(data, gzip.decompress(file.read_bytes()))
    assert data.document_ids is not None


ids = st.text(st.characters(codec="utf-8", exclude_characters="\0 \t\n\v\f\r#"), min_size=1, max_size=5)


@st.composite
def datasets(draw):
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    shape = draw(st.tuples(st.integers(1, 12), st.integers(1, 5)))
    finite = hnp.from_dtype(np.dtype(dtype), allow_nan=False, allow_infinity=False)
    X = draw(hnp.arrays(dtype, shape, elements=st.sampled_from([0.0, -0.0, 1.0]) | finite))
    grades = draw(st.lists(st.integers(0, 4) | st.floats(1e-99, 1e99), min_size=shape[0], max_size=shape[0]))
    queries = draw(st.lists(ids, min_size=1, max_size=4, unique=True))
    qid = draw(st.lists(st.sampled_from(queries), min_size=shape[0], max_size=shape[0]))
    documents = draw(st.none() | st.lists(ids | st.just(""), min_size=shape[0], max_size=shape[0]))
    matrix = csc_array(X) if draw(st.booleans()) else X
    return RankingDataset.from_arrays(matrix, grades, qid=qid, document_ids=documents)


@pytest.mark.parametrize("name", ["data.txt", "data.txt.gz"])
@given(data=datasets(), block=st.sampled_from(BLOCKS))
def test_round_trip(path, name, data, block):
    file = path.with_name(name)
    write_letor(data, file)
    assert file.read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")
    with patch.object(letor_lines, "_BLOCK", block):
        back = read_letor(file, dtype=data.features.dtype, sparse=data.is_sparse)
    assert same_bits(dense(back), dense(data))
    if data.is_sparse:
        assert back.features.nnz == np.count_nonzero(data.features.data)
    assert same_bits(back.grades, data.grades)
    assert back.query_ids == data.query_ids
    assert back.query_offsets.tolist() == data.query_offsets.tolist()
    written_ids = [] if data.document_ids is None else data.document_ids.to_bytes()
    assert ([] if back.document_ids is None else back.document_ids.to_bytes()) == (
        written_ids if any(written_ids) else []
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"grades": [1, np.nan]}, "document 1 is not judged; a LETOR file needs a grade on every line"),
        ({"qid": ["a b", "a b"]}, "query id 'a b' cannot be written; LETOR's have no blank and no '#'"),
        ({"qid": ["", ""]}, "query id '' cannot be written"),
        ({"qid": ["a#b", "a#b"]}, "query id 'a#b' cannot be written"),
        ({"qid": ["\ud800", "\ud800"]}, "cannot be written"),
        ({"document_ids": ["d1", "d 2"]}, "document id 'd 2' cannot be written; LETOR's have no blank"),
    ],
)
def test_what_the_format_cannot_express_is_refused(path, arguments, message):
    path.write_bytes(b"as it was")
    data = RankingDataset.from_arrays([[1.0], [2.0]], **{"grades": [1, 0], "qid": ["q", "q"], **arguments})
    with pytest.raises(InvalidDataError, match=message):
        write_letor(data, path)
    assert path.read_bytes() == b"as it was"


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"file\.txt: no documents; expected lines such as '2 qid:10 1:0\.5 2:0\.25'$"),
        (b"# nothing\n\n#docid = x\n", r"file\.txt: no documents"),
        (b"1 qid:a 1:1\n# c\n\n1 qid:a 1:x\n", r"file\.txt:4: value 'x' is not a number"),
        (b"1 qid:a 1:1\n1 qid:a 1:nan", r"file\.txt:2: value 'nan' is not finite"),
        (b"1 qid:a\n1 qid:b\n\n0 qid:a\n", r"file\.txt:4: query 'a' again, after other queries \(first in line 1\)"),
        (b"0 qid:a\n0 qid:a 1000000000000:1", ":2: feature id '1000000000000' is not an integer from 1 to 2147483647$"),
        (
            b"1 qid:a 1:1\n1 qid:a 70000:1 1:2\n",
            r"file\.txt:2: feature id 70000 in a file of 3 values; ids up to 65536 are allowed for it, and larger ones "
            r"with n_features=70000$",
        ),
        (b"\x00\x01\x02\x03", r"file\.txt:1: not a text file: there are NUL bytes"),
        (b"PK\x03\x04\x14\x00\x00\x00\n", r"file\.txt:1: not a text file: there are NUL bytes"),
        (gzip.compress(ODD, mtime=0)[:-9], r"file\.txt: damaged or truncated gzip file"),
        (gzip.compress(b"1 qid:a 1:0 1:0\n", mtime=0), r"file\.txt:1: feature 1 occurs twice"),
    ],
)  # fmt: skip
def test_bad_files(path, content, message, block):
    with patch.object(letor_lines, "_BLOCK", block), pytest.raises(DataFormatError, match=message):
        read(path, content)


def test_large_ids_on_request(path):
    data = read(path, b"1 qid:a 1:1 70000:2\n", n_features=100_000)
    assert data.is_sparse
    assert data.features.shape == (1, 100_000)


def test_dense_out_of_proportion_is_refused(path):
    with pytest.raises(
        DataFormatError, match="3000 documents x 60000 features are too many to be dense with only 3000"
    ):
        read(path, b"1 qid:a 60000:1\n" * 3000, sparse=False)


def test_bad_parameters(path):
    path.write_bytes(ODD)
    for options in ({"dtype": np.int64}, {"dtype": np.float16}, {"n_features": 0}, {"n_features": 2**31}):
        with pytest.raises(InvalidParameterError):
            read_letor(path, **options)
    with pytest.raises(DataFormatError, match="no such file"):
        read_letor(path.with_name("absent.txt"))


fragments = st.sampled_from([
    b"0 ", b"1 qid:a ", b"2 qid:b ", b"qid:", b"1:1 ", b"2:0.5", b"3:-1e5 ", b"70000:1 ", b"9" * 20, b".", b":", b"-",
    b" ", b"\n", b"\n", b"\r\n", b"#", b"#docid = d", b"nan", b"\0", b"\xff", b"\x1f\x8b", b"e", b"+",
])  # fmt: skip


@given(st.binary(max_size=60) | st.lists(fragments, max_size=40).map(b"".join), st.sampled_from(BLOCKS))
def test_fuzz_agrees_with_the_oracle(path, content, block):
    try:
        parse_letor(content)
        first_bad_line = None
    except ValueError as error:
        first_bad_line = error.args[0]
    try:
        with patch.object(letor_lines, "_BLOCK", block):
            data = read(path, content)
    except DataFormatError as error:
        refused = error
    else:
        assert first_bad_line is None
        assert_as_oracle(data, content)
        return
    if first_bad_line is None or content.startswith(b"\x1f\x8b"):  # well-formed lines, refused as a whole
        assert re.search("no documents|gzip|n_features=", refused.reason)
    else:
        assert refused.line >= first_bad_line  # a query that comes again is noticed after other faults of its block


@given(st.integers(0, len(ODD) - 1), st.binary(max_size=3), st.integers(0, 4), st.booleans())
def test_fuzz_mutations(path, position, replacement, n_removed, packed):
    whole = gzip.compress(ODD, mtime=0) if packed else ODD
    position %= len(whole)
    try:
        data = read(path, whole[:position] + replacement + whole[position + n_removed :])
    except DataFormatError:
        return
    assert data.n_documents >= 1


@pytest.mark.parametrize(
    "content",
    [
        b"0 qid:a 65536:1\n" * 5000,
        b"0 qid:a\n" * 5000,
        b"0 qid:a 1:1 2:1 3:1 4:1\n" * 5000,
        b"0 qid:a 1:1 40000:1\n1 qid:a 2:1\n" * 2000,
        b"0 qid:a " + b":" * 50_000,
        b"#" * 50_000,
        b"0" * 50_000,
        b"0 qid:a #docid = " + b"d" * 50_000 + b"\n",
        b"0 qid:a 2147483647:1\n" * 2000,
        b"".join(b"0 qid:%d\n" % q for q in range(5000)),
        b"0 qid:a 1:" + b"1" * 50_000 + b"e-50000\n",
    ],
)
def test_memory_stays_in_proportion_to_the_file(path, content):
    read(path, ODD)  # compiled and imported before the count starts
    read(path, b"1 qid:1 1:1\n", sparse=True)
    tracemalloc.start()
    with patch.object(letor_lines, "_BLOCK", 1 << 12):
        try:
            data = read(path, content)
            size = sum(a.nbytes for a in ([data.features.data, data.features.indices, data.features.indptr]
                                          if data.is_sparse else [data.features]))  # fmt: skip
        except DataFormatError:
            size = 0
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    free = 8 << 20  # 65,536 feature names and columns, which any file may have
    assert size < free + 16 * len(content)
    assert peak < free + 64 * len(content)


def test_importing_the_reader_does_not_import_numba():
    code = "import sys, rankmax.formats.letor; sys.exit('numba' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
