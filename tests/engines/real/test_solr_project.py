"""A project on a real Solr, from documents to a confirmed model of learning to rank; mistakes in the engine are named.

Solr 8 has no vector search, so that all three retrievers are lexical.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import rankmax
from engines.server import call
from oracles.docstring_project import docstring_texts, write_project
from rankmax.engines.connectors.engine import Connection
from rankmax.engines.connectors.solr import Solr
from rankmax.models import LinearModel
from rankmax.testing.engines import EngineContract

FIELDS = {"bodies": "text_body", "names": "text_name", "both": "text_name text_body"}
NAMES = tuple(FIELDS)
RETRIEVERS: dict[str, dict[str, Any]] = {
    name: {"query": f'{{!dismax qf="{fields}" v=$words}}', "params": {"words": "{query}"}}
    for name, fields in FIELDS.items()
}
WEIGHTS = (0.6, 0.1, 0.3)
DEPTH = 1000  # more than any query finds: to Solr every document of the union has a score by every retriever


@pytest.fixture(scope="module")
def address(solr_address: str) -> str:
    """Index the documents, and store a feature for each retriever."""
    documents = [
        {"id": name, "text_name": title, "text_body": body} for name, title, body, _ in docstring_texts().documents
    ]
    call(f"{solr_address}/update?commit=true&wt=json", "POST", documents)
    kind = "org.apache.solr.ltr.feature.SolrFeature"
    features = [
        {"store": "rankmax", "name": name, "class": kind, "params": {"q": f'{{!dismax qf="{fields}"}}${{query}}'}}
        for name, fields in FIELDS.items()
    ]
    call(f"{solr_address}/schema/feature-store", "PUT", features)
    return solr_address.removesuffix("/runs")


@pytest.fixture
def project(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("RANKMAX_API_KEY", "RANKMAX_USER", "RANKMAX_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    head = {"engine": "solr", "address": address, "index": "runs", "depth": DEPTH}
    return write_project(tmp_path, head, RETRIEVERS)


class TestContract(EngineContract):
    templates = {name: RETRIEVERS[name] for name in ("bodies", "both")}  # noqa: RUF012

    @pytest.fixture(autouse=True)
    def connected(self, address: str) -> None:
        self.engine = Solr(Connection(address, "runs"))
        self.values = {"query": "evenly spaced numbers over an interval", "depth": DEPTH}


def test_from_documents_to_a_confirmed_model(project: Path) -> None:
    collected = rankmax.collect(project)
    assert sum(run.asked for run in collected.runs) == 3 * len(docstring_texts().queries)
    rankmax.tune(project).model.save(project.parent / "model.json")
    assert rankmax.push(project, dry_run=False).sent
    found = rankmax.confirm(project)
    assert found.same, found
    assert found.comparison.queries == len(docstring_texts().judged)


@pytest.mark.parametrize(
    ("stored", "kind", "words"),
    [
        ((1.0, 1.0, 1.0), "ignored weights", "the weights are ignored: all count the same"),
        ((0.1, 0.6, 0.3), "swapped weights", "the weights of bodies and names are swapped"),
    ],
    ids=["ignored", "swapped"],
)
def test_another_model_of_the_same_name_is_found_out(
    project: Path, stored: tuple[float, ...], kind: str, words: str
) -> None:
    rankmax.collect(project)
    rankmax.push(project, LinearModel(stored, NAMES), dry_run=False)
    found = rankmax.confirm(project, LinearModel(WEIGHTS, NAMES)).comparison
    best = found.explanations[0]
    assert (best.kind, best.text, best.queries) == (kind, words, found.queries)


def test_documents_that_came_later_are_found_out(project: Path, solr_address: str) -> None:
    rankmax.collect(project)
    model = LinearModel(WEIGHTS, NAMES)
    rankmax.push(project, model, dry_run=False)
    texts = [" ".join(text.split()) for text, _ in docstring_texts().queries.values()]
    later = [{"id": f"new{i}", "text_name": text, "text_body": text} for i, text in enumerate(texts)]
    call(f"{solr_address}/update?commit=true&wt=json", "POST", later)
    try:
        found = rankmax.confirm(project, model).comparison
    finally:
        ids = {"delete": [one["id"] for one in later]}
        call(f"{solr_address}/update?commit=true&wt=json", "POST", ids)
    assert not found.same
    assert found.explanations[0].kind == "unknown documents"
    assert found.differences[0].unknown[0].startswith("new")
