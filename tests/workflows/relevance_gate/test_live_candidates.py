"""Candidates that an engine is asked for."""

from __future__ import annotations

import pytest

from oracles.deployed_project import N_QUERIES, Deployed
from rankmax.api.push import push
from rankmax.errors import UnknownNameError
from rankmax.models import LinearModel
from rankmax.preprocessing.run_normalization import OpenSearchMinMax
from rankmax.workflows.deployment.project_file import ProjectFile
from rankmax.workflows.relevance_gate.live_candidates import FOLDER, live_run


def test_a_retriever_is_asked_again_every_time(deployed: Deployed) -> None:
    project = ProjectFile(deployed.path)
    first = live_run(project, "engine:bm25")
    assert first.n_queries == N_QUERIES
    ticks: list[int] = []
    again = live_run(project, "engine:bm25", lambda: ticks.append(1))
    assert len(ticks) == N_QUERIES
    assert again.to_dict() == first.to_dict()
    assert [path.name for path in (deployed.path.parent / FOLDER).glob("*.run")] == ["bm25.run"]
    assert not project.runs_folder.exists()  # the project's own runs are left alone
    with pytest.raises(UnknownNameError, match="retriever 'splade'"):
        live_run(project, "engine:splade")


def test_the_fusion_of_the_engine(deployed: Deployed) -> None:
    LinearModel([0.8, 0.2], ("bm25", "dense"), OpenSearchMinMax()).save(deployed.path.parent / "model.json")
    push(deployed.path, dry_run=False)
    fused = live_run(ProjectFile(deployed.path), "engine")
    assert fused.n_queries == N_QUERIES
    assert fused.n_documents > N_QUERIES * 10
