"""Retrievers that return other results than were collected are found by asking them again."""

from __future__ import annotations

import rankmax
from oracles.deployed_project import Deployed
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.run_normalization import OpenSearchMinMax, ReciprocalRank


def pushed(deployed: Deployed, normalization: Normalization) -> None:
    LinearModel([0.8, 0.2], ("bm25", "dense"), normalization).save(deployed.path.parent / "model.json")
    rankmax.collect(deployed.path)
    rankmax.push(deployed.path, dry_run=False)


def test_documents_that_are_gone_are_found_by_asking_each_retriever_again(deployed: Deployed) -> None:
    pushed(deployed, OpenSearchMinMax())
    documents = deployed.server.indexes["docs"]
    for document in list(documents)[::3]:
        del documents[document]
    found = rankmax.confirm(deployed.path)
    kinds = [one.kind for one in found.comparison.explanations]
    assert kinds == ["changed results", "changed results"]
    bm25, dense = (one.text for one in found.comparison.explanations)
    assert bm25.startswith("bm25 alone returns other documents or scores than were collected, for ")
    assert dense.startswith("dense alone returns other documents or scores than were collected, for ")
    assert "collect with --restart" in repr(found)
    assert "fits" not in repr(found)


def test_scores_that_have_changed_are_found_by_asking_again(deployed: Deployed) -> None:
    pushed(deployed, ReciprocalRank(60))
    (deployed.path.parent / "runs" / "bm25.run").write_text(
        (deployed.path.parent / "runs" / "dense.run").read_text().replace("dense", "bm25")
    )
    kinds = {one.kind: one.text for one in rankmax.confirm(deployed.path).comparison.explanations}
    assert kinds["changed results"].startswith("bm25 alone returns other documents or scores")
