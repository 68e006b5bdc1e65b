"""LanceDB's hybrid search: a vector search and a full text search, fused by a reranker.

Both lists are first stretched to [0, 1], distances downwards. With weight w for the vector search:

    LinearCombinationReranker: score(d) = w · (1 - distance(d)) + (1 - w) · words(d), 0 for what a list lacks
    RRFReranker:               score(d) = Σ_l 1 / (K + rank_l(d)), which takes no weights

Where all scores of the full text search are equal, as those of a single hit, they become 0 and not 1. Releases that put
the least relevant document first (the sum was taken from 1) need to be replaced.
"""

from __future__ import annotations

from rankmax.engines.client_code import client_code, shares
from rankmax.engines.export_target import AnyModel, Destination, Export, Target
from rankmax.engines.requirements import (
    depth_of_runs,
    engine_normalization,
    have_equal_weights,
    linear_terms,
    rank_constant,
    require_nonnegative,
)
from rankmax.errors import IncompatibleError
from rankmax.preprocessing.run_normalization import ReciprocalRank

_TITLE = "LanceDB's hybrid search"
_RERANKERS = {
    "retrieved-min-max": "LinearCombinationReranker(weight={weight!r})",
    "reciprocal-rank": "RRFReranker(K={k})",
}
_KINDS = (["dense", "lexical"], ["dense"], ["lexical"])
_CODE = '''
def search(table, words, vector, limit=10):
    """Return the best rows of a table that has a full text index and a column of vectors."""
    found = table.search(query_type="hybrid").text(words).vector(vector).limit({depth})
    return found.rerank({reranker}, normalize="score").to_list()[:limit]
'''


def _write(model: AnyModel, destination: Destination) -> Export:
    weights = linear_terms(model, _TITLE)
    reranker = engine_normalization(model, _TITLE, _RERANKERS, "rankmax tune --engine lancedb")
    require_nonnegative(weights, _TITLE)
    kinds = {name: destination.template(name).kind_of(name) for name in weights}
    if sorted(map(str, kinds.values())) not in _KINDS:
        raise IncompatibleError(
            f"{_TITLE} fuses one full text search with one vector search, and the model weighs {', '.join(weights)}: "
            "learn from one of each, and say which is which by their kind (lexical, dense) in --templates"
        )
    if isinstance(model.normalization, ReciprocalRank):
        if not have_equal_weights(weights) or len(weights) == 1:
            raise IncompatibleError(
                "LanceDB's RRFReranker takes no weights and counts both searches alike, as the model does not: learn "
                "with rankmax tune --engine lancedb"
            )
        reranker = reranker.format(k=rank_constant(model.normalization, "LanceDB's RRFReranker"))
    else:
        dense = (weight for name, weight in shares(weights).items() if kinds[name] == "dense")
        reranker = reranker.format(weight=next(dense, 0.0))
    depth, of_runs = depth_of_runs(model)
    remarks = [
        f"Only the {depth} best of each search are seen (limit): {of_runs}.",
        "Where the full text search finds a single document, or documents of one score, LanceDB counts them as 0.",
    ]
    imports = f"from lancedb.rerankers import {reranker.partition('(')[0]}"
    code = _CODE.format(depth=depth, reranker=reranker)
    return Export(client_code(model, f"Search with {_TITLE}", remarks, imports, shares(weights), code))


LANCEDB = Target("lancedb", _TITLE, _write)
