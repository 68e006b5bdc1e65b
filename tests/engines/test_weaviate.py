from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.runs import Run
from rankmax.engines.registry import export_model
from rankmax.engines.weaviate import WEAVIATE
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.models.ranking_model import fuse_runs
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.preprocessing.run_normalization import ReciprocalRank, RetrievedMinMax
from rankmax.testing.export_targets import ExportTargetContract

SYSTEMS = ("e5", "bm25")
scored = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 40), min_size=1).filter(
    lambda found: len(set(found.values())) == len(found)  # ranks of equal scores are the engine's own affair
)


class TestWeaviate(ExportTargetContract):
    target = WEAVIATE


def restated(text: str, dense: dict[str, int], keywords: dict[str, int]) -> dict[str, float]:
    """Fuse as Weaviate's source says, by the exported alpha and fusion."""
    (alpha,), (fusion,) = re.findall(r"alpha=([0-9.e-]+)", text), re.findall(r"HybridFusion\.(\w+)", text)
    total: dict[str, float] = {}
    for weight, found in ((1 - float(alpha), keywords), (float(alpha), dense)):
        low, high = min(found.values()), max(found.values())
        for position, document in enumerate(sorted(found, key=lambda d: -found[d])):
            relative = (found[document] - low) / (high - low) if high > low else 1.0
            share = weight * relative if fusion == "RELATIVE_SCORE" else weight / (position + 60)
            total[document] = total.get(document, 0.0) + share
    return total


@pytest.mark.parametrize("normalization", [RetrievedMinMax(), ReciprocalRank(59)], ids=str)
@given(dense=scored, keywords=scored)
def test_ranks_as_the_model_does(normalization: Normalization, dense: dict[str, int], keywords: dict[str, int]) -> None:
    model = LinearModel([3.0, 1.0], SYSTEMS, normalization)
    runs = {name: Run.from_dict({"q": found}) for name, found in zip(SYSTEMS, (dense, keywords), strict=True)}
    expected = {document: score / 4 for document, score in fuse_runs(model, runs).to_dict()["q"].items()}
    assert restated(export_model(model, "weaviate").text, dense, keywords) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (LinearModel([1.0, 2.0], SYSTEMS, ReciprocalRank(60)), "rank constant 59, and the model's k is 60"),
        (LinearModel([1.0, 2.0], SYSTEMS, Unchanged()), "tune --engine weaviate"),
        (LinearModel([1.0, -2.0], SYSTEMS, RetrievedMinMax()), "no negative weight"),
        (LinearModel([1.0, 2.0], ("bm25", "rm3"), RetrievedMinMax()), "bm25 is lexical, rm3 is lexical: tune two such"),
        (LinearModel([1.0, 2.0], ("bm25", "x"), RetrievedMinMax()), "x is of unknown kind"),
    ],
)
def test_what_it_cannot_express_is_refused(model: LinearModel, reason: str) -> None:
    with pytest.raises(IncompatibleError, match=reason):
        export_model(model, "weaviate")
