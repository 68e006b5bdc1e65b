"""The interface of a connection to a search engine: what collecting, pushing and confirming need of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from rankmax.engines.connectors.query_placeholders import Template
from rankmax.engines.export_target import AnyModel, Export
from rankmax.engines.http_client import SECONDS
from rankmax.errors import IncompatibleError


class Hit(NamedTuple):
    """A document that an engine returned.

    Attributes
    ----------
    document : str
    score : float
    """

    document: str
    score: float


@dataclass(frozen=True)
class Answer:
    """Response of an engine to a search.

    Attributes
    ----------
    hits : tuple of Hit
        The documents, the best first.
    shards : int or None
        Number of shards that were searched, where the engine tells.
    """

    hits: tuple[Hit, ...]
    shards: int | None = None


@dataclass(frozen=True)
class Connection:
    """Where an engine is.

    Attributes
    ----------
    address : str
        URL of a server, or path of a database.
    index : str or None
        Index or collection to search; databases need none.
    timeout : float
        Time limit of a request, in seconds.
    """

    address: str
    index: str | None = None
    timeout: float = SECONDS


@dataclass(frozen=True)
class Fusion:
    """A fusion of retrievers that an engine shall do.

    Attributes
    ----------
    name : str
        Name in the engine.
    model : LinearModel or ExpectedGainModel
        Its features are the names of the retrievers.
    templates : mapping of str to template
        Query template of each retriever.
    depth : int
        Number of documents of each retriever to fuse.
    """

    name: str
    model: AnyModel
    templates: Mapping[str, Template]
    depth: int


class Engine(ABC):
    """Base of connections; inherit for an engine of your own, and test it with ``rankmax.testing.EngineContract``.

    Several threads call :meth:`search` and :meth:`fused_search` at a time.

    Parameters
    ----------
    connection : Connection
    """

    tuned_as: ClassVar[str]
    """Engine that ``rankmax tune --engine`` restricts candidates to."""
    target: ClassVar[str]
    """Export target that writes models for this engine."""
    needs_index: ClassVar[bool] = False
    """Whether the connection must name an index."""
    ties_by_id: ClassVar[bool] = False
    """Whether its fusion ranks equal scores by document id, descending, not in the order in which it returns them."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    @classmethod
    @abstractmethod
    def checked(cls, template: Template) -> Template:
        """Return a template in the form that the engine uses, or refuse one that it cannot use.

        Parameters
        ----------
        template : dict or str
        """

    @classmethod
    @abstractmethod
    def placeholders(cls, template: Template) -> set[str]:
        """Return the names of the placeholders in a template: query, vector, depth.

        Parameters
        ----------
        template : dict or str
        """

    @abstractmethod
    def search(self, template: Template, values: Mapping[str, Any], depth: int) -> Answer:
        """Return the documents that one retriever finds.

        Parameters
        ----------
        template : dict or str
        values : mapping of str to object
            Values of the placeholders.
        depth : int
            Largest number of documents to return.
        """

    @abstractmethod
    def export(self, fusion: Fusion) -> Export:
        """Return the fusion as the engine takes it, with the retrievers' templates.

        Parameters
        ----------
        fusion : Fusion
        """

    @abstractmethod
    def described(self, fusion: Fusion) -> str:
        """Return what :meth:`put` would send, as text without credentials.

        Parameters
        ----------
        fusion : Fusion
        """

    @abstractmethod
    def put(self, fusion: Fusion) -> None:
        """Store a fusion in the engine, in place of one of the same name.

        Parameters
        ----------
        fusion : Fusion
        """

    @abstractmethod
    def stored(self, name: str) -> str | None:
        """Return the stored fusion of this name as text, or None.

        Parameters
        ----------
        name : str
        """

    @abstractmethod
    def remove(self, name: str) -> None:
        """Take a fusion back; nothing happens where there is none.

        Parameters
        ----------
        name : str
        """

    @abstractmethod
    def fused_search(self, fusion: Fusion, values: Mapping[str, Mapping[str, Any]], size: int) -> Answer:
        """Return the best documents by the fusion that the engine does.

        Parameters
        ----------
        fusion : Fusion
        values : mapping of str to mapping
            Values of the placeholders, by retriever.
        size : int
            Number of documents to return.
        """

    def weighted_search(self, fusion: Fusion, values: Mapping[str, Mapping[str, Any]], size: int) -> Answer:
        """Return the best documents by a fusion that comes with the request, whatever is stored.

        Parameters
        ----------
        fusion : Fusion
        values : mapping of str to mapping
            Values of the placeholders, by retriever.
        size : int
            Number of documents to return.
        """
        raise IncompatibleError(
            f"{self.target} takes weights from a stored model, not with each request: tune without --by auto"
        )
