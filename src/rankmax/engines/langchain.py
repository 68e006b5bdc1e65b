"""LangChain's EnsembleRetriever: weighted reciprocal rank fusion.

Over the documents that each retriever r returns:

    score(d) = Σ_r weight_r / (c + rank_r(d))
"""

from __future__ import annotations

from rankmax.engines.client_code import client_code
from rankmax.engines.export_target import AnyModel, Destination, Export, Target
from rankmax.engines.requirements import engine_normalization, linear_terms, rank_constant
from rankmax.preprocessing.run_normalization import ReciprocalRank

_TITLE = "LangChain's EnsembleRetriever"
_CODE = '''
def fused(retrievers, id_key=None):
    """Return the retriever that fuses those of SYSTEMS, given by name."""
    return EnsembleRetriever(
        retrievers=[retrievers[name] for name in SYSTEMS], weights=WEIGHTS, c={c}, id_key=id_key
    )
'''


def _write(model: AnyModel, destination: Destination) -> Export:
    weights = linear_terms(model, _TITLE)
    engine_normalization(
        model, _TITLE, {"reciprocal-rank": "c"}, "rankmax tune --engine langchain: it sees ranks alone"
    )
    assert isinstance(model.normalization, ReciprocalRank)
    remarks = [
        "Give it the retrievers of the systems, each with as many documents as the runs that were learned from had. "
        "Documents are the same where their texts are, or, with id_key, the metadata of that name.",
    ]
    code = _CODE.format(c=rank_constant(model.normalization, _TITLE))
    imports = "from langchain_classic.retrievers import EnsembleRetriever"
    return Export(client_code(model, f"Weights for {_TITLE}", remarks, imports, weights, code))


LANGCHAIN = Target("langchain", _TITLE, _write)
