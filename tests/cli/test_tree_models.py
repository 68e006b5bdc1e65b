"""Models of LightGBM, XGBoost and CatBoost in the commands that take models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rankmax as rm
from cli.conftest import RunCommand
from oracles.tree_models import FILES
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError
from rankmax.formats.registry import write_dataset
from rankmax.models import LinearModel


@pytest.fixture
def data_file(tmp_path: Path) -> Path:
    X = np.random.default_rng(2).normal(size=(60, 5)).round(3)
    grades = (X[:, 0] + X[:, 3] > 0.5).astype(float)
    path = tmp_path / "test.txt"
    write_dataset(RankingDataset.from_arrays(X, grades, qid=np.arange(60) // 10), path)
    return path


def test_verbs_take_it_as_any_model(data_file: Path, tmp_path: Path, rankmax: RunCommand) -> None:
    lightgbm, catboost = FILES / "lightgbm.txt", FILES / "catboost.json"
    assert rankmax("rank", lightgbm, data_file, "-o", tmp_path / "out.run").status == 0
    lines = (tmp_path / "out.run").read_text().splitlines()
    assert len(lines) == 60
    shown = rankmax("evaluate", data_file, "--model", lightgbm, "-m", "AP", "--json")
    assert "AP" in shown.out
    compared = rankmax("compare", data_file, "--model", lightgbm, "--model", catboost, "-m", "AP")
    assert "catboost" in compared.out
    inspected = rankmax("inspect", FILES / "xgboost.json")
    assert "sum of regression trees" in inspected.out
    counted = json.loads(rankmax("inspect", FILES / "xgboost.json", "--json").out)
    assert (counted["trees"], counted["columns"]) == (3, 5)


def test_what_needs_weights_is_refused(data_file: Path, tmp_path: Path, rankmax: RunCommand) -> None:
    LinearModel([1.0], ("f1",)).save(tmp_path / "linear.json")
    for arguments in (
        ("profile", data_file, FILES / "lightgbm.txt", "--feature", "f1"),
        ("distance", FILES / "lightgbm.txt", tmp_path / "linear.json"),
        ("export", FILES / "lightgbm.txt", "--to", "sql"),
        ("inspect", FILES / "lightgbm.txt", "--plot", tmp_path / "x.svg"),
    ):
        refused = rankmax(*arguments)
        assert refused.status != 0
        assert refused.err


def test_tune_weighs_models_and_writes_a_stack(data_file: Path, tmp_path: Path, rankmax: RunCommand) -> None:
    LinearModel([1.0, 0.5], ("f1", "f4")).save(tmp_path / "linear.json")
    tuned = rankmax(
        *("tune", data_file, "--model", FILES / "lightgbm.txt", "--model", "own=linear.json", "-m", "AP"),
        *("--repeats", "1", "-o", "stacked.json", "--report", "tuning.html"),
    )
    assert tuned.status == 0
    assert "no model was trained on these queries" in tuned.err.replace("\n", " ")
    assert "rankmax evaluate TEST-DATA --model stacked.json" in tuned.err
    assert "lightgbm" in tuned.out
    assert rankmax("rank", "stacked.json", data_file, "-o", "out.run").status == 0
    assert "own" in rankmax("inspect", "stacked.json").out
    refused = rankmax("tune", data_file, "--model", "linear.json")
    assert refused.status != 0
    assert "give two models or more" in refused.err


def test_functions_that_need_weights_say_so() -> None:
    trees = rm.load(FILES / "lightgbm.txt")
    data = planted_linear(6, 5, 5, seed=1).data
    for call in (
        lambda: rm.distance(trees, LinearModel([1.0], ("f1",))),
        lambda: rm.profile(data, trees, "f1", "AP"),
        lambda: rm.tune(data, metric="AP", current=trees),  # type: ignore[arg-type]
    ):
        with pytest.raises(IncompatibleError, match="TreeEnsembleModel"):
            call()


def test_a_stack_may_be_the_current_fusion(data_file: Path, tmp_path: Path, rankmax: RunCommand) -> None:
    LinearModel([1.0], ("f1",)).save(tmp_path / "a.json")
    LinearModel([1.0], ("f4",)).save(tmp_path / "b.json")
    command = ("tune", data_file, "--model", "a.json", "--model", "b.json", "-m", "AP", "--repeats", "1")
    assert rankmax(*command, "-o", "stacked.json").status == 0
    again = rankmax(*command, "--current", "stacked.json")
    assert again.status == 0
    assert "gain over stacked.json" in again.out
