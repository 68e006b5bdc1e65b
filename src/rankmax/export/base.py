"""What every target of an export shares: what is written, and what may be sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from rankmax.errors import IncompatibleError
from rankmax.export.templates import SystemTemplate
from rankmax.export.text import as_json
from rankmax.models import LinearModel
from rankmax.models.expected_gain import ExpectedGainModel
from rankmax.models.varying import VaryingModel

AnyModel: TypeAlias = LinearModel | ExpectedGainModel
"""A model with the same weights for every query."""


@dataclass(frozen=True)
class Request:
    """A request to an engine's HTTP interface.

    Attributes
    ----------
    method : str
    path : str
        Below the address of the engine.
    body : mapping
        Sent as JSON.

    Examples
    --------
    >>> print(Request("PUT", "_search/pipeline/mine", {"description": "weights"}).text)
    PUT _search/pipeline/mine
    {
      "description": "weights"
    }
    """

    method: str
    path: str
    body: Mapping[str, Any]

    @property
    def json(self) -> str:
        """The body as indented JSON."""
        return as_json(self.body)

    @property
    def text(self) -> str:
        """As the consoles of Elasticsearch and OpenSearch take it."""
        return f"{self.method} {self.path}\n{self.json}"


@dataclass(frozen=True)
class Export:
    """A model in the words of an engine.

    Attributes
    ----------
    text : str
        What to write to a file, with comments on where it belongs.
    requests : tuple of Request
        What puts the model into the engine; empty where it lives in a file or in each search request.
    """

    text: str
    requests: tuple[Request, ...] = ()


@dataclass(frozen=True)
class Destination:
    """How things are called in the engine, and what is known of them.

    Attributes
    ----------
    name : str
        Of the model, pipeline or rank profile.
    feature_set : str
        That the model's features belong to, where the engine groups them.
    ranges : mapping from feature name to (lowest, highest)
        Of features that the engine shall scale to [0, 1]; ranks alike, in numbers that are easier to read.
    templates : mapping from system to SystemTemplate
        How systems are asked in the engine, where more is known than their names.
    """

    name: str = "rankmax"
    feature_set: str = "rankmax"
    ranges: Mapping[str, tuple[float, float]] | None = None
    templates: Mapping[str, SystemTemplate] = field(default_factory=dict)

    def template(self, system: str) -> SystemTemplate:
        """Return how a system is asked.

        Parameters
        ----------
        system : str
        """
        return self.templates.get(system) or SystemTemplate()


@dataclass(frozen=True)
class Target:
    """Something that models are exported to.

    Attributes
    ----------
    name : str
        As on the command line.
    title : str
        As in sentences.
    write : callable (model, destination) -> Export
        Raises IncompatibleError for a model that the target cannot express.
    scales : bool
        Whether it makes use of a destination's ranges.
    write_varying : callable (model, destination) -> Export, or None
        For weights that depend on the query, where the target can choose them.
    """

    name: str
    title: str
    write: Callable[[AnyModel, Destination], Export]
    scales: bool = False
    write_varying: Callable[[VaryingModel, Destination], Export] | None = None

    def export(self, model: AnyModel | VaryingModel, destination: Destination) -> Export:
        """Return a model in the words of the target.

        Parameters
        ----------
        model : LinearModel, ExpectedGainModel or VaryingModel
        destination : Destination
        """
        if not isinstance(model, VaryingModel):
            return self.write(model, destination)
        if self.write_varying is None:
            raise IncompatibleError(
                f"{self.title} has one set of weights for all queries, and those of the model depend on "
                f"{model.column!r}: export the weights of some queries with --at VALUE, once for each set that "
                "you need, or export to python or sql, which choose them for each query"
            )
        return self.write_varying(model, destination)
