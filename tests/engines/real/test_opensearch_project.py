"""A project on a real OpenSearch, from documents to a confirmed fusion; mistakes in the engine are named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rankmax
from engines.server import call
from oracles.docstring_project import DIMENSION, docstring_texts, write_project
from rankmax.engines.connectors.engine import Connection
from rankmax.engines.connectors.opensearch import OpenSearch
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.run_normalization import L2, OpenSearchMinMax, OpenSearchZScore, ReciprocalRank
from rankmax.testing.engines import EngineContract

RETRIEVERS: dict[str, dict[str, Any]] = {
    "bodies": {"query": {"match": {"body": "{query}"}}},
    "names": {"query": {"match": {"name": "{query}"}}},
    "vectors": {"query": {"knn": {"embedding": {"vector": "{vector}", "k": "{depth}"}}}},
}
NAMES = tuple(RETRIEVERS)
WEIGHTS = (0.6, 0.1, 0.3)
DEPTH = 40
FIELDS = {
    "name": {"type": "text"},
    "body": {"type": "text"},
    "embedding": {
        "type": "knn_vector",
        "dimension": DIMENSION,
        "method": {"name": "hnsw", "engine": "lucene", "space_type": "innerproduct"},
    },
}


@pytest.fixture(scope="module")
def address(opensearch_address: str) -> Iterator[str]:
    """Index the documents, and a part of them under other ids; the alias docs is the index to search."""
    documents = docstring_texts().documents
    for index, prefix, chosen in (("docs1", "", documents), ("docs2", "old:", documents[::2])):
        settings = {"index.knn": True, "number_of_shards": 1, "number_of_replicas": 0}
        call(f"{opensearch_address}/{index}", "PUT", {"settings": settings, "mappings": {"properties": FIELDS}})
        lines: list[dict[str, Any]] = []
        for name, title, body, vector in chosen:
            lines += [{"index": {"_id": prefix + name}}, {"name": title, "body": body, "embedding": vector}]
        content = "".join(json.dumps(line) + "\n" for line in lines).encode()
        assert not call(f"{opensearch_address}/{index}/_bulk?refresh=true", "POST", content)["errors"]
        call(f"{opensearch_address}/{index}/_forcemerge?max_num_segments=1", "POST")
    point_alias(opensearch_address, "docs1", "docs2")
    yield opensearch_address
    call(f"{opensearch_address}/docs1,docs2", "DELETE")


def point_alias(address: str, new: str, old: str) -> None:
    actions = [{"remove": {"index": old, "alias": "docs", "must_exist": False}}]
    call(f"{address}/_aliases", "POST", {"actions": [*actions, {"add": {"index": new, "alias": "docs"}}]})


@pytest.fixture
def project(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("RANKMAX_API_KEY", "RANKMAX_USER", "RANKMAX_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    head = {"engine": "opensearch", "address": address, "index": "docs", "depth": DEPTH}
    return write_project(tmp_path, head, RETRIEVERS)


class TestContract(EngineContract):
    templates = {name: RETRIEVERS[name] for name in ("bodies", "vectors")}  # noqa: RUF012

    @pytest.fixture(autouse=True)
    def connected(self, address: str) -> None:
        self.engine = OpenSearch(Connection(address, "docs"))
        for text, vector in docstring_texts().queries.values():
            self.values = {"query": text, "vector": vector, "depth": DEPTH}
            scores = [[hit.score for hit in self._search(name).hits] for name in self.templates]
            if all(len(set(found)) == len(found) for found in scores):
                break


def test_from_documents_to_a_confirmed_fusion(project: Path) -> None:
    collected = rankmax.collect(project)
    assert [run.retriever for run in collected.runs] == list(NAMES)
    assert sum(run.asked for run in collected.runs) == 3 * len(docstring_texts().queries)
    assert sum(run.asked for run in rankmax.collect(project).runs) == 0
    tuned = rankmax.tune(project)
    tuned.model.save(project.parent / "model.json")
    assert not rankmax.push(project).sent
    assert rankmax.push(project, dry_run=False).sent
    found = rankmax.confirm(project)
    assert found.same, found
    assert found.comparison.queries == len(docstring_texts().judged)


@pytest.mark.parametrize(
    "normalization", [OpenSearchMinMax(), L2(), OpenSearchZScore(), ReciprocalRank(60)], ids=lambda one: one.name
)
def test_every_technique_is_confirmed(project: Path, normalization: Normalization) -> None:
    rankmax.collect(project)
    model = LinearModel(WEIGHTS, NAMES, normalization)
    rankmax.push(project, model, dry_run=False)
    found = rankmax.confirm(project, model)
    assert found.same, found


def with_processor(change: Callable[[dict[str, Any]], None]) -> Callable[[str], None]:
    """Return what edits the stored pipeline, as somebody might by hand."""

    def edit(address: str) -> None:
        pipeline = call(f"{address}/_search/pipeline/rankmax")["rankmax"]
        change(pipeline["phase_results_processors"][0]["normalization-processor"])
        call(f"{address}/_search/pipeline/rankmax", "PUT", pipeline)

    return edit


@pytest.mark.parametrize(
    ("edit", "kind", "words"),
    [
        (
            with_processor(lambda one: one["combination"].pop("parameters")),
            "ignored weights",
            "the weights are ignored: all count the same",
        ),
        (
            with_processor(lambda one: one["combination"]["parameters"].update(weights=[0.1, 0.6, 0.3])),
            "swapped weights",
            "the weights of bodies and names are swapped",
        ),
        (
            with_processor(lambda one: one["normalization"].update(technique="l2")),
            "other normalization",
            "l2 in place of opensearch-min-max",
        ),
    ],
    ids=["ignored", "swapped", "normalization"],
)
def test_a_pipeline_that_was_edited_is_found_out(
    project: Path, address: str, edit: Callable[[str], None], kind: str, words: str
) -> None:
    rankmax.collect(project)
    model = LinearModel(WEIGHTS, NAMES, OpenSearchMinMax())
    rankmax.push(project, model, dry_run=False)
    edit(address)
    found = rankmax.confirm(project, model)
    assert not found.same
    best = found.comparison.explanations[0]
    assert (best.kind, best.queries) == (kind, found.comparison.queries)
    assert words in best.text


def test_a_smaller_window_is_found_out(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rankmax.collect(project)
    model = LinearModel(WEIGHTS, NAMES, OpenSearchMinMax())
    rankmax.push(project, model, dry_run=False)
    monkeypatch.setattr("rankmax.engines.opensearch_hybrid.depth_of_runs", lambda _: (10, ""))
    found = rankmax.confirm(project, model).comparison
    best = found.explanations[0]
    assert (best.kind, best.queries) == ("smaller window", found.queries)
    assert best.text == f"only the 10 best documents of each retriever are fused, not {DEPTH}"


def test_another_index_is_found_out(project: Path, address: str) -> None:
    rankmax.collect(project)
    model = LinearModel(WEIGHTS, NAMES, OpenSearchMinMax())
    rankmax.push(project, model, dry_run=False)
    point_alias(address, "docs2", "docs1")
    try:
        found = rankmax.confirm(project, model).comparison
    finally:
        point_alias(address, "docs1", "docs2")
    assert [(one.kind, one.queries) for one in found.explanations] == [("unknown documents", found.queries)]
    assert found.differences[0].unknown[0].startswith("old:")
