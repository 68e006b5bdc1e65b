"""OpenSearch's hybrid query: a search pipeline whose processor combines the scores or ranks of clauses.

In single precision, over the documents that each clause c of the query returns, the others counting as 0:

    normalization-processor: score(d) = Σ_c weight_c · normalized_c(d) / Σ_c weight_c
    score-ranker-processor:  score(d) = Σ_c weight_c / (rank_constant + rank_c(d))

Weights are in [0, 1] and add up to 1; there are at most five clauses.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from rankmax.engines.export_target import AnyModel, Destination, Export, Request, Target
from rankmax.engines.export_text import commented, heading, listed
from rankmax.engines.query_templates import SystemTemplate, opensearch_clause
from rankmax.engines.requirements import (
    beyond_window,
    depth_of_runs,
    engine_normalization,
    linear_terms,
    rank_constant,
    require_nonnegative,
    within_float32,
)
from rankmax.errors import IncompatibleError
from rankmax.preprocessing.run_normalization import OPENSEARCH_CLAUSES, ReciprocalRank

_TITLE = "OpenSearch's hybrid query"
_TECHNIQUES = {
    "opensearch-min-max": "min_max",
    "l2": "l2",
    "opensearch-z-score": "z_score",
    "reciprocal-rank": "rrf",
}
_SINCE = {"min_max": "2.19", "l2": "2.19", "z_score": "3.0", "rrf": "3.1"}  # pagination_depth came with 2.19


def _write(model: AnyModel, destination: Destination) -> Export:
    weights = linear_terms(model, _TITLE)
    require_nonnegative(weights, _TITLE)
    technique = engine_normalization(model, _TITLE, _TECHNIQUES, "rankmax tune --engine opensearch")
    if len(weights) > OPENSEARCH_CLAUSES:
        raise IncompatibleError(
            f"{_TITLE} has at most {OPENSEARCH_CLAUSES} clauses, and the model weighs {len(weights)} systems: "
            f"learn from the best {OPENSEARCH_CLAUSES}, or export to opensearch-ltr"
        )
    depth, of_runs = depth_of_runs(model)
    largest = max(weights.values())  # first, as the sum of huge weights overflows
    total = sum(weight / largest for weight in weights.values())
    shares = within_float32({name: weight / largest / total for name, weight in weights.items()})
    parameters = {"weights": list(shares.values())}
    processor: dict[str, Any]
    if isinstance(model.normalization, ReciprocalRank):
        constant = rank_constant(model.normalization, _TITLE, most=10_000)
        combination = {"technique": technique, "rank_constant": constant, "parameters": parameters}
        processor = {"score-ranker-processor": {"combination": combination}}
    else:
        combination = {"technique": "arithmetic_mean", "parameters": parameters}
        processor = {"normalization-processor": {"normalization": {"technique": technique}, "combination": combination}}
    create = Request(
        "PUT",
        f"_search/pipeline/{quote(destination.name, safe='')}",
        {
            "description": f"Weights of {listed(list(weights))}, in the order of the clauses",
            "phase_results_processors": [processor],
        },
    )
    clauses = [opensearch_clause(name, destination.template(name), depth) for name in weights]
    use = Request(
        "POST",
        f"{quote(destination.index, safe='')}/_search?search_pipeline={quote(destination.name, safe='')}",
        {"query": {"hybrid": {"queries": clauses, "pagination_depth": depth}}},
    )
    before = commented(
        "#",
        heading(model, f"Search pipeline for {_TITLE}"),
        "Paste into OpenSearch's Dev Tools, or send with rankmax export --push "
        f"(OpenSearch {_SINCE[technique]} or later).",
    )
    after = commented(
        "#",
        f"Then search with it. Weights go by position: {listed(list(weights))}, in this order. The clauses must give "
        "the scores that were learned from. They are guesses by the names of the systems: fill them in here, or once "
        "for all exports with --templates.",
        *(_no_reranker(name) for name in weights if _reranks(name, destination.template(name))),
        f"Only the {depth} best of each clause are seen (pagination_depth): {of_runs}.{beyond_window(depth)} "
        "OpenSearch counts them on each shard, for each clause: an index of several shards fuses more documents than "
        "that, and normalizes over them.",
    )
    return Export(f"{before}\n{create.text}\n\n{after}\n{use.text}\n", (create,), use)


def _no_reranker(system: str) -> str:
    return f"No clause of a hybrid query reranks, as {system} seems to do: a match query stands in its place."


def _reranks(system: str, template: SystemTemplate) -> bool:
    return template.opensearch is None and template.kind_of(system) == "reranker"


OPENSEARCH_HYBRID = Target("opensearch-hybrid", _TITLE, _write)
