"""Exports in a real Solr, against what `rankmax rank` writes: runs are features, the engine ranks by them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.replay import Runs, SolrReplay, agreement, in_single_precision, predicted
from rankmax.formats.trec import read_run
from rankmax.models import LinearModel

SYSTEMS = ("bm25", "splade", "monot5")
SINGLE = 2e-5


@pytest.fixture(scope="module")
def runs(shared_data: Path) -> Runs:
    folder = shared_data / "runs" / "dl19-passage"
    found = {name: read_run(folder / f"{name}.run.gz").to_dict() for name in SYSTEMS}
    below_zero = {query: {d: score - 60.0 for d, score in hits.items()} for query, hits in found["bm25"].items()}
    return in_single_precision({**found, "below": below_zero})


@pytest.fixture(scope="module")
def replay(solr_address: str, runs: Runs) -> SolrReplay:
    return SolrReplay(solr_address, runs)


@pytest.mark.parametrize(
    ("name", "weights", "ranges"),
    [
        ("plain", {"bm25": 0.3, "splade": 1.5, "monot5": 2.0}, {}),
        ("negative_weight", {"bm25": 0.3, "splade": 1.5, "monot5": -2.0}, {}),
        ("negative_scores", {"below": 0.3, "splade": 1.5}, {}),
        ("ranges", {"bm25": 0.3, "splade": 1.5}, {"bm25": (0.0, 80.0), "splade": (10.0, 40.0)}),
    ],
)
def test_ranks_all_queries_of_dl19_as_rank_does(
    replay: SolrReplay, runs: Runs, name: str, weights: dict[str, float], ranges: dict[str, tuple[float, float]]
) -> None:
    # every candidate is in the index: those of the other systems, too, which a run of these lacks
    model = LinearModel([weights.get(system, 0.0) for system in runs], tuple(runs))
    expected = predicted(model, runs)
    shift = sum(weights[system] * low for system, (low, _) in ranges.items())
    found = {q: [(d, s + shift) for d, s in hits] for q, hits in replay.reranked(model, ranges, name=name).items()}
    compared = agreement(found, expected)
    assert compared.alike == compared.queries == 43
    assert compared.difference < SINGLE
