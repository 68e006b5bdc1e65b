"""Elasticsearch's compound retrievers: linear for scores, rrf for ranks.

In single precision, over the `rank_window_size` best documents of each retriever r, all others counting as 0:

    linear: score(d) = Σ_r weight_r · normalized_r(d),        rrf: score(d) = Σ_r weight_r / (rank_constant + rank_r(d))

Normalizers are none, minmax, (s - min) / (max - min), or 1 where max - min < 1e-6, and l2_norm, s / √Σs², or s where
that root is below 1e-6. Weights are nonnegative.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from rankmax.engines.export_target import AnyModel, Destination, Export, Request, Target
from rankmax.engines.export_text import commented, heading
from rankmax.engines.query_templates import elasticsearch_retriever
from rankmax.engines.requirements import (
    beyond_window,
    depth_of_runs,
    engine_normalization,
    linear_terms,
    rank_constant,
    require_nonnegative,
    within_float32,
)
from rankmax.preprocessing.run_normalization import ReciprocalRank

_TITLE = "Elasticsearch's linear retriever"
_NORMALIZERS = {
    "none": "none",
    "elasticsearch-min-max": "minmax",
    "retrieved-min-max": "minmax",
    "l2": "l2_norm",
    "reciprocal-rank": "none",  # rrf instead of linear
}
_REMEDY = "rankmax tune --engine elasticsearch"
_REMEDIES = {
    "min-max": f"{_REMEDY} or --normalize retrieved-min-max: 'min-max' scales over all candidates, a retriever sees "
    "only those that it returns"
}
_SINCE = {"none": "8.18, 9.0", "minmax": "8.18, 9.0", "l2_norm": "8.19, 9.1"}
_EQUAL = (
    " Where the scores of a retriever differ by less than a millionth, minmax makes them 1 (releases before June 2025 "
    "left them as they were)"
)
_CAVEATS = {
    "retrieved-min-max": _EQUAL + "; rankmax does so only with equal ones.",
    "elasticsearch-min-max": _EQUAL + ".",
    "l2": " A list whose scores are all below about a millionth is left as it is.",
}


def _write(model: AnyModel, destination: Destination) -> Export:
    weights = within_float32(linear_terms(model, _TITLE))
    require_nonnegative(weights, _TITLE)
    remedy = _REMEDIES.get(model.normalization.name, _REMEDY)
    normalizer = engine_normalization(model, _TITLE, _NORMALIZERS, remedy)
    depth, of_runs = depth_of_runs(model)
    components: list[dict[str, Any]] = [
        {
            "retriever": elasticsearch_retriever(name, destination.template(name), depth),
            "weight": weight,
        }
        for name, weight in weights.items()
    ]
    combined: dict[str, Any] = {"retrievers": components, "rank_window_size": depth}
    if isinstance(model.normalization, ReciprocalRank):
        kind, since = "rrf", "9.2"
        combined["rank_constant"] = rank_constant(model.normalization, "Elasticsearch's rrf retriever")
    else:
        kind, since = "linear", _SINCE[normalizer]
        for component in components:
            component["normalizer"] = normalizer
    before = commented(
        "#",
        heading(model, f"Search with Elasticsearch's {kind} retriever"),
        f"Nothing is stored in the engine: this is the body of each search (Elasticsearch {since} or later). The "
        "retrievers must give the scores that were learned from. They are guesses by the names of the systems, which "
        "_name repeats: fill them in here, or once for all exports with --templates.",
        f"Only the {depth} best of each retriever are seen (rank_window_size): {of_runs}.{beyond_window(depth)}"
        + _CAVEATS.get(model.normalization.name, ""),
    )
    search = Request("POST", f"{quote(destination.index, safe='')}/_search", {"retriever": {kind: combined}})
    return Export(f"{before}\n{search.text}\n", search=search)


ELASTICSEARCH_RETRIEVER = Target("elasticsearch-retriever", _TITLE, _write)
