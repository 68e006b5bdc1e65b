"""Qdrant's query of several prefetches: a formula over their scores, or its reciprocal rank fusion.

In single precision, over the documents that each prefetch i returns, with the default 0 of $score[i] for the others:

    formula: score(d) = Σ_i weight_i · $score[i]
    rrf:     score(d) = Σ_i 1 / (rank_i(d) / weight_i + k - 1)

Ranks start at 1. The weights of rrf are not those of a sum of reciprocal ranks, weight / (k + rank), unless all are 1
or k = 1: it adds up weight / (rank + weight · (k - 1)), which is the normalization qdrant-reciprocal-rank. Its
distribution-based fusion, dbsf, takes no weights.
"""

from __future__ import annotations

import math
from typing import Any

from rankmax.engines.export_target import AnyModel, Destination, Export, Request, Target
from rankmax.engines.export_text import commented, heading
from rankmax.engines.query_templates import qdrant_prefetch
from rankmax.engines.requirements import (
    depth_of_runs,
    engine_normalization,
    have_equal_weights,
    linear_terms,
    require_nonnegative,
    within_float32,
)
from rankmax.errors import IncompatibleError
from rankmax.preprocessing.qdrant_ranks import QdrantReciprocalRank
from rankmax.preprocessing.run_normalization import ReciprocalRank

_TITLE = "Qdrant"
_FUSIONS = {"none": "formula", "reciprocal-rank": "rrf", QdrantReciprocalRank.name: "rrf"}
_SINCE = {"formula": "1.14", "rrf": "1.16"}
_WEIGHTED_RRF_SINCE = "1.17"


def _write(model: AnyModel, destination: Destination) -> Export:
    weights = within_float32(linear_terms(model, _TITLE))
    remedy = "rankmax tune --engine qdrant (its dbsf normalizes scores, but takes no weights)"
    fusion = engine_normalization(model, _TITLE, _FUSIONS, remedy)
    since = _SINCE[fusion]
    query: dict[str, Any]
    if isinstance(model.normalization, ReciprocalRank):
        query = {"rrf": _rrf(model.normalization, weights)}
        since = _WEIGHTED_RRF_SINCE if "weights" in query["rrf"] else since
    else:
        scores = [f"$score[{i}]" for i in range(len(weights))]
        terms = [{"mult": [weight, score]} for weight, score in zip(weights.values(), scores, strict=True)]
        query = {"formula": {"sum": terms}, "defaults": dict.fromkeys(scores, 0.0)}
    depth, of_runs = depth_of_runs(model)
    search = Request(
        "POST",
        "collections/YOUR-COLLECTION/points/query",
        {
            "prefetch": [qdrant_prefetch(name, destination.template(name), depth) for name in weights],
            "query": query,
            "limit": 10,
        },
    )
    before = commented(
        "#",
        heading(model, f"Search with {_TITLE}'s {fusion} over prefetches"),
        f"Nothing is stored in the engine: this is the body of each search ({_TITLE} {since} or later). The "
        f"prefetches, in the order {', '.join(weights)}, must give the scores that were learned from. They are guesses "
        "by the names of the systems: fill them in here, or once for all exports with --templates.",
        f"Only the {depth} best of each prefetch are seen (limit): {of_runs}.",
    )
    return Export(f"{before}\n{search.text}\n")


def _rrf(normalization: ReciprocalRank, weights: dict[str, float]) -> dict[str, Any]:
    """Return the parameters of rrf, whose k is one more than that of reciprocal rank fusion in the literature."""
    require_nonnegative(weights, _TITLE)
    k = normalization.k
    if k != int(k):
        raise IncompatibleError(f"{_TITLE} takes an integer as rank constant, and the model's k is {k:g}")
    if have_equal_weights(weights):
        return {"k": int(k) + 1}
    if isinstance(normalization, QdrantReciprocalRank):
        mean = math.fsum(weights.values()) / len(weights)
        return {"k": int(k) + 1, "weights": list(within_float32({n: w / mean for n, w in weights.items()}).values())}
    if k == 0:
        return {"k": 1, "weights": list(weights.values())}
    raise IncompatibleError(
        f"{_TITLE}'s weighted rrf is 1 / (rank / weight + k - 1), which is not the weight / (k + rank) of the model "
        f"but for k = 0, and here k = {k:g}: learn with rankmax tune --engine {_TITLE.lower()}, or export equal weights"
    )


QDRANT = Target("qdrant", _TITLE, _write)
