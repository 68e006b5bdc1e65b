from __future__ import annotations

import pytest

from rankmax.engines.llama_index import LLAMA_INDEX
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.preprocessing.run_normalization import ReciprocalRank, RetrievedMinMax
from rankmax.testing.export_targets import ExportTargetContract


class TestLlamaIndex(ExportTargetContract):
    target = LLAMA_INDEX


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (LinearModel([1.0, 2.0], ("bm25", "e5"), ReciprocalRank(59)), r"ignores weights .*reciprocal_rerank"),
        (
            LinearModel([1.0, 1.0], ("bm25", "e5"), ReciprocalRank(60)),
            "has the rank constant 59, and the model's k is 60",
        ),
        (LinearModel([1.0, 2.0], ("bm25", "e5"), Unchanged()), "tune --engine llama-index"),
        (LinearModel([1.0, -2.0], ("bm25", "e5"), RetrievedMinMax()), "no negative weight"),
    ],
)
def test_what_it_cannot_express_is_refused(model: LinearModel, reason: str) -> None:
    with pytest.raises(IncompatibleError, match=reason):
        export_model(model, "llama-index")


def test_its_constants_are_those_of_the_model() -> None:
    text = export_model(LinearModel([3.0, 1.0], ("bm25", 'it\'s "e5"'), RetrievedMinMax()), "llama-index").text
    constants: dict[str, object] = {}
    exec("\n".join(line for line in text.splitlines() if line.startswith(("SYSTEMS", "WEIGHTS"))), constants)
    assert constants["SYSTEMS"] == ["bm25", 'it\'s "e5"']
    assert constants["WEIGHTS"] == [0.75, 0.25]
    compile(text, "export", "exec")
