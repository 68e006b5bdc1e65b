"""Responses to the page's requests: what a verb computes comes from the verb's function, as on the command line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rankmax.api.compare import compare
from rankmax.api.distance import distance
from rankmax.api.export import export
from rankmax.api.profile import profile
from rankmax.engines.registry import TARGETS
from rankmax.learners.registry import LEARNERS
from rankmax.metrics.registry import parse_metric
from rankmax.models import LinearModel
from rankmax.preprocessing.registry import normalization_names
from rankmax.spaces import space_names
from rankmax.studio.messages import Compare, Export, Follow, ListQueries, Read, SaveWeights, Table, View
from rankmax.studio.screen_steps import described_function
from rankmax.studio.session import Session
from rankmax.workflows.projects.side_by_side import side_by_side
from rankmax.workflows.projects.workbench import Reading

_METRICS = ("nDCG@10", "AP", "nDCG", "RR", "P@10", "ERR@20", "R@100", "Rprec", "Success@5")
_REFERENCE = "the reference"


def project(session: Session) -> dict[str, Any]:
    """Return the files and choices of the project."""
    own = session.project
    return {
        "name": own.folder.name,
        "chosen": own.chosen,
        "data": own.data_names,
        "models": own.model_names,
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
    }


def weights_of(session: Session, name: str) -> dict[str, Any]:
    """Return the weights and the normalization of a model."""
    model = session.project.model(name)
    linear = isinstance(model, LinearModel)
    return {
        "name": name,
        "metric": model.metric,
        "normalize": model.normalization.name,
        "weights": dict(zip(model.feature_names, model.weights.tolist(), strict=True)) if linear else None,
        "learner": model.provenance.learner,
    }


def save_weights(session: Session, asked: SaveWeights) -> dict[str, str]:
    """Save the current weights as a model, and return the file's name."""
    weights = session.linear(asked.current, session.bench(asked))
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
    bench = session.bench(asked)
    found = profile(session.linear(asked.current, bench), bench.data, asked.feature, asked.metric)
    return {
        "feature": asked.feature,
        "metric": found.metric.name,
        "weight": found.weight,
        "value": found.value,
        **described_function(found.function, found.weight, found.best_weight),
    }


def list_queries(session: Session, asked: ListQueries) -> dict[str, Any]:
    """Return the queries that gain most, or lose most, from the reference to the current setting."""
    bench = session.bench(asked)
    metric, topics = parse_metric(asked.metric), session.texts.topics
    before, after = (bench.values(session.model(s, bench), metric) for s in (asked.reference, asked.current))
    gains = np.nan_to_num(after - before)
    order = {"gain": np.argsort(-gains, kind="stable"), "loss": np.argsort(gains, kind="stable")}
    sought = asked.search.casefold()
    ids = bench.data.query_ids
    found = [
        q
        for q in order.get(asked.order, np.arange(len(ids))).tolist()
        if sought in ids[q].casefold() or sought in topics.get(ids[q], "").casefold()
    ]
    return {
        "n_found": len(found),
        "has_query": asked.query in ids,
        "n_better": int((gains > 0).sum()),
        "n_worse": int((gains < 0).sum()),
        "queries": [
            {
                "id": ids[q],
                "text": topics.get(ids[q], ""),
                "before": float(before[q]),
                "after": float(after[q]),
                "gain": float(gains[q]),
            }
            for q in found[: asked.limit]
        ],
    }


def compare_rankings(session: Session, asked: Compare) -> dict[str, Any]:
    """Return a query's documents under the reference and the current setting."""
    bench = session.bench(asked)
    models = [session.model(setting, bench) for setting in (asked.reference, asked.current)]
    documents = side_by_side(bench.data, asked.query, *models, depth=asked.depth)
    return {
        "query": asked.query,
        "text": session.texts.topics.get(asked.query, ""),
        "documents": documents,
        "snippets": session.texts.snippets(asked.query, [document.id for document in documents]),
    }


def compare_models(session: Session, asked: Table) -> dict[str, Any]:
    """Return a table of saved models against the reference: means, significance, distances."""
    bench = session.bench(asked)
    metric = parse_metric(asked.metric)
    reference = session.model(asked.reference, bench)
    models = {name: session.project.model(name) for name in asked.models}
    scores = {name: bench.scores(model) for name, model in {_REFERENCE: reference, **models}.items()}
    comparison = compare(bench.data, scores, metric).by_metric[metric.name]
    return {
        "metric": metric.name,
        "mean": comparison.baseline_mean,
        "level": comparison.level,
        "rows": [{"comparison": row, "distance": _distance(models[row.system], reference)} for row in comparison.rows],
    }


def export_for(session: Session, asked: Export) -> dict[str, str]:
    """Return a saved model as `rankmax export` writes it."""
    return {"text": export(session.project.model(asked.model), asked.target, name=asked.model.split(".")[0]).text}


def _distance(model: object, reference: object) -> Any:
    if not isinstance(model, LinearModel) or not isinstance(reference, LinearModel):
        return None
    return distance(model, reference) if model.weights.any() and reference.weights.any() else None
