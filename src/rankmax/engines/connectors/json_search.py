"""What engines with Elasticsearch's search interface share: bodies of requests, and responses with hits."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import quote

import msgspec

from rankmax.engines.configuration_push import described
from rankmax.engines.connectors.engine import Answer, Connection, Engine, Fusion, Hit
from rankmax.engines.connectors.query_placeholders import Template, filled, json_template, placeholders
from rankmax.engines.export_target import Destination, Export, Request
from rankmax.engines.http_client import Credentials, address, answer
from rankmax.engines.query_templates import SystemTemplate
from rankmax.engines.registry import TARGETS
from rankmax.errors import InvalidParameterError, ServerError, TransientServerError


class HTTPEngine(Engine):
    """Base of engines with bodies of requests in JSON.

    Parameters
    ----------
    connection : Connection
        Its address is a URL; credentials come from the environment.
    """

    needs_index: ClassVar[bool] = True

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._credentials = Credentials.from_environment()
        address(Request("GET", "", {}), connection.address)  # refuses what is no URL

    @classmethod
    def placeholders(cls, template: Template) -> set[str]:
        """Return the names of the placeholders in a template."""
        return placeholders(template)

    @property
    def _index(self) -> str:
        return quote(self.connection.index or "", safe="")

    def _ask(self, request: Request) -> Any:
        content = answer(request, self.connection.address, self._credentials, timeout=self.connection.timeout)
        try:
            return msgspec.json.decode(content)
        except msgspec.DecodeError:
            where = address(request, self.connection.address)
            raise ServerError(f"{where} did not answer in JSON; is it the address of an engine?") from None

    def _stored(self, path: str) -> str | None:
        """Return what is at a path, or None where the engine says that nothing is."""
        try:
            found = self._ask(Request("GET", path, {}))
        except ServerError as error:
            if error.status == 404:
                return None
            raise
        return msgspec.json.encode(found).decode() if found else None

    def _remove(self, path: str) -> None:
        try:
            self._ask(Request("DELETE", path, {}))
        except ServerError as error:
            if error.status != 404:
                raise

    def _described(self, request: Request) -> str:
        return described(request, self.connection.address, self._credentials)


class JSONSearchEngine(HTTPEngine):
    """Base of Elasticsearch and OpenSearch."""

    def search(self, template: Template, values: Mapping[str, Any], depth: int) -> Answer:
        """Return the documents that one retriever finds."""
        body = filled(json_template(template), values)
        return self._hits(Request("POST", f"{self._index}/_search", {"_source": False, **body, "size": depth}))

    def fused_search(self, fusion: Fusion, values: Mapping[str, Mapping[str, Any]], size: int) -> Answer:
        """Return the best documents by the fusion, with the search that the export writes."""
        search = self._export(fusion, values).search
        assert search is not None
        return self._hits(Request("POST", search.path, {**search.body, "size": size, "_source": False}))

    def export(self, fusion: Fusion) -> Export:
        """Return the fusion with a search that has the retrievers' templates."""
        return self._export(fusion)

    def _export(self, fusion: Fusion, values: Mapping[str, Mapping[str, Any]] | None = None) -> Export:
        bodies = {name: json_template(template) for name, template in fusion.templates.items()}
        if values is not None:
            bodies = {name: filled(body, values[name]) for name, body in bodies.items()}
        templates = {name: self._system(body) for name, body in bodies.items()}
        destination = Destination(fusion.name, templates=templates, index=self.connection.index or "")
        return TARGETS.load(self.target).export(fusion.model, destination)

    @staticmethod
    @abstractmethod
    def _system(body: dict[str, Any]) -> SystemTemplate:
        """Return the template of a system whose search has this body."""

    def _hits(self, request: Request) -> Answer:
        content = self._ask(request)
        where = address(request, self.connection.address)
        try:
            found = msgspec.convert(content, _Response)
        except msgspec.ValidationError as error:
            raise ServerError(f"{where} did not answer as expected: {error}") from None
        if found.timed_out or found._shards.failed:
            raise TransientServerError(f"{where} answered with a part of the results: shards timed out or failed")
        return Answer(tuple(Hit(hit._id, hit._score) for hit in found.hits.hits), found._shards.total)


def only_key(body: dict[str, Any], allowed: tuple[str, ...], reason: str) -> str:
    """Return the key of a request's body that holds the query, or refuse a body with more than that.

    Parameters
    ----------
    body : dict
    allowed : tuple of str
        Keys that may hold it.
    reason : str
        Why there may be no more.

    Examples
    --------
    >>> only_key({"query": {}, "size": 10}, ("query",), "")
    'query'
    """
    used = [key for key in body if key not in ("size", "_source")]
    if len(used) != 1 or used[0] not in allowed:
        expected = " or ".join(allowed)
        raise InvalidParameterError(
            f"the template has {', '.join(used) or 'nothing'}; expected {expected} alone: {reason}"
        )
    return used[0]


class _Found(msgspec.Struct):
    _id: str
    _score: float


class _Hits(msgspec.Struct):
    hits: list[_Found]


class _Shards(msgspec.Struct):
    total: int | None = None
    failed: int = 0


class _Response(msgspec.Struct):
    hits: _Hits
    timed_out: bool = False
    _shards: _Shards = msgspec.field(default_factory=_Shards)
