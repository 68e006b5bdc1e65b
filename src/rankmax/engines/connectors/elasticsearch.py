"""Connection to Elasticsearch: a compound retriever in each search fuses, and nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from rankmax.engines.connectors.engine import Answer, Fusion
from rankmax.engines.connectors.json_search import JSONSearchEngine, only_key
from rankmax.engines.connectors.query_placeholders import Template, json_template
from rankmax.engines.query_templates import SystemTemplate
from rankmax.errors import IncompatibleError

_NOTHING = (
    "Elasticsearch stores no fusion: it is a part of each search request, which rankmax export writes; put it where "
    "your application searches, and run rankmax confirm"
)


class Elasticsearch(JSONSearchEngine):
    """Connection to Elasticsearch.

    Parameters
    ----------
    connection : Connection
        URL and index.
    """

    tuned_as: ClassVar[str] = "elasticsearch"
    target: ClassVar[str] = "elasticsearch-retriever"

    @classmethod
    def checked(cls, template: Template) -> Template:
        """Return the body of a search, which has a query, a knn search or a retriever and no more."""
        body = json_template(template)
        only_key(body, ("query", "knn", "retriever"), "a compound retriever takes nothing else of a search")
        return body

    def described(self, fusion: Fusion) -> str:
        """Refuse: nothing is stored."""
        raise IncompatibleError(_NOTHING)

    def put(self, fusion: Fusion) -> None:
        """Refuse: nothing is stored."""
        raise IncompatibleError(_NOTHING)

    def stored(self, name: str) -> str | None:
        """Return None: nothing is stored."""
        return None

    def remove(self, name: str) -> None:
        """Do nothing, as nothing is stored."""

    def weighted_search(self, fusion: Fusion, values: Mapping[str, Mapping[str, Any]], size: int) -> Answer:
        """Return the best documents by the fusion, which is a part of every request."""
        return self.fused_search(fusion, values, size)

    @staticmethod
    def _system(body: dict[str, Any]) -> SystemTemplate:
        if "query" in body:
            return SystemTemplate(elasticsearch={"standard": {"query": body["query"]}})
        if "knn" in body:
            return SystemTemplate(elasticsearch={"knn": body["knn"]})
        return SystemTemplate(elasticsearch=body["retriever"])
