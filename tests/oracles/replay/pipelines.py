"""LangChain, LlamaIndex and Haystack: retrievers that return a list as it is, fused by the exported code."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from oracles.replay.lists import TOP, Lists, Ranking, Search

UNKNOWN = float("nan")


@contextmanager
def langchain_replay(lists: Lists) -> Iterator[Search]:
    """Make a retriever of each system; the ensemble tells no scores."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("langchain_classic.retrievers", reason="make engines fetches langchain-classic")
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    class Retriever(BaseRetriever):
        found: dict[str, dict[str, float]]

        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            return [Document(page_content=d, metadata={"id": d}) for d, _ in in_order(self.found.get(query, {}))]

    def search(text: str, query: str) -> Ranking:
        module = executed(text)
        retriever = module["fused"]({name: Retriever(found=found) for name, found in lists.items()}, id_key="id")
        return [(document.page_content, UNKNOWN) for document in retriever.invoke(query)]

    yield search


@contextmanager
def llama_index_replay(lists: Lists) -> Iterator[Search]:
    """Make a retriever of each system."""
    pytest.importorskip("llama_index.core", reason="make engines fetches llama-index-core")
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

    class Retriever(BaseRetriever):
        def __init__(self, found: dict[str, dict[str, float]]) -> None:
            super().__init__()
            self._found = found

        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            hits = in_order(self._found.get(query_bundle.query_str, {}))
            return [NodeWithScore(node=TextNode(id_=d, text=d), score=score) for d, score in hits]

    def search(text: str, query: str) -> Ranking:
        retriever = executed(text)["fused"]({name: Retriever(found) for name, found in lists.items()}, top_k=TOP)
        return [(each.node.node_id, each.score) for each in retriever.retrieve(query)]

    yield search


@contextmanager
def haystack_replay(lists: Lists) -> Iterator[Search]:
    """Make a pipeline, in which the retrievers run in an order that is not the one of the systems."""
    haystack = pytest.importorskip("haystack", reason="make engines fetches haystack-ai")
    component, Document = haystack.component, haystack.Document

    @component
    class Retriever:
        def __init__(self, found: dict[str, dict[str, float]]) -> None:
            self.found = found

        @component.output_types(documents=list[Document])
        def run(self, query: str) -> dict[str, Any]:
            hits = in_order(self.found.get(query, {}))
            return {"documents": [Document(id=d, content=d, score=score) for d, score in hits]}

    def search(text: str, query: str) -> Ranking:
        module = executed(text)
        pipeline = haystack.Pipeline()
        pipeline.add_component("fusion", module["Fusion"]())
        names = {f"retriever{9 - i}": system for i, system in enumerate(module["SYSTEMS"])}
        for name, taken_by in zip(names, module["INPUTS"], strict=True):
            pipeline.add_component(name, Retriever(lists[names[name]]))
            pipeline.connect(f"{name}.documents", f"fusion.{taken_by}")
        found = pipeline.run({name: {"query": query} for name in names})["fusion"]["documents"]
        return [(document.id, document.score) for document in found]

    yield search


def in_order(scores: dict[str, float]) -> Ranking:
    return sorted(scores.items(), key=lambda hit: (hit[1], hit[0].encode()), reverse=True)


def executed(text: str) -> dict[str, Any]:
    module: dict[str, Any] = {}
    exec(text, module)
    return module
