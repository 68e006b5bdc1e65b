"""Weaviate's hybrid search: a keyword search and a vector search, fused by relative scores or by ranks.

Restated from its source (hybrid_fusion.go), with weight alpha for the vector search and 1 - alpha for keywords:

    relativeScoreFusion: score(d) = Σ_s weight_s · (x_s(d) - min_s) / (max_s - min_s), or weight_s if all are equal
    rankedFusion:        score(d) = Σ_s weight_s / (59 + rank_s(d)); 60 + rank in older releases
"""

from __future__ import annotations

from rankmax.engines.client_code import client_code, shares
from rankmax.engines.export_target import AnyModel, Destination, Export, Target
from rankmax.engines.requirements import engine_normalization, linear_terms, require_nonnegative
from rankmax.errors import IncompatibleError
from rankmax.preprocessing.run_normalization import ReciprocalRank

WEAVIATE_CONSTANT = 59
"""k of its reciprocal ranks: it counts from 0 and adds 60."""
_TITLE = "Weaviate's hybrid search"
_FUSIONS = {"retrieved-min-max": "RELATIVE_SCORE", "reciprocal-rank": "RANKED"}
_CODE = '''
def search(collection, words, vector=None, limit=10):
    """Return the best objects; without a vector, the collection's vectorizer makes one of the words."""
    return collection.query.hybrid(
        words, vector=vector, alpha={alpha!r}, fusion_type=HybridFusion.{fusion}, limit=limit
    ).objects
'''


def _write(model: AnyModel, destination: Destination) -> Export:
    weights = linear_terms(model, _TITLE)
    fusion = engine_normalization(model, _TITLE, _FUSIONS, "rankmax tune --engine weaviate")
    require_nonnegative(weights, _TITLE)
    if isinstance(model.normalization, ReciprocalRank) and model.normalization.k != WEAVIATE_CONSTANT:
        raise IncompatibleError(
            f"{_TITLE} has the rank constant {WEAVIATE_CONSTANT}, and the model's k is {model.normalization.k:g}: "
            "learn with rankmax tune --engine weaviate"
        )
    kinds = {name: destination.template(name).kind_of(name) for name in weights}
    if sorted(map(str, kinds.values())) not in (["dense", "lexical"], ["dense"], ["lexical"]):
        told = ", ".join(f"{name} is {kind or 'of unknown kind'}" for name, kind in kinds.items())
        raise IncompatibleError(
            f"{_TITLE} fuses a keyword search and a vector search, and here {told}: tune two such systems, or say "
            "their kind (lexical, dense) in --templates"
        )
    scaled = shares(weights)
    alpha = sum(weight for name, weight in scaled.items() if kinds[name] == "dense")
    remarks = [
        "alpha is the weight of the vector search. The fusion is restated from Weaviate's source; it was not run here.",
        "Weaviate itself decides how many documents of each search it fuses; tune on lists about as long.",
    ]
    imports = "from weaviate.classes.query import HybridFusion"
    code = _CODE.format(alpha=alpha, fusion=fusion)
    return Export(client_code(model, "Hybrid search in Weaviate", remarks, imports, scaled, code))


WEAVIATE = Target("weaviate", _TITLE, _write)
