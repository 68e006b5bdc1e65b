"""Exports in a real Elasticsearch, which fuses replayed runs, against what `rankmax rank` writes.

No package repository has its server: tools/elasticsearch_in_docker.sh runs this where there is Docker.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engines.replay import ElasticsearchReplay, agreement, in_single_precision, predicted
from engines.server import call
from rankmax.formats.trec import read_run
from rankmax.models import LinearModel, Provenance
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.run_normalization import L2, ElasticsearchMinMax, ReciprocalRank

SYSTEMS = ("bm25", "splade", "monot5")
SINGLE = 2e-5
pytestmark = pytest.mark.skipif(
    not os.environ.get("RANKMAX_ELASTICSEARCH"),
    reason="RANKMAX_ELASTICSEARCH names no server; tools/elasticsearch_in_docker.sh starts one where there is Docker",
)


@pytest.mark.parametrize("normalization", [ElasticsearchMinMax(), L2(), ReciprocalRank(60)], ids=lambda one: one.name)
def test_ranks_all_queries_of_dl19_as_rank_does(shared_data: Path, normalization: Normalization) -> None:
    folder = shared_data / "runs" / "dl19-passage"
    runs = in_single_precision({name: read_run(folder / f"{name}.run.gz").to_dict() for name in SYSTEMS})
    model = LinearModel([0.2, 0.5, 0.3], SYSTEMS, normalization, provenance=Provenance(parameters={"depth": 100}))
    address = os.environ["RANKMAX_ELASTICSEARCH"]
    index = f"rankmax-{normalization.name}"
    replay = ElasticsearchReplay(address, runs, index=index)
    try:
        compared = agreement(replay.fused(model), predicted(model, runs))
    finally:
        call(f"{address}/{index}", "DELETE")
    assert compared.alike == compared.queries == 43
    assert compared.difference < SINGLE
