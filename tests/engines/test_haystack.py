from __future__ import annotations

import pytest

from rankmax.engines.haystack import HAYSTACK
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import MinMax, Unchanged
from rankmax.preprocessing.run_normalization import ReciprocalRank
from rankmax.testing.export_targets import ExportTargetContract


class TestHaystack(ExportTargetContract):
    target = HAYSTACK


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (
            LinearModel([1.0, 2.0], ("bm25", "e5"), ReciprocalRank(30)),
            "has the rank constant 60, and the model's k is 30",
        ),
        (
            LinearModel([1.0, 2.0], ("bm25", "e5"), MinMax()),
            "distribution_based_rank_fusion .* ignores weights",
        ),
        (LinearModel([1.0, -2.0], ("bm25", "e5"), Unchanged()), "no negative weight"),
    ],
)
def test_what_it_cannot_express_is_refused(model: LinearModel, reason: str) -> None:
    with pytest.raises(IncompatibleError, match=reason):
        export_model(model, "haystack")


def test_its_constants_are_those_of_the_model() -> None:
    text = export_model(LinearModel([3.0, 1.0], ("bm25", 'it\'s "e5"'), Unchanged()), "haystack").text
    constants: dict[str, object] = {}
    exec("\n".join(line for line in text.splitlines() if line.startswith(("SYSTEMS", "WEIGHTS"))), constants)
    assert constants["SYSTEMS"] == ["bm25", 'it\'s "e5"']
    assert constants["WEIGHTS"] == [0.75, 0.25]
    compile(text, "export", "exec")
