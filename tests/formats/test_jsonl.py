"""Feature logs in the shapes of search engines' plugins."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import join_runs
from rankmax.data.runs import Qrels, Run
from rankmax.errors import DataFormatError, IncompatibleError
from rankmax.formats import jsonl
from rankmax.formats.jsonl import read_jsonl, write_jsonl


def hit(document: str, **values: float | None) -> dict[str, object]:
    """Return a hit as the plugins of Elasticsearch and OpenSearch log it; a feature without a match has no value."""
    entry = [{"name": name} if value is None else {"name": name, "value": value} for name, value in values.items()]
    return {"_index": "docs", "_id": document, "_score": 1.0, "fields": {"_ltrlog": [{"main": entry}]}}


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_documents_hits_and_responses_are_read(tmp_path: Path) -> None:
    path = write(
        tmp_path / "log.jsonl",
        {"query": "q1", "doc": "d1", "label": 2, "features": {"title": 1.5, "body": None}},
        {"qid": 1, "doc_id": "d2", "grade": 0, "features": [{"name": "body", "value": 3}]},
        {"query": "q1", "label": 1, **hit("d2", title=None, body=4.0)},
        {"query": "q3", "took": 4, "hits": {"total": 2, "hits": [hit("d1", title=0.5), hit("d9", age=7)]}},
    )
    data = read_jsonl(path)
    assert data.query_ids == ("q1", "1", "q3")
    assert data.feature_names == ("title", "body", "age")
    assert data.document_ids is not None
    assert data.document_ids.to_list() == ["d1", "d2", "d2", "d1", "d9"]
    np.testing.assert_array_equal(data.features, [[1.5, 0, 0], [0, 4, 0], [0, 3, 0], [0.5, 0, 0], [0, 0, 7]])
    np.testing.assert_array_equal(data.grades, [2, 1, 0, np.nan, np.nan])


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    data = RankingDataset.from_arrays(
        rng.normal(size=(6, 2)), [1, 0, np.nan, 2, 0, 0.5], qid=[1, 1, 2, 2, 2, 3], document_ids=list("abcdef")
    )
    write_jsonl(data, tmp_path / "data.jsonl.gz")
    back = read_jsonl(tmp_path / "data.jsonl.gz")
    np.testing.assert_array_equal(back.features, data.features)
    np.testing.assert_array_equal(back.grades, data.grades)
    assert (back.query_ids, back.feature_names) == (data.query_ids, data.feature_names)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"log\.jsonl:2: not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[1]", r"log\.jsonl:2: expected a JSON object"),
        ('{"doc": "d1"}', "names no query: expected one of query, qid, query_id; it has doc"),
        ('{"query": "q"}', "names no document"),
        ('{"query": "q", "doc": "d"}', "holds no features"),
        ('{"query": "q", "doc": "d", "features": {"a": "high"}}', "'high' is not a finite number, for 'a'"),
        ('{"query": "q", "doc": "d", "features": {"a": 1e999}}', "inf is not a finite number"),
        ('{"query": "q", "doc": "d", "label": true, "features": {}}', "True is not a finite number, for 'label'"),
        ('{"query": "q", "doc": "d", "features": [3]}', "a feature has no name: 3"),
        ('{"query": "q", "doc": "d", "features": "a"}', "'features' is not a list"),
        ('{"query": "q", "hits": {"hits": [7]}}', "a hit is not a JSON object"),
        (
            '{"query": "q", "doc": "d", "features": {"a": 1%s}}' % ("0" * 400),
            r"10{59}\.\.\. is not a finite number, for 'a'",
        ),
        ('{"query": "q", "doc": "d", "features": {"a": 1%s}}' % ("0" * 5000), "not JSON"),
        (
            '{"query": "q", "doc": "d", "label": 1%s, "features": {}}' % ("0" * 400),
            "is not a finite number, for 'label'",
        ),
        ('{"query": "\\ud800", "doc": "d", "features": {"a": 1}}', "not Unicode text: a lone surrogate"),
        ('{"query": "q", "doc": "\\uDFFF", "features": {"a": 1}}', "not Unicode text: a lone surrogate"),
        ('{"query": "q", "doc": "d", "features": {"\\ud800": 1}}', "not Unicode text: a lone surrogate"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"query": "q", "doc": "d", "features": {"a": 1}}\n' + line + "\n")
    with pytest.raises(DataFormatError, match=message):
        read_jsonl(path)


def test_a_log_without_features_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("\n")
    with pytest.raises(DataFormatError, match="no line holds a feature"):
        read_jsonl(tmp_path / "log.jsonl")
    with pytest.raises(DataFormatError, match="grades must not be negative"):
        read_jsonl(write(tmp_path / "log.jsonl", {"query": "q", "doc": "d", "label": -1, "features": {"a": 1}}))


def test_what_a_log_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IncompatibleError, match="have no ids"):
        write_jsonl(RankingDataset.from_arrays([[1.0]], [1], qid=[7]), tmp_path / "a.jsonl")
    joined = join_runs({"a": Run.from_dict({"q": {"d": 1.0}})}, Qrels.from_dict({"q": {"e": 1}}), missing="zero")
    with pytest.raises(IncompatibleError, match=r"1 judged document was not retrieved.*write \.npz"):
        write_jsonl(joined, tmp_path / "a.jsonl")


def test_a_pair_of_surrogates_is_a_character(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"query": "\\ud83d\\ude00", "doc": "d", "features": {"a": 1}}\n')
    assert read_jsonl(path).query_ids == ("\N{GRINNING FACE}",)


def test_features_that_few_documents_have_are_stored_sparse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [{"query": "q", "doc": f"d{n}", "features": {f"f{n}": n + 1.0, "all": 0.5}} for n in range(40)]
    dense = read_jsonl(write(tmp_path / "log.jsonl", *lines))
    monkeypatch.setattr(jsonl, "_FREE_CELLS", 1000)
    sparse = read_jsonl(tmp_path / "log.jsonl")
    assert (dense.is_sparse, sparse.is_sparse) == (False, True)
    np.testing.assert_array_equal(sparse.features.toarray(), dense.features)
    assert sparse.feature_names == dense.feature_names


def test_a_matrix_out_of_proportion_is_refused_with_its_size(tmp_path: Path) -> None:
    lines = ({"query": n // 10, "doc": n, "features": {f"word{n}": 1}} for n in range(100_000))
    with pytest.raises(DataFormatError, match="100000 documents x 100000 features would take 75 GB, and the file has"):
        read_jsonl(write(tmp_path / "log.jsonl", *lines))
