"""Connection to OpenSearch: retrievers are the clauses of a hybrid query, and a search pipeline fuses them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import quote

from rankmax.engines.connectors.engine import Answer, Fusion
from rankmax.engines.connectors.json_search import JSONSearchEngine, only_key
from rankmax.engines.connectors.query_placeholders import Template, json_template
from rankmax.engines.export_target import Request
from rankmax.engines.query_templates import SystemTemplate


class OpenSearch(JSONSearchEngine):
    """Connection to OpenSearch.

    Parameters
    ----------
    connection : Connection
        URL and index.
    """

    tuned_as: ClassVar[str] = "opensearch"
    target: ClassVar[str] = "opensearch-hybrid"

    @classmethod
    def checked(cls, template: Template) -> Template:
        """Return the body of a search, which has a query and no more."""
        body = json_template(template)
        only_key(body, ("query",), "a hybrid query takes nothing else of a clause")
        return body

    def search(self, template: Template, values: Mapping[str, Any], depth: int) -> Answer:
        """Return the documents that one retriever finds, as a clause of a hybrid query: without scores of 0."""
        answer = super().search(template, values, depth)
        return replace(answer, hits=tuple(hit for hit in answer.hits if hit.score != 0))

    def described(self, fusion: Fusion) -> str:
        """Return the request that stores the search pipeline."""
        return "\n".join(self._described(request) for request in self._export(fusion).requests)

    def put(self, fusion: Fusion) -> None:
        """Store the search pipeline."""
        for request in self._export(fusion).requests:
            self._ask(request)

    def stored(self, name: str) -> str | None:
        """Return the search pipeline, or None."""
        return self._stored(_pipeline(name))

    def remove(self, name: str) -> None:
        """Remove the search pipeline."""
        self._remove(_pipeline(name))

    def weighted_search(self, fusion: Fusion, values: Mapping[str, Mapping[str, Any]], size: int) -> Answer:
        """Return the best documents by a temporary search pipeline, which the body of the search holds."""
        written = self._export(fusion, values)
        assert written.search is not None
        body = {**written.search.body, "search_pipeline": written.requests[0].body, "size": size, "_source": False}
        return self._hits(Request("POST", f"{self._index}/_search", body))

    @staticmethod
    def _system(body: dict[str, Any]) -> SystemTemplate:
        return SystemTemplate(opensearch=body["query"])


def _pipeline(name: str) -> str:
    return f"_search/pipeline/{quote(name, safe='')}"
