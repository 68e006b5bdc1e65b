from __future__ import annotations

import pytest

from rankmax.engines.langchain import LANGCHAIN
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.preprocessing.run_normalization import ReciprocalRank
from rankmax.testing.export_targets import ExportTargetContract


class TestLangchain(ExportTargetContract):
    target = LANGCHAIN


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (LinearModel([1.0, 2.0], ("bm25", "e5"), Unchanged()), "sees ranks alone"),
        (LinearModel([1.0, 2.0], ("bm25", "e5"), ReciprocalRank(0.5)), "a positive integer as rank constant"),
    ],
)
def test_what_it_cannot_express_is_refused(model: LinearModel, reason: str) -> None:
    with pytest.raises(IncompatibleError, match=reason):
        export_model(model, "langchain")


def test_its_constants_are_those_of_the_model() -> None:
    text = export_model(LinearModel([3.0, 1.0], ("bm25", 'it\'s "e5"'), ReciprocalRank(60)), "langchain").text
    constants: dict[str, object] = {}
    exec("\n".join(line for line in text.splitlines() if line.startswith(("SYSTEMS", "WEIGHTS"))), constants)
    assert constants["SYSTEMS"] == ["bm25", 'it\'s "e5"']
    assert constants["WEIGHTS"] == [3.0, 1.0]
    compile(text, "export", "exec")
