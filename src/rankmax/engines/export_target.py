"""Export targets: the text of an export, and the requests that install it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from rankmax._result_views import Block, ResultView
from rankmax.engines.export_text import as_json
from rankmax.engines.query_templates import SystemTemplate
from rankmax.engines.tree_ensembles import merged
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.models.model_files import AnyKind
from rankmax.models.query_weights_model import QueryWeightsModel
from rankmax.models.stacked_model import StackedModel
from rankmax.models.tree_ensemble_model import TreeEnsembleModel
from rankmax.models.varying_model import VaryingModel

_COMPUTE_CURVES = "python, sql, vespa, solr-function, script-score, or as trees to solr or elasticsearch-ltr"
AnyModel: TypeAlias = LinearModel | ExpectedGainModel | AdditiveModel
"""Any model with the same weights for every query."""


@dataclass(frozen=True)
class Request:
    """A request to an engine's HTTP interface.

    Attributes
    ----------
    method : str
    path : str
        Path relative to the address of the engine.
    body : mapping
        Body of the request, sent as JSON.

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
        """The request in the syntax of the Elasticsearch and OpenSearch consoles."""
        return f"{self.method} {self.path}\n{self.json}"


@dataclass(frozen=True, repr=False)
class Export(ResultView):
    """A model in the form that an engine takes; it shows itself as the text to paste.

    Attributes
    ----------
    text : str
        Content of the exported file, with comments on where it belongs.
    requests : tuple of Request
        Requests that store the model in the engine; empty where it belongs in a file or in each search request.
    search : Request or None
        A search that uses the model, where the engine fuses what several queries return.
    """

    text: str
    requests: tuple[Request, ...] = ()
    search: Request | None = None

    @property
    def blocks(self) -> list[Block]:
        """The text."""
        return [self.text]


@dataclass(frozen=True)
class Destination:
    """Names in the engine, and properties of features and systems there.

    Attributes
    ----------
    name : str
        Name of the model, pipeline or rank profile.
    feature_set : str
        Name of the feature set that holds the model's features, where the engine groups them.
    ranges : mapping from feature name to (lowest, highest)
        Ranges of features that the engine shall scale to [0, 1]; the ranking stays the same, with numbers that are
        easier to read.
    templates : mapping from system to SystemTemplate
        Query templates of systems, where more is known than their names.
    index : str
        Name of the index to search.
    """

    name: str = "rankmax"
    feature_set: str = "rankmax"
    ranges: Mapping[str, tuple[float, float]] | None = None
    templates: Mapping[str, SystemTemplate] = field(default_factory=dict)
    index: str = "YOUR-INDEX"

    def template(self, system: str) -> SystemTemplate:
        """Return the query template of a system.

        Parameters
        ----------
        system : str
        """
        return self.templates.get(system) or SystemTemplate()


@dataclass(frozen=True)
class Target:
    """A target that models can be exported to: a search engine, a language or a library.

    Attributes
    ----------
    name : str
        Name on the command line.
    title : str
        Name in sentences.
    write : callable (model, destination) -> Export
        Writes the export; raises IncompatibleError for a model that the target cannot express.
    scales : bool
        Whether the target uses the destination's ranges.
    write_varying : callable (model, destination) -> Export, or None
        Writes weights that depend on a column, where the target supports them.
    write_trees : callable (model, destination) -> Export, or None
        Writes sums of regression trees, where the target supports them.
    write_additive : callable (model, destination) -> Export, or None
        Writes additive models, where the target computes curves.
    write_query_weights : callable (model, destination) -> Export, or None
        Writes weights that fit the query, where the target supports them.
    """

    name: str
    title: str
    write: Callable[[AnyModel, Destination], Export]
    scales: bool = False
    write_varying: Callable[[VaryingModel, Destination], Export] | None = None
    write_trees: Callable[[TreeEnsembleModel, Destination], Export] | None = None
    write_additive: Callable[[AdditiveModel, Destination], Export] | None = None
    write_query_weights: Callable[[QueryWeightsModel, Destination], Export] | None = None

    def export(self, model: AnyKind, destination: Destination) -> Export:
        """Return a model in the form that the target takes.

        Parameters
        ----------
        model : LinearModel, ExpectedGainModel, AdditiveModel, VaryingModel, QueryWeightsModel or TreeEnsembleModel
        destination : Destination
        """
        if isinstance(model, AdditiveModel):
            if self.write_additive is None:
                raise IncompatibleError(
                    f"{self.title} adds up weighted scores and cannot compute curves: export to {_COMPUTE_CURVES}, or "
                    "learn a linear model with rankmax train"
                )
            if destination.ranges:
                raise IncompatibleError("curves take features as they are: leave the ranges out")
            return self.write_additive(model, destination)
        if isinstance(model, StackedModel):
            model = merged(model, self.title)
        if isinstance(model, TreeEnsembleModel):
            if self.write_trees is None:
                raise IncompatibleError(
                    f"{self.title} has no sums of trees: export to elasticsearch-ltr, opensearch-ltr or solr, or use "
                    "the model in its own library"
                )
            if destination.ranges:
                raise IncompatibleError("trees compare features as they are: leave the ranges out")
            return self.write_trees(model, destination)
        if isinstance(model, QueryWeightsModel):
            if not model.moving:  # the same for all queries
                return self.write(model.fixed, destination)
            if self.write_query_weights is None:
                raise IncompatibleError(
                    f"{self.title} has one set of weights for all queries, and those of the model depend on the query: "
                    "export to client-python or client-javascript, a function that returns the weights for a request, "
                    "or to python or sql, which do the whole"
                )
            return self.write_query_weights(model, destination)
        if not isinstance(model, VaryingModel):
            return self.write(model, destination)
        if self.write_varying is None:
            raise IncompatibleError(
                f"{self.title} has one set of weights for all queries, and those of the model depend on "
                f"{model.column!r}: export the weights of some queries with --at VALUE, once for each set that "
                "you need, or export to python or sql, which choose them for each query"
            )
        return self.write_varying(model, destination)
