"""Milvus's hybrid search: WeightedRanker for scores; RRFRanker takes no weights.

Over the documents that each request r returns:

    WeightedRanker: score(d) = Σ_r weight_r · n(s_r(d)),   RRFRanker: score(d) = Σ_r 1 / (k + rank_r(d))

With norm_score, n is 1/2 + arctan(s)/π for inner products (IP), (1 + s)/2 for cosines, 2 arctan(s)/π for BM25; without,
s. Weights are in [0, 1].
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
from rankmax.preprocessing.run_normalization import MilvusInnerProduct, ReciprocalRank

_TITLE = "Milvus"
_RANKERS = {
    "none": "WeightedRanker(*WEIGHTS, norm_score=False)",
    MilvusInnerProduct.name: "WeightedRanker(*WEIGHTS, norm_score=True)",
    "reciprocal-rank": "RRFRanker({k})",
}
_METRIC_TYPE = {MilvusInnerProduct.name: {"metric_type": "IP"}}  # which decides how scores are normalized
_CODE = '''
FIELDS = {fields}


def search(client, collection, queries, limit=10, **options):
    """Return the best documents, given what each of SYSTEMS searches for: a vector, or words for a BM25 function."""
    requests = [
        AnnSearchRequest([queries[name]], field, {parameters}, limit={depth})
        for name, field in zip(SYSTEMS, FIELDS)
    ]
    ranker = {ranker}
    return client.hybrid_search(collection, requests, ranker, limit=limit, **options)[0]
'''


def _write(model: AnyModel, destination: Destination) -> Export:
    weights = linear_terms(model, _TITLE)
    ranker = engine_normalization(model, _TITLE, _RANKERS, "rankmax tune --engine milvus")
    require_nonnegative(weights, _TITLE)
    if isinstance(model.normalization, ReciprocalRank):
        if not have_equal_weights(weights):
            raise IncompatibleError(
                "Milvus's RRFRanker takes no weights, and the model's differ: learn with rankmax tune --engine milvus"
            )
        ranker = ranker.format(k=rank_constant(model.normalization, "Milvus's RRFRanker", most=16383))
    depth, of_runs = depth_of_runs(model)
    parameters = _METRIC_TYPE.get(model.normalization.name, {})
    fields = [destination.template(name).field or f"YOUR-FIELD-OF-{name}" for name in weights]
    remarks = [
        "FIELDS are those of the systems in the collection: fill them in here, or once for all exports with "
        "--templates. They must give the scores that were learned from"
        + (
            ": inner products (metric type IP), as each metric type is normalized in its own way."
            if parameters
            else "."
        ),
        f"Only the {depth} best of each system are seen (limit): {of_runs}.",
    ]
    code = _CODE.format(fields=fields, parameters=parameters, depth=depth, ranker=ranker)
    imports = f"from pymilvus import AnnSearchRequest, {ranker.partition('(')[0]}"
    return Export(client_code(model, "Hybrid search in Milvus", remarks, imports, shares(weights), code))


MILVUS = Target("milvus", _TITLE, _write)
