import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.query_documents import DocumentsByQuery, check_ids, flatten, flatten_values, nest
from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.formats.trec import read_qrels, read_run

ids = st.text(st.characters(min_codepoint=33, exclude_categories=["Cs"]), min_size=1)
nested = st.dictionaries(ids, st.dictionaries(ids, st.integers(-9, 9)))


@given(nested)
def test_flattened_and_nested_again(values):
    table = DocumentsByQuery(*flatten(values))
    flat = np.fromiter(flatten_values(values, "grade", int), np.int64)
    assert nest(table, flat) == values
    assert (table.n_queries, table.n_documents) == (len(values), flat.size)
    assert table.query_of_document.tolist() == [
        q for q, documents in enumerate(values.values()) for _ in range(len(documents))
    ]


def test_the_value_that_cannot_be_converted_is_named():
    with pytest.raises(InvalidDataError, match="grade 'x' of document 'd2' in query 'q'"):
        list(flatten_values({"q": {"d1": 1, "d2": "x"}}, "grade", int))


@pytest.mark.parametrize("identifier", ["", " ", "a b", "a\tb", "a\n", "\x00", "\ud800", 7, None])
def test_identifiers_that_are_no_column(identifier):
    with pytest.raises(InvalidDataError, match="tag "):
        check_ids("tag", ["fine", identifier])


@pytest.mark.parametrize(("read", "what"), [(read_run, "score"), (read_qrels, "grade")])
@pytest.mark.parametrize("digits", [400, 5000])
def test_huge_integers_in_json_are_refused_by_name(tmp_path, read, what, digits):
    path = tmp_path / "bm25.json"
    path.write_text('{"q1": {"d1": 1%s}}' % ("0" * digits))
    with pytest.raises(DataFormatError, match=r"bm25\.json: .*(of \d+ bits of document 'd1' in query 'q1'|range)"):
        read(path)


def test_json_that_is_nested_too_deeply_is_refused(tmp_path):
    (tmp_path / "run.json").write_text('{"q1":' * 100_000)
    with pytest.raises(DataFormatError, match=r"run\.json: expected JSON such as"):
        read_run(tmp_path / "run.json")
