"""`rankmax.export`: a model as a search engine's request or configuration."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rankmax.api.inputs import as_dataset, as_model
from rankmax.engines.export_target import Destination, Export
from rankmax.engines.query_templates import SystemTemplate, read_templates
from rankmax.engines.registry import TARGETS
from rankmax.errors import IncompatibleError
from rankmax.models.varying_model import VaryingModel


def export(
    model: Any,
    target: str,
    *,
    name: str = "rankmax",
    feature_set: str = "rankmax",
    ranges: Any = None,
    templates: str | os.PathLike[str] | Mapping[str, SystemTemplate] | None = None,
    at: str | None = None,
) -> Export:
    """Return a model as a request, configuration, function or query that ranks as the model does.

    A model that a target cannot express is refused, with what would make it expressible.

    Parameters
    ----------
    model : model, fitted learner, tuning, or path of a model file
        The model to export.
    target : str
        "elasticsearch-ltr", "elasticsearch-retriever", "opensearch-hybrid", "opensearch-ltr", "solr",
        "solr-function", "script-score", "function-score", "vespa", "qdrant", "milvus", "weaviate", "lancedb",
        "langchain", "llama-index", "haystack", "python", "client-python", "client-javascript", "sql",
        "postgresql-hybrid", "duckdb-hybrid", "sqlite-hybrid", "postgresql" or "mysql".
    name : str, default "rankmax"
        Name of the model, pipeline or rank profile in the engine.
    feature_set : str, default "rankmax"
        Name of the engine's feature set that holds the features (LTR, Solr).
    ranges : RankingDataset, path of a data file, or mapping of str to pair of float, optional
        Lowest and highest value of each feature, by which the engine scales it; the ranking stays the same (LTR, Solr).
    templates : path or mapping of str to SystemTemplate, optional
        Kind, field and model of each system in the engine, in place of guesses by their names.
    at : str, optional
        For a model whose weights depend on the query: export those of queries with this value or group.

    Returns
    -------
    Export
        Its `text` goes to a file; its `requests` put the model into the engine.

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> print(export(LinearModel([0.3, 0.7], ("bm25", "e5")), "vespa", name="tuned").text[:35])
    # Schema and rank profile for Vespa
    """
    written_for = TARGETS.load(target)
    if ranges is not None and not written_for.scales:
        scaling = ", ".join(name for name, known in TARGETS.load_all().items() if known.scales)
        raise IncompatibleError(f"ranges are for engines that scale features: {scaling}")
    loaded = as_model(model)
    if at is not None:
        if not isinstance(loaded, VaryingModel):
            raise IncompatibleError("at is for models whose weights depend on the query; this one has one set of them")
        loaded = loaded.at(at)
    known = read_templates(templates) if isinstance(templates, str | os.PathLike) else dict(templates or {})
    return written_for.export(loaded, Destination(name, feature_set, _ranges(ranges), known))


def _ranges(ranges: Any) -> Mapping[str, tuple[float, float]] | None:
    """Return the lowest and highest value of each feature, where they are given or to be found in data."""
    if ranges is None or isinstance(ranges, Mapping):
        return ranges
    data = as_dataset(ranges)
    if not data.n_documents:
        return {}
    columns = ((name, data.column(j)) for j, name in enumerate(data.feature_names))
    return {name: (float(column.min()), float(column.max())) for name, column in columns}
