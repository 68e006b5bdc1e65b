import contextlib
import gzip
import subprocess
import sys
import tracemalloc
from unittest.mock import patch

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import trec as oracle
from rankmax.data.ids import Ids
from rankmax.data.runs import Qrels, Run
from rankmax.errors import DataFormatError, InvalidDataError, RankmaxError
from rankmax.formats.parsing import text_columns as columns
from rankmax.formats.trec import read_qrels, read_run, write_qrels, write_run

BLOCKS = [1, 50, 1 << 19]
RUNS = ["bm25", "rm3", "splade", "colbert", "e5", "monot5"]


@pytest.fixture(scope="session")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("trec") / "file.txt"


blank = st.text(" \t", min_size=1, max_size=3)
query_id = st.sampled_from(["1", "2", "10", "query-with-a-long-name", "é"])
document_id = st.sampled_from([f"d{n}" for n in range(30)] + ["clueweb12-0000tw-00-00000", "日本", "x" * 8])
score = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.integers(-9, 9).map(str)
grade = st.integers(-2, 4).map(str)


@st.composite
def documents(draw, *tail):
    """Return a file's text with odd blanks, blank lines, interleaved queries, and no document twice in a query."""
    keys = draw(st.lists(st.tuples(query_id, document_id), min_size=1, max_size=40, unique=True))
    if draw(st.booleans()):
        keys.sort()
    newline = draw(st.sampled_from(["\n", "\r\n", " \n", "\n\n"]))
    lines = []
    for query, document in keys:
        cells = [query, "0", document, *(draw(cell) for cell in tail)]
        lines.append("".join(cell + draw(blank) for cell in cells[:-1]) + cells[-1])
    return (newline.join(lines) + draw(st.sampled_from(["", "\n"]))).encode()


run_files = documents(st.just("1"), score, st.sampled_from(["bm25", "tag"]))
qrels_files = documents(grade)


def nested_items(nested):
    """As lists, so that the order counts too."""
    return [(query, list(documents.items())) for query, documents in nested.items()]


@given(run_files, st.sampled_from(BLOCKS))
def test_runs_are_read_as_by_the_oracle(path, content, block):
    path.write_bytes(content)
    with patch.object(columns, "_BLOCK", block):
        run = read_run(path)
    assert nested_items(run.to_dict()) == nested_items(oracle.read_run(content))
    assert run.tag == content.split()[5].decode()
    assert (run.n_queries, run.n_documents) == (len(run.query_ids), run.scores.size)
    assert run.query_of_document.tolist() == [q for q, n in enumerate(np.diff(run.query_offsets)) for _ in range(n)]


@given(qrels_files, st.sampled_from(BLOCKS))
def test_qrels_are_read_as_by_the_oracle(path, content, block):
    path.write_bytes(content)
    with patch.object(columns, "_BLOCK", block):
        qrels = read_qrels(path)
    assert nested_items(qrels.to_dict()) == nested_items(oracle.read_qrels(content))


def agrees_with_oracle(path, content, read, read_slowly):
    path.write_bytes(content)
    try:
        expected = read_slowly(content)
    except oracle.RefusedError:
        with pytest.raises(DataFormatError):
            read(path)
    else:
        assert read(path).to_dict() == expected


mutations = st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=3), st.integers(0, 3)), min_size=1, max_size=3)


def mutate(content, changes):
    for where, inserted, n_removed in changes:
        at = int(where * len(content))
        content = content[:at] + inserted + content[at + n_removed :]
    return content


@given(run_files, mutations, st.sampled_from(BLOCKS))
def test_mutated_runs_are_read_or_refused(path, content, changes, block):
    with patch.object(columns, "_BLOCK", block):
        agrees_with_oracle(path, mutate(content, changes), read_run, oracle.read_run)


@given(qrels_files, mutations, st.sampled_from(BLOCKS))
def test_mutated_qrels_are_read_or_refused(path, content, changes, block):
    with patch.object(columns, "_BLOCK", block):
        agrees_with_oracle(path, mutate(content, changes), read_qrels, oracle.read_qrels)


noise = st.binary(max_size=200) | st.text("0123 \t\r\n.e-+naif_é\0", max_size=200).map(str.encode)


@given(noise.filter(lambda content: not content.startswith(b"\x1f\x8b")), st.sampled_from(BLOCKS))
def test_noise_is_read_or_refused(path, content, block):
    with patch.object(columns, "_BLOCK", block):
        agrees_with_oracle(path, content, read_run, oracle.read_run)
        agrees_with_oracle(path, content, read_qrels, oracle.read_qrels)


@given(run_files, mutations)
def test_damaged_gzip_is_read_or_refused(path, content, changes):
    path.write_bytes(mutate(gzip.compress(content, mtime=0), changes))
    with contextlib.suppress(DataFormatError):
        read_run(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q Q0 d1 1 2.0 t\nq Q0 d2 2\n", ":2: expected 6 columns (query Q0 document rank score tag), found 4"),
        ("q Q0 d1 1 2.0 my tag\n", ":1: expected 6 columns (query Q0 document rank score tag), found 7"),
        ("q Q0 d1 1 2.0 t\n\nq Q0 d2 2 high t\n", ":3: score 'high' is not a finite number"),
        ("q Q0 d1 1 nan t\n", ":1: score 'nan' is not a finite number"),
        ("q Q0 d1 1 -inf t\n", ":1: score '-inf' is not a finite number"),
        ("q Q0 d1 1 1e400 t\n", ":1: score '1e400' is not a finite number"),
        ("q Q0 d1 1 1_000 t\n", ":1: score '1_000' is not a finite number"),
        ("q Q0 d1 1 0,5 t\n", ":1: score '0,5' is not a finite number"),
        ("", ": empty file; expected lines of 6 columns (query Q0 document rank score tag)"),
        (
            "q Q0 d\0 1 1 t\n",
            ":1: binary file (null byte); expected lines of 6 columns (query Q0 document rank score tag)",
        ),
        (
            "q Q0 d1 1 3 t\n\np Q0 d1 1 3 t\nq Q0 d1 2 2 t\n",
            ":4: document 'd1' occurs twice in query 'q', first in line 1",
        ),
    ],
)
def test_what_is_wrong_with_a_run(path, text, message):
    path.write_text(text)
    with pytest.raises(DataFormatError) as caught:
        read_run(path)
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q 0 d1 1\nq 0 d2\n", ":2: expected 4 columns (query iteration document grade), found 3"),
        ("q 0 d1 1\nq 0 d2 1.5\n", ":2: grade '1.5' is not an integer"),
        ("q 0 d1 relevant\n", ":1: grade 'relevant' is not an integer"),
        ("q 0 d1 -\n", ":1: grade '-' is not an integer"),
        ("q 0 d1 99999999999999999999\n", ":1: grade '99999999999999999999' is not an integer"),
        ("\n \n", ": empty file; expected lines of 4 columns (query iteration document grade)"),
        ("q 0 d1 1\nq 0 d2 0\nq 0 d1 1\n", ":3: document 'd1' occurs twice in query 'q', first in line 1"),
    ],
)
def test_what_is_wrong_with_qrels(path, text, message):
    path.write_text(text)
    with pytest.raises(DataFormatError) as caught:
        read_qrels(path)
    assert str(caught.value) == f"{path}{message}"


@given(st.integers(0, 200), st.sampled_from(["q Q0 d 1 2.0", "q Q0 d 1 x t", "q Q0 d5 1 2.0 t"]))
def test_the_line_of_an_error_is_the_line_of_the_file(path, at, bad_line):
    lines = [f"q Q0 d{n} 1 2.0 t" if n % 7 else "" for n in range(201)]
    lines.insert(at, bad_line)
    if at <= 5 and "d5" in bad_line:
        return  # the second of the two lines is another one
    path.write_text("\n".join(lines))
    with patch.object(columns, "_BLOCK", 100), pytest.raises(DataFormatError) as caught:
        read_run(path)
    assert caught.value.line == at + 1


@pytest.mark.parametrize("read", [read_run, read_qrels])
def test_files_that_cannot_be_read(tmp_path, read):
    with pytest.raises(DataFormatError, match="no such file"):
        read(tmp_path / "absent.txt")
    with pytest.raises(DataFormatError, match="folder"):
        read(tmp_path)
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"q 0 d 1\n" * 1000, mtime=0)[:-10])
    with pytest.raises(DataFormatError, match="damaged or truncated gzip"):
        read(tmp_path / "cut.gz")


def test_equal_hashes_are_not_equal_documents(path):
    path.write_text("q Q0 d1 1 2.0 t\nq Q0 d2 2 1.0 t\n")
    with patch.object(Ids, "hashes", lambda ids: np.zeros(len(ids), np.uint64)):
        assert read_run(path).to_dict() == {"q": {"d1": 2.0, "d2": 1.0}}


nested_scores = st.dictionaries(
    query_id, st.dictionaries(document_id, st.floats(allow_nan=False, allow_infinity=False), min_size=1), min_size=1
)
nested_grades = st.dictionaries(query_id, st.dictionaries(document_id, st.integers(-3, 10), min_size=1), min_size=1)


@given(nested_scores)
def test_run_written_and_read_back(path, scores):
    run = Run.from_dict(scores, tag="mine")
    assert nested_items(run.to_dict()) == nested_items(scores)
    write_run(run, path)
    back = read_run(path)
    assert (back.to_dict(), back.tag) == (scores, "mine")
    for start, stop in zip(back.query_offsets, back.query_offsets[1:], strict=False):
        assert (np.diff(back.scores[start:stop]) <= 0).all()
    ranks = [line.split()[3] for line in path.read_text().splitlines()]
    assert ranks == [str(rank) for documents in scores.values() for rank in range(1, len(documents) + 1)]


@given(nested_grades)
def test_qrels_written_and_read_back(path, grades):
    qrels = Qrels.from_dict(grades)
    write_qrels(qrels, path)
    assert nested_items(read_qrels(path).to_dict()) == nested_items(grades)


def test_ties_are_written_in_their_order(path):
    write_run(Run.from_dict({"q": {"b": 1.0, "a": 1.0, "c": 2.0}}), path)
    assert [line.split()[2] for line in path.read_text().splitlines()] == ["c", "b", "a"]
    write_run(Run.from_dict({"q": {"a": 1.0, "b": 1.0, "c": 2.0}}), path, keep_ties=True)
    assert [line.split()[2] for line in path.read_text().splitlines()] == ["c", "a", "b"]


def test_gzip_by_name(tmp_path):
    run = Run.from_dict({"q": {"d": 0.1}})
    write_run(run, tmp_path / "a.run.gz")
    assert gzip.decompress((tmp_path / "a.run.gz").read_bytes()) == b"q Q0 d 1 0.1 rankmax\n"
    assert read_run(tmp_path / "a.run.gz").to_dict() == run.to_dict()


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ({"q": {"d": float("nan")}}, "score nan of document 'd' in query 'q': not a finite number"),
        ({"q": {"d": "high"}}, "score 'high' of document 'd' in query 'q'"),
        ({"q": {"d": None}}, "score None of document 'd' in query 'q'"),
        ({"q 1": {"d": 1.0}}, "query id 'q 1' must not be empty or contain blanks"),
        ({"q": {"": 1.0}}, "document id '' must not be empty or contain blanks"),
        ({"q": {"d\n": 1.0}}, "document id 'd\\n' must not be empty"),
        ({1: {"d": 1.0}}, "query id 1 is not a string"),
        ({"q": {"\ud800": 1.0}}, "is not a string of Unicode text"),
    ],
)
def test_scores_that_make_no_run(nested, message):
    with pytest.raises(InvalidDataError) as caught:
        Run.from_dict(nested)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("grade", "message"), [(1.5, "not an integer"), ("1", "not an integer"), (2**63, "more than 64 bits")]
)
def test_grades_that_make_no_qrels(grade, message):
    with pytest.raises(InvalidDataError, match=message):
        Qrels.from_dict({"q": {"d": grade}})


def test_bad_tag():
    with pytest.raises(RankmaxError, match="tag 'my tag' must not be empty or contain blanks"):
        Run.from_dict({"q": {"d": 1.0}}, tag="my tag")


@pytest.mark.parametrize("name", RUNS)
def test_real_runs(shared_data, name):
    path = shared_data / "runs" / "dl19-passage" / f"{name}.run.gz"
    run = read_run(path)
    assert nested_items(run.to_dict()) == nested_items(oracle.read_run(gzip.decompress(path.read_bytes())))
    theirs = {}
    for line in ir_measures.read_trec_run(str(path)):
        theirs.setdefault(line.query_id, {})[line.doc_id] = line.score
    assert run.to_dict() == theirs


def test_real_qrels(shared_data):
    paths = [shared_data / "runs" / "dl19-passage" / "qrels.trec.gz", *shared_data.glob("text/*/qrels*.trec.gz")]
    assert len(paths) > 1
    for path in paths:
        content = gzip.decompress(path.read_bytes())
        assert nested_items(read_qrels(path).to_dict()) == nested_items(oracle.read_qrels(content))
        theirs = {}
        for line in ir_measures.read_trec_qrels(str(path)):
            theirs.setdefault(line.query_id, {})[line.doc_id] = line.relevance
        assert read_qrels(path).to_dict() == theirs


@pytest.mark.parametrize(
    "content",
    [
        b"\n" * 4_000_000,
        b"a " * 2_000_000,
        b"a b c d e f\n" * 300_000,
        b"".join(b"q 0 %d 1\n" % n for n in range(300_000)),
        b"".join(b"%d 0 d 1\n" % n for n in range(300_000)),
        b"x" * 4_000_000,
    ],
    ids=["blank lines", "one line", "not numbers", "qrels", "many queries", "one token"],
)
def test_memory_is_a_small_multiple_of_the_file(path, content):
    path.write_bytes(content)
    for read in (read_qrels, read_run):
        tracemalloc.start()
        with contextlib.suppress(DataFormatError):
            read(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 25 * len(content) + 20e6


def test_reading_needs_no_compiler():
    program = "import sys, rankmax.data.judging; print('numba' in sys.modules, 'scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
