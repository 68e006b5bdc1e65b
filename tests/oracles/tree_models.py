"""Models that tools/tree_model_files.py has written, with the libraries' own predictions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.models.model_files import load_any_model
from rankmax.models.tree_ensemble_model import TreeEnsembleModel

FILES = Path(__file__).parents[1] / "models" / "trees" / "files"
NAMES = sorted(path.name for path in FILES.iterdir() if path.name != "expected.json")


@dataclass(frozen=True)
class Written:
    """A model, features, and the scores by the library that wrote it."""

    model: TreeEnsembleModel
    data: RankingDataset
    scores: F64


@cache
def written(name: str) -> Written:
    """Return a model of the folder."""
    model = load_any_model(FILES / name)
    assert isinstance(model, TreeEnsembleModel)
    known = json.loads((FILES / "expected.json").read_text())[name]
    X = np.array([[np.nan if x is None else x for x in row] for row in known["features"]])
    return Written(model, dataset(X), np.array(known["scores"]))


def dataset(X: F64) -> RankingDataset:
    """Return data with missing values, of one query."""
    names = ("bm25", "age", "links", "clicks", "one")
    data = RankingDataset.from_arrays(np.zeros_like(X), np.zeros(len(X)), qid=np.zeros(len(X)), feature_names=names)
    return RankingDataset(np.asfortranarray(X), names, data.judgments)
