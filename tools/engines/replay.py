"""Runs replayed in a real engine, so that the engine's own ranking by an export can be compared with the model's.

A document of the index stands for a query and a document of the runs, and has a number for each system that retrieved
it. A clause that scores by the number, over the documents that have it, returns exactly the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np

from engines import vespa
from engines.server import call
from rankmax.data.runs import Run
from rankmax.engines.export_target import Destination, Export
from rankmax.engines.query_templates import SystemTemplate
from rankmax.engines.registry import export_model
from rankmax.engines.requirements import depth_of_runs
from rankmax.models import LinearModel
from rankmax.models.ranking_model import fuse_runs

Runs = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Scores by system, query, document."""
Ranking = list[tuple[str, float]]
"""Documents and scores, best first."""


@dataclass(frozen=True)
class Agreement:
    """How far an engine's rankings agree with the model's.

    Attributes
    ----------
    queries : int
    alike : int
        Queries whose first ten documents are the same, in the same order but for scores equal in single precision.
    difference : float
        Largest relative difference of the scores of a document.
    """

    queries: int
    alike: int
    difference: float


def candidates(runs: Runs) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield query, document and the document's score by each system that retrieved it.

    Documents come as trec_eval ranks equal scores, by id, descending: engines rank those by where they
    are in the index.

    Parameters
    ----------
    runs : mapping

    Examples
    --------
    >>> list(candidates({"bm25": {"q": {"a": 2.0}}, "e5": {"q": {"a": 0.5, "b": 0.25}}}))
    [('q', 'b', {'e5': 0.25}), ('q', 'a', {'bm25': 2.0, 'e5': 0.5})]
    """
    pairs = {(query, document) for run in runs.values() for query, found in run.items() for document in found}
    for query, document in sorted(pairs, reverse=True):  # ids of the runs are ASCII
        lists = {system: run.get(query, {}) for system, run in runs.items()}
        yield query, document, {system: found[document] for system, found in lists.items() if document in found}


def in_single_precision(runs: Runs, depth: int | None = None) -> dict[str, dict[str, dict[str, float]]]:
    """Return the runs with scores as engines keep them, and at most `depth` documents for each query.

    Parameters
    ----------
    runs : mapping
    depth : int, optional

    Examples
    --------
    >>> in_single_precision({"e5": {"q": {"a": 0.5, "b": 0.25, "c": 0.1}}}, depth=2)
    {'e5': {'q': {'a': 0.5, 'b': 0.25}}}
    """

    def first(found: Mapping[str, float]) -> dict[str, float]:
        pairs = [(document, float(np.float32(score))) for document, score in found.items()]
        return dict(sorted(pairs, key=lambda pair: (pair[1], pair[0]), reverse=True)[:depth])

    return {name: {query: first(found) for query, found in run.items()} for name, run in runs.items()}


def predicted(model: LinearModel, runs: Runs) -> dict[str, Ranking]:
    """Return what `rankmax rank` makes of the runs, by query.

    Parameters
    ----------
    model : LinearModel
    runs : mapping
    """
    fused = fuse_runs(model, {name: Run.from_dict(runs[name]) for name in model.feature_names}).to_dict()
    return {query: sorted(found.items(), key=lambda pair: -pair[1]) for query, found in fused.items()}


def agreement(
    found: Mapping[str, Ranking], expected: Mapping[str, Ranking], scale: float = 1.0, first: int = 10
) -> Agreement:
    """Compare an engine's rankings with those of a model.

    Parameters
    ----------
    found, expected : mapping of str to Ranking
    scale : float
        What the engine multiplies all scores by.
    first : int
        Number of documents to compare.

    Examples
    --------
    >>> agreement({"q": [("a", 2.0), ("b", 1.0)]}, {"q": [("a", 4.0), ("b", 2.0)]}, scale=0.5)
    Agreement(queries=1, alike=1, difference=0.0)
    >>> agreement({"q": [("a", 2.0), ("b", 1.0)]}, {"q": [("b", 2.0), ("a", 1.0)]})
    Agreement(queries=1, alike=0, difference=1.0)
    """
    alike, difference = 0, 0.0
    for query, ranking in expected.items():
        theirs, ours = found[query][:first], {document: score * scale for document, score in ranking}
        differences = [
            abs(score - ours.get(document, 0.0)) / max(abs(ours.get(document, 0.0)), 1e-30)
            for document, score in theirs
        ]
        difference = max([difference, *differences])
        in_order = [ours.get(document, -np.inf) for document, _ in theirs]  # by our scores, documents in their order
        best = [score * scale for _, score in ranking[:first]]
        alike += len(in_order) == len(best) and bool(np.allclose(in_order, best, rtol=1e-5, atol=0.0))
    return Agreement(len(expected), alike, difference)


class IndexedRuns:
    """Runs in an index of OpenSearch or Elasticsearch.

    Parameters
    ----------
    address : str
    runs : mapping
        Scores by system, query, document: nonnegative, as these engines allow no others.
    index : str
    shards : int
    """

    def __init__(self, address: str, runs: Runs, *, index: str = "runs", shards: int = 1) -> None:
        self.address, self.index, self.systems, self.shards = address, index, list(runs), shards
        self.queries = sorted({query for run in runs.values() for query in run})
        keyword, number = {"type": "keyword"}, {"type": "float"}
        fields = {"query": keyword, "document": keyword, **{self._field(name): number for name in runs}}
        settings = {"number_of_shards": shards, "number_of_replicas": 0}
        call(f"{address}/{index}", "PUT", {"settings": settings, "mappings": {"properties": fields}})
        lines: list[dict[str, object]] = []
        for query, document, scores in candidates(runs):
            numbers = {self._field(name): score for name, score in scores.items()}
            lines += [{"index": {}}, {"query": query, "document": document, **numbers}]
        body = "".join(json.dumps(line) + "\n" for line in lines).encode()
        answer = call(f"{address}/{index}/_bulk?refresh=true", "POST", body)
        assert not answer["errors"], answer

    def _searched(self, export: Export, depth: int) -> dict[str, Ranking]:
        """Return the rankings of all queries by the search in an export's text."""
        found = {}
        for query in self.queries:
            path, body = _search_of(export, {"THE QUERY": query})
            answer = call(f"{self.address}/{path.replace('YOUR-INDEX', self.index)}", "POST", {**body, "size": depth})
            found[query] = self._hits(answer)
        return found

    def _field(self, system: str) -> str:
        return f"score_{quote(system, safe='')}"

    def _clause(self, system: str) -> dict[str, object]:
        retrieved = [{"term": {"query": "THE QUERY"}}, {"exists": {"field": self._field(system)}}]
        return {"script_score": {"query": {"bool": {"filter": retrieved}}, "script": self._script(system)}}

    def _script(self, system: str) -> dict[str, str]:
        return {"source": f"doc['{self._field(system)}'].value"}

    def _hits(self, answer: dict[str, Any]) -> Ranking:
        return [(hit["_source"]["document"], hit["_score"]) for hit in answer["hits"]["hits"]]


class ElasticsearchReplay(IndexedRuns):
    """Runs in an index of Elasticsearch, to fuse them by exported searches."""

    def fused(self, model: LinearModel) -> dict[str, Ranking]:
        """Return the rankings by the model's compound retriever.

        Parameters
        ----------
        model : LinearModel
        """
        retrievers = {
            name: SystemTemplate(elasticsearch={"standard": {"query": self._clause(name)}}) for name in self.systems
        }
        export = export_model(model, "elasticsearch-retriever", Destination(templates=retrievers))
        return self._searched(export, depth_of_runs(model)[0])


class OpenSearchReplay(IndexedRuns):
    """Runs in an index of OpenSearch, to fuse them by exported pipelines and rerank them by exported models."""

    def hybrid(self, model: LinearModel) -> dict[str, Ranking]:
        """Return the rankings by the model's pipeline, which is installed as it is exported.

        Parameters
        ----------
        model : LinearModel
        """
        clauses = {name: SystemTemplate(opensearch=self._clause(name)) for name in self.systems}
        export = export_model(model, "opensearch-hybrid", Destination(templates=clauses))
        self._send(export)
        return self._searched(export, depth_of_runs(model)[0])

    def reranked(
        self, model: LinearModel, ranges: Mapping[str, tuple[float, float]] | None = None
    ) -> dict[str, Ranking]:
        """Return the rankings by the model in the Learning to Rank plugin, installed as it is exported.

        Parameters
        ----------
        model : LinearModel
        ranges : mapping from feature name to (lowest, highest), optional
        """
        call(f"{self.address}/_ltr", "PUT")
        features = [
            {"name": name, "params": [], "template_language": "mustache", "template": self._feature(name)}
            for name in self.systems
        ]
        call(f"{self.address}/_ltr/_featureset/rankmax", "PUT", {"featureset": {"features": features}})
        export = export_model(model, "opensearch-ltr", Destination(ranges=ranges))
        self._send(export)
        found = {}
        for query in self.queries:
            path, body = _search_of(export, {})
            body["query"] = {"bool": {"filter": [{"term": {"query": query}}]}}  # all candidates of the query
            answer = call(f"{self.address}/{path.replace('YOUR-INDEX', self.index)}", "POST", body)
            found[query] = self._hits(answer)
        call(f"{self.address}/_ltr", "DELETE")
        return found

    def _send(self, export: Export) -> None:
        (request,) = export.requests
        call(f"{self.address}/{request.path}", request.method, dict(request.body))

    def _feature(self, system: str) -> dict[str, object]:
        retrieved = {"bool": {"filter": [{"exists": {"field": self._field(system)}}]}}
        return {"script_score": {"query": retrieved, "script": self._script(system)}}


def _search_of(export: Export, words: Mapping[str, str]) -> tuple[str, dict[str, object]]:
    """Return path and body of the search in an export's text, with words in it replaced."""
    head, _, rest = export.text.rpartition("\nPOST ")
    assert head
    path, _, text = rest.partition("\n")
    for word, replacement in words.items():
        text = text.replace(word, replacement)
    body: dict[str, object] = json.loads(text)
    return path, body


class SolrReplay:
    """Runs in a core of Solr, to rank them by exported models.

    Parameters
    ----------
    address : str
        Of the core.
    runs : mapping
        Scores by system, query, document.
    """

    def __init__(self, address: str, runs: Runs) -> None:
        self.address, self.systems = address, list(runs)
        self.queries = sorted({query for run in runs.values() for query in run})
        documents = [
            {
                "id": f"{query} {document}",
                "query": query,
                "document": document,
                **{f"score_{name}": score for name, score in scores.items()},
            }
            for query, document, scores in candidates(runs)
        ]
        call(f"{address}/update?commit=true&wt=json", "POST", documents)

    def reranked(
        self, model: LinearModel, ranges: Mapping[str, tuple[float, float]] | None = None, *, name: str = "rankmax"
    ) -> dict[str, Ranking]:
        """Return the rankings by a model, installed as it is exported.

        Parameters
        ----------
        model : LinearModel
        ranges : mapping from feature name to (lowest, highest), optional
        name : str
            Name of the model and of its feature store; a server has only one model of a name.
        """
        kind = "org.apache.solr.ltr.feature.FieldValueFeature"
        features = [
            {"store": name, "name": system, "class": kind, "params": {"field": f"score_{system}"}}
            for system in self.systems
        ]
        call(f"{self.address}/schema/feature-store", "PUT", features)
        (request,) = export_model(model, "solr", Destination(name, name, ranges)).requests
        call(f"{self.address}/{request.path}", request.method, dict(request.body))
        found = {}
        for query in self.queries:
            select = {"q": f"query:{query}", "rq": f"{{!ltr model={name} reRankDocs=1000}}", "fl": "document,score"}
            answer = call(f"{self.address}/select?{urlencode({**select, 'rows': 100, 'wt': 'json'})}")
            found[query] = [(hit["document"], hit["score"]) for hit in answer["response"]["docs"]]
        return found


def without_ties(runs: Runs) -> dict[str, dict[str, dict[str, float]]]:
    """Return the runs without documents that share their score with another one of their list.

    Parameters
    ----------
    runs : mapping

    Examples
    --------
    >>> without_ties({"e5": {"q": {"a": 0.5, "b": 0.5, "c": 0.1}}})
    {'e5': {'q': {'b': 0.5, 'c': 0.1}}}
    """

    def distinct(hits: Mapping[str, float]) -> dict[str, float]:
        return {document: score for score, document in {s: d for d, s in hits.items()}.items()}

    return {name: {query: distinct(hits) for query, hits in run.items()} for name, run in runs.items()}


def vespa_rankings(folder: Path, models: Sequence[LinearModel], runs: Runs) -> list[dict[str, Ranking]]:
    """Return the rankings by each model's rank profile in Vespa, where a document that a system lacks has score 0.

    Parameters
    ----------
    folder : Path
        Where Vespa is installed.
    models : sequence of LinearModel
    runs : mapping
    """
    jobs = []
    for model in models:
        names = model.feature_names
        attributes = [f"attribute(score_{name})" for name in names]
        templates = {name: SystemTemplate(vespa=feature) for name, feature in zip(names, attributes, strict=True)}
        schema = export_model(model, "vespa", Destination(templates=templates)).text
        rows = [
            (query, document, [scores.get(name, 0.0) for name in names])
            for query, document, scores in candidates({name: runs[name] for name in names})
        ]
        jobs.append(vespa.Job(schema, "rankmax", attributes, rows))
    return vespa.ranked(folder, jobs)
