from __future__ import annotations

import json
from pathlib import Path

import pytest

from oracles.engines import requests_in
from rankmax.engines.export_target import Destination
from rankmax.engines.query_templates import guessed_kind, read_templates
from rankmax.engines.registry import export_model
from rankmax.errors import DataFormatError
from rankmax.models import LinearModel
from rankmax.preprocessing.run_normalization import L2

TOML = """
[bm25]
field = "body"

[vectors]
kind = "dense"
field = "passage"
model = "my-e5"
dimension = 768

[clicks]
elasticsearch = {standard = {query = {rank_feature = {field = "clicks"}}}}
opensearch = {rank_feature = {field = "clicks"}}
vespa = "attribute(clicks)"
"""
SYSTEMS = ("bm25", "vectors", "clicks")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("BM25", "lexical"),
        ("bm25+rm3", "lexical"),
        ("bge-reranker-base", "reranker"),
        ("bge-small", "dense"),
        ("monot5", "reranker"),
        ("splade_v2", "sparse"),
        ("elser", "sparse"),
        ("e5.v2", "dense"),
        ("colbert", None),
        ("popularity", None),
    ],
)
def test_names_tell_what_a_system_is(name: str, kind: str | None) -> None:
    assert guessed_kind(name) == kind


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_one_file_serves_every_target(tmp_path: Path, suffix: str) -> None:
    import tomllib

    path = tmp_path / f"systems.{suffix}"
    path.write_text(TOML if suffix == "toml" else json.dumps(tomllib.loads(TOML)))
    destination = Destination(templates=read_templates(path))
    model = LinearModel([0.5, 0.3, 0.2], SYSTEMS, L2())
    ((_, _, body),) = requests_in(export_model(model, "elasticsearch-retriever", destination).text)
    lexical, dense, clicks = (one["retriever"] for one in body["retriever"]["linear"]["retrievers"])
    assert lexical["standard"]["query"] == {"match": {"body": "WORDS OF THE QUERY"}}
    assert dense["knn"]["field"] == "passage"
    assert dense["knn"]["query_vector_builder"]["text_embedding"]["model_id"] == "my-e5"
    assert clicks == {"standard": {"query": {"rank_feature": {"field": "clicks"}}}}
    _, (_, _, search) = requests_in(export_model(model, "opensearch-hybrid", destination).text)
    clauses = search["query"]["hybrid"]["queries"]
    assert clauses[1]["neural"]["passage"]["model_id"] == "my-e5"
    assert clauses[2] == {"rank_feature": {"field": "clicks"}}
    text = export_model(LinearModel([0.5, 0.3, 0.2], SYSTEMS), "vespa", destination).text
    for line in ("bm25(body)", "closeness(field, passage)", "attribute(clicks)"):
        assert f"expression: {line}\n" in text
    assert "query(q_passage) tensor<float>(x[768])\n" in text
    plugin = export_model(LinearModel([0.5, 0.5], ("bm25", "clicks")), "opensearch-ltr", destination).text
    assert '"body": "WORDS OF THE QUERY"' in plugin


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.toml", "[bm25]\nfeld = 1"),
        ("a.toml", "[bm25"),
        ("a.toml", '[bm25]\nkind = "magic"'),
        ("a.json", "[]"),
        ("a.json", '{"bm25": {"field": 3}}'),
        ("a.json", "{"),
    ],
)
def test_what_is_no_template_is_refused_by_name(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(
        DataFormatError,
        match=rf"{name}: not a file of templates, .*kind \(lexical, .*\), field",
    ):
        read_templates(tmp_path / name)
