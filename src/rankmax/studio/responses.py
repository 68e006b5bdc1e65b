"""Responses to the page's requests: what a verb computes comes from the verb's function, as on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from rankmax.api.distance import distance
from rankmax.api.export import export
from rankmax.api.profile import profile
from rankmax.engines.registry import TARGETS
from rankmax.errors import InvalidParameterError
from rankmax.learners.registry import LEARNERS
from rankmax.metrics.registry import parse_metric
from rankmax.models import LinearModel
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.model_files import ScoringModel
from rankmax.preprocessing.registry import normalization_names
from rankmax.spaces import space_names
from rankmax.studio.messages import Compare, Export, Follow, ListQueries, Read, SaveWeights, Split, Table, View
from rankmax.studio.screen_steps import described_function
from rankmax.studio.session import Session
from rankmax.workflows.projects.query_lists import ordered_queries
from rankmax.workflows.projects.roles import require_no_test_data, role_of
from rankmax.workflows.projects.side_by_side import side_by_side
from rankmax.workflows.projects.workbench import Reading

_METRICS = ("nDCG@10", "AP", "nDCG", "RR", "P@10", "ERR@20", "R@100", "Rprec", "Success@5")


def project(session: Session) -> dict[str, Any]:
    """Return the files and choices of the project."""
    own = session.project
    return {
        "name": own.folder.name,
        "chosen": own.chosen,
        "data": own.data_names,
        "roles": {name: role_of(name) for name in own.data_names},
        "models": own.model_names,
        "trained": own.trained_names,
        "additive": [name for name in own.model_names if isinstance(own.model(name), AdditiveModel)],
        "tunable": bool(own.run_names) or own.project_file is not None,
        "metrics": _METRICS,
        "normalizations": normalization_names(),
        "spaces": space_names(),
        "targets": list(TARGETS),
        "learners": {
            name: {
                "description": LEARNERS.describe(name),
                "options": [option.described() for option in learner.options if option.in_studio],
            }
            for name, learner in LEARNERS.load_all().items()
        },
    }


def describe(session: Session, view: View) -> dict[str, Any]:
    """Return the size of a data set and the names of its features."""
    data = session.bench(view).data
    return {
        "features": data.feature_names,
        "n_queries": data.n_queries,
        "n_documents": data.n_documents,
        "grades": [level for level in data.judgments.levels.tolist() if level == level],
        "metric": parse_metric(view.metric).name,
        "suggestions": session.suggestions(view),
    }


def training_of(session: Session, name: str) -> dict[str, Any]:
    """Return the progress of the training that a model came out of."""
    kept = session.project.training(name)
    if kept is None:
        raise InvalidParameterError(f"no training was kept with {name}")
    return {"metric": kept.metric, "data": kept.data, "steps": kept.steps}


def split(session: Session, asked: Split) -> list[str]:
    """Split a data file into training and test queries, and return the names of the new files."""
    return session.project.split(asked.data)


def weights_of(session: Session, name: str) -> dict[str, Any]:
    """Return the weights and the normalization of a model."""
    model = session.project.model(name)
    return {
        "name": name,
        "metric": model.metric,
        "normalize": model.normalization.name,
        "weights": dict(zip(model.feature_names, model.weights.tolist(), strict=True))
        if isinstance(model, LinearModel)
        else None,
        "learner": model.provenance.learner,
        "curves": _curves(model) if isinstance(model, AdditiveModel) else None,
    }


def save_weights(session: Session, asked: SaveWeights) -> dict[str, str]:
    """Save the current weights as a model, and return the file's name."""
    bench = session.bench(asked)
    weights = (session.model if asked.current.curves else session.linear)(asked.current, bench)
    path = session.project.new_file(asked.name, ".json")
    replace(weights, metric=parse_metric(asked.metric).name).save(path)
    return {"name": path.name}


def read(session: Session, asked: Read) -> Reading:
    """Return the metric of the current setting, compared with the reference."""
    bench = session.bench(asked)
    current, reference = (session.model(setting, bench) for setting in (asked.current, asked.reference))
    return bench.read(current, reference, parse_metric(asked.metric))


def follow(session: Session, asked: Follow) -> dict[str, Any]:
    """Return the metric as a function of the weight of one feature."""
    require_no_test_data("find a weight", asked.data, confirmed=asked.confirmed)
    bench = session.bench(asked)
    found = profile(bench.data, session.linear(asked.current, bench), asked.feature, asked.metric)
    within, middle = found.within, found.within.middle
    return {
        "feature": asked.feature,
        "metric": found.metric.name,
        "weight": found.weight,
        "value": found.value,
        "standard_error": found.standard_error,
        "within": {"low": within.low, "high": within.high, "middle": middle, "value": float(found.function(middle))},
        **described_function(found.function, found.weight, found.best_weight, (within.low, within.high)),
    }


def list_queries(session: Session, asked: ListQueries) -> dict[str, Any]:
    """Return a list of queries with their values under the reference and the current setting."""
    bench = session.bench(asked)
    topics = session.texts.topics
    reference, current = (session.model(setting, bench) for setting in (asked.reference, asked.current))
    listed = ordered_queries(bench, reference, current, parse_metric(asked.metric), asked.order)
    sought = asked.search.casefold()
    found = [
        query for query in listed if sought in query.id.casefold() or sought in topics.get(query.id, "").casefold()
    ]
    return {
        "n_found": len(found),
        "has_query": asked.query in bench.data.query_ids,
        "n_better": sum(query.gain > 0 for query in listed),
        "n_worse": sum(query.gain < 0 for query in listed),
        "queries": [{**asdict(query), "text": topics.get(query.id, "")} for query in found[: asked.limit]],
    }


def compare_rankings(session: Session, asked: Compare) -> dict[str, Any]:
    """Return a query's documents under the reference and the current setting."""
    bench = session.bench(asked)
    models = [session.model(setting, bench) for setting in (asked.reference, asked.current)]
    found = side_by_side(bench.data, asked.query, *models, depth=asked.depth)
    return {
        "query": asked.query,
        "text": session.texts.topics.get(asked.query, ""),
        "documents": found.documents,
        "further": found.further,
        "n_absent": found.n_absent,
        "snippets": session.texts.snippets(asked.query, [document.id for document in found.documents]),
    }


def compare_models(session: Session, asked: Table, models: Mapping[str, ScoringModel]) -> dict[str, Any]:
    """Return a table of models against the reference: means and significance by part of the data, and distances."""
    metric = parse_metric(asked.metric)
    parts = []
    for name, role in session.project.parts(asked.data):
        bench = session.part(asked, name)
        reference = session.model(asked.reference, bench)
        comparison = bench.compare(models, reference, metric)
        seen = [model for model, one in models.items() if session.is_trained_on(one, name)]
        parts.append(
            {"data": name, "role": role, "mean": comparison.baseline_mean, "rows": comparison.rows, "seen": seen}
        )
    return {
        "metric": metric.name,
        "level": comparison.level,
        "parts": parts,
        "distances": {name: _distance(model, reference) for name, model in models.items()},
    }


def export_for(session: Session, asked: Export) -> dict[str, str]:
    """Return a saved model as `rankmax export` writes it."""
    return {"text": export(session.project.model(asked.model), asked.target, name=asked.model.split(".")[0]).text}


def _curves(model: AdditiveModel) -> list[dict[str, Any]]:
    """Return the curves of a model that are not zero, the highest first."""
    found = sorted(model.used, key=lambda j: -model.curves[j].height)
    return [
        {
            "feature": model.feature_names[j],
            "kind": model.curves[j].kind,
            "knots": model.curves[j].knots.tolist(),
            "values": model.curves[j].values.tolist(),
        }
        for j in found
    ]


def _distance(model: object, reference: object) -> Any:
    if not isinstance(model, LinearModel) or not isinstance(reference, LinearModel):
        return None
    return distance(model, reference) if model.weights.any() and reference.weights.any() else None
