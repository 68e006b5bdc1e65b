"""LlamaIndex's QueryFusionRetriever: relative_score for scores; reciprocal_rerank takes no weights.

Over the documents that each retriever r returns, with weights that the retriever scales to sum 1:

    relative_score:    score(d) = Σ_r weight_r · (s_r(d) - min_r) / (max_r - min_r)
    reciprocal_rerank: score(d) = Σ_r 1 / (59 + rank_r(d)), whatever the weights

Scores of a list that are all equal become 1 if they are positive, else 0.
"""

from __future__ import annotations

from rankmax.engines.client_code import client_code, shares
from rankmax.engines.export_target import AnyModel, Destination, Export, Target
from rankmax.engines.requirements import engine_normalization, have_equal_weights, linear_terms, require_nonnegative
from rankmax.errors import IncompatibleError
from rankmax.preprocessing.run_normalization import ReciprocalRank

LLAMA_INDEX_CONSTANT = 59
"""k of its reciprocal ranks: it counts from 0 and adds 60."""
_TITLE = "LlamaIndex's QueryFusionRetriever"
_MODES = {"retrieved-min-max": "RELATIVE_SCORE", "reciprocal-rank": "RECIPROCAL_RANK"}
_IMPORTS = """from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES"""
_CODE = '''
def fused(retrievers, top_k=10):
    """Return the retriever that fuses those of SYSTEMS, given by name."""
    return QueryFusionRetriever(
        [retrievers[name] for name in SYSTEMS],
        retriever_weights=WEIGHTS,
        mode=FUSION_MODES.{mode},
        similarity_top_k=top_k,
        num_queries=1,  # the query as it is: no language model is asked for others
        llm=MockLLM(),
        use_async=False,
    )
'''


def _write(model: AnyModel, destination: Destination) -> Export:
    weights = linear_terms(model, _TITLE)
    mode = engine_normalization(model, _TITLE, _MODES, "rankmax tune --engine llama-index")
    require_nonnegative(weights, _TITLE)
    if isinstance(model.normalization, ReciprocalRank):
        _check_unweighted(model.normalization.k, weights)
    remarks = [
        "Give it the retrievers of the systems, each with as many documents as the runs that were learned from had.",
        *(
            ["Where the scores of a list are all equal and not positive, they become 0; rankmax makes them 1."]
            if mode == "RELATIVE_SCORE"
            else []
        ),
    ]
    code = _CODE.format(mode=mode)
    return Export(client_code(model, f"Weights for {_TITLE}", remarks, _IMPORTS, shares(weights), code))


def _check_unweighted(k: float, weights: dict[str, float]) -> None:
    if not have_equal_weights(weights):
        raise IncompatibleError(
            f"{_TITLE} ignores weights when it adds up reciprocal ranks (reciprocal_rerank), and the model's differ: "
            "learn with rankmax tune --engine llama-index, or export to langchain, which weighs ranks"
        )
    if k != LLAMA_INDEX_CONSTANT:
        raise IncompatibleError(
            f"{_TITLE} has the rank constant {LLAMA_INDEX_CONSTANT}, and the model's k is {k:g}: "
            "learn with rankmax tune --engine llama-index, or export to langchain"
        )


LLAMA_INDEX = Target("llama-index", _TITLE, _write)
