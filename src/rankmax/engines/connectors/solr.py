"""Connection to Apache Solr: a model of learning to rank adds up the scores of features named like the retrievers.

Solr reranks one list: the union of the retrievers' queries. A feature has a score for each of its documents, also where
the retriever alone would not have returned it within its depth.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import quote

import msgspec

from rankmax.engines.connectors.engine import Answer, Fusion, Hit
from rankmax.engines.connectors.json_search import HTTPEngine, only_key
from rankmax.engines.connectors.query_placeholders import Template, filled, json_template
from rankmax.engines.export_target import Destination, Export, Request
from rankmax.engines.registry import TARGETS
from rankmax.errors import InvalidParameterError, ServerError, TransientServerError


class Solr(HTTPEngine):
    """Connection to Solr.

    Parameters
    ----------
    connection : Connection
        URL that ends in /solr, and a collection.
    """

    tuned_as: ClassVar[str] = "solr"
    target: ClassVar[str] = "solr"

    @classmethod
    def checked(cls, template: Template) -> Template:
        """Return the body of a JSON request, which has a query, parameters and no more."""
        body = json_template(template)
        only_key({key: value for key, value in body.items() if key != "params"}, ("query",), "params may be beside it")
        return body

    def search(self, template: Template, values: Mapping[str, Any], depth: int) -> Answer:
        """Return the documents that one retriever finds."""
        return self._hits({**filled(json_template(template), values), "limit": depth})

    def export(self, fusion: Fusion) -> Export:
        """Return the model of learning to rank."""
        return TARGETS.load(self.target).export(fusion.model, Destination(fusion.name))

    def described(self, fusion: Fusion) -> str:
        """Return the request that stores the model."""
        return self._described(self._upload(fusion))

    def put(self, fusion: Fusion) -> None:
        """Store the model; Solr refuses to overwrite one, so that of the same name is removed first."""
        self.remove(fusion.name)
        self._ask(self._upload(fusion))

    def stored(self, name: str) -> str | None:
        """Return the model, or None."""
        models = self._ask(Request("GET", f"{self._index}/schema/model-store", {})).get("models", [])
        found = next((model for model in models if model.get("name") == name), None)
        return None if found is None else msgspec.json.encode(found).decode()

    def remove(self, name: str) -> None:
        """Remove the model."""
        if self.stored(name) is not None:
            self._remove(f"{self._index}/schema/model-store/{quote(name, safe='')}")

    def fused_search(self, fusion: Fusion, values: Mapping[str, Mapping[str, Any]], size: int) -> Answer:
        """Return the best documents of the union of the retrievers by the model."""
        params: dict[str, Any] = {}
        for number, (name, template) in enumerate(fusion.templates.items()):
            body = filled(json_template(template), values[name])
            for key, value in {**body.get("params", {}), f"retriever{number}": body["query"]}.items():
                if params.setdefault(key, value) != value:
                    raise InvalidParameterError(f"retrievers give the parameter {key!r} different values: rename one")
        union = " ".join(f"should=$retriever{number}" for number in range(len(fusion.templates)))
        params["query_text"] = next(iter(values.values()))["query"]
        many = fusion.depth * len(fusion.templates)
        params["rq"] = f"{{!ltr model={fusion.name} reRankDocs={many} efi.query=$query_text}}"
        return self._hits({"query": f"{{!bool {union}}}", "params": params, "limit": size})

    def _upload(self, fusion: Fusion) -> Request:
        (upload,) = self.export(fusion).requests
        return Request(upload.method, f"{self._index}/{upload.path}", upload.body)

    def _hits(self, body: dict[str, Any]) -> Answer:
        request = Request("POST", f"{self._index}/query", {**body, "fields": ["id", "score"]})
        try:
            found = msgspec.convert(self._ask(request), _Response)
        except msgspec.ValidationError as error:
            raise ServerError(f"{self.connection.address} did not answer as expected: {error}") from None
        if found.responseHeader.partialResults:
            raise TransientServerError(f"{self.connection.address} answered with a part of the results")
        return Answer(tuple(Hit(one.id, one.score) for one in found.response.docs))


class _Document(msgspec.Struct):
    id: str
    score: float


class _Documents(msgspec.Struct):
    docs: list[_Document]


class _Header(msgspec.Struct):
    partialResults: bool = False  # noqa: N815 - Solr's name


class _Response(msgspec.Struct):
    response: _Documents
    responseHeader: _Header = msgspec.field(default_factory=_Header)  # noqa: N815 - Solr's name
