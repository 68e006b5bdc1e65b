"""Haystack's DocumentJoiner: merge for scores, reciprocal_rank_fusion for ranks.

Over the documents of each list l, with weights that the joiner scales to sum 1:

    merge:                  score(d) = Σ_l weight_l · s_l(d)
    reciprocal_rank_fusion: score(d) = 61 · Σ_l weight_l / (60 + rank_l(d))

Its distribution_based_rank_fusion ignores weights, and takes the maximum instead of a sum. In a pipeline the joiner
gets its lists in the order in which components ran, whatever the order of the connections, so that weights by position
go astray: the exported component has an input for each system.
"""

from __future__ import annotations

from rankmax.engines.client_code import client_code, shares
from rankmax.engines.export_target import AnyModel, Destination, Export, Target
from rankmax.engines.formulas import identifiers
from rankmax.engines.requirements import engine_normalization, linear_terms, require_nonnegative
from rankmax.errors import IncompatibleError
from rankmax.preprocessing.run_normalization import ReciprocalRank

HAYSTACK_CONSTANT = 60
"""k of its reciprocal ranks, which no option changes."""
_TITLE = "Haystack's DocumentJoiner"
_MODES = {"none": "merge", "reciprocal-rank": "reciprocal_rank_fusion"}
_IMPORTS = """from haystack import Document, component
from haystack.components.joiners import DocumentJoiner"""
_CODE = '''
INPUTS = {inputs}  # of SYSTEMS: pipeline.connect("YOUR-RETRIEVER.documents", "fusion.{first}")


@component
class Fusion:
    """A joiner with an input for each system."""

    def __init__(self, top_k=10):
        self.joiner = DocumentJoiner(join_mode="{mode}", weights=WEIGHTS, top_k=top_k)
        component.set_input_types(self, **dict.fromkeys(INPUTS, list[Document]))

    @component.output_types(documents=list[Document])
    def run(self, **documents):
        return self.joiner.run([documents[name] for name in INPUTS])
'''


def _write(model: AnyModel, destination: Destination) -> Export:
    weights = linear_terms(model, _TITLE)
    remedy = (
        "rankmax tune --engine haystack (its distribution_based_rank_fusion normalizes scores, but ignores weights)"
    )
    mode = engine_normalization(model, _TITLE, _MODES, remedy)
    require_nonnegative(weights, _TITLE)
    if isinstance(model.normalization, ReciprocalRank) and model.normalization.k != HAYSTACK_CONSTANT:
        raise IncompatibleError(
            f"{_TITLE} has the rank constant {HAYSTACK_CONSTANT}, and the model's k is {model.normalization.k:g}: "
            "learn with rankmax tune --engine haystack, or export to langchain"
        )
    inputs = list(identifiers(weights, "from_").values())
    remarks = [
        'Add it to a pipeline, pipeline.add_component("fusion", Fusion()), and connect a retriever to each input, with '
        "as many documents as the runs that were learned from had. A DocumentJoiner alone takes lists in the order in "
        "which the retrievers ran, not in which they were connected, and would give weights to the wrong ones."
    ]
    code = _CODE.format(mode=mode, inputs=inputs, first=inputs[0])
    return Export(client_code(model, f"Weights for {_TITLE}", remarks, _IMPORTS, shares(weights), code))


HAYSTACK = Target("haystack", _TITLE, _write)
