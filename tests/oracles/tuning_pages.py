"""Small tunings, and the data of their pages."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.fusion.signals import signals_of_features
from rankmax.metrics import AP
from rankmax.workflows.tuning.confidence import WeightConfidence, weight_confidence
from rankmax.workflows.tuning.report import write_report
from rankmax.workflows.tuning.tuning import tune_systems
from rankmax.workflows.tuning.tuning_result import SystemTuning

Tuned = tuple[SystemTuning, WeightConfidence]


def tuned(data: RankingDataset, **options) -> Tuned:
    tuning = tune_systems(signals_of_features(data), [AP()], n_repeats=1, n_folds=2, **options)
    return tuning, weight_confidence(tuning.search, tuning.learned_fusion.weights)


def planted(n_systems: int, n_queries: int = 12) -> RankingDataset:
    return planted_linear(n_queries, 6, n_systems, noise=1.0, seed=3).data


def page_of(tuning: SystemTuning, confidence: WeightConfidence, folder: Path, **options) -> str:
    write_report(tuning, confidence, folder / "tuning.html", **options)
    return (folder / "tuning.html").read_text("utf-8")


def content_of(page: str) -> dict[str, Any]:
    """Return the data that a page contains."""
    found = re.search(r'<script id="tuning" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    content: dict[str, Any] = json.loads(found[1])
    return content
