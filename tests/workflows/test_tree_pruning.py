"""Pruning: values of prefixes are those of the models of these trees, and the rule by its definition."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rankmax as rm
from oracles.tree_models import FILES, written
from rankmax.cli import main
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.formats.registry import write_dataset
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.registry import parse_metric
from rankmax.models import LinearModel, TreeEnsembleModel
from rankmax.models.trees.structure import Tree
from rankmax.workflows.tree_pruning import prune_trees

AP = parse_metric("AP")


def noisy(n_queries: int = 30) -> tuple[TreeEnsembleModel, RankingDataset]:
    """Return trees of which the first few see the signal and the others noise."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(10 * n_queries, 3))
    grades = (X[:, 0] + 0.5 * rng.normal(size=len(X)) > 1).astype(float)
    data = RankingDataset.from_arrays(X, grades, qid=np.arange(len(X)) // 10, feature_names=["a", "b", "c"])
    stumps = [
        Tree([0 if t < 5 else 1 + t % 2], [float(rng.normal())], [~0], [~1], [0.0, 1.0 - 0.02 * t], [True], [2])
        for t in range(25)
    ]
    return TreeEnsembleModel(tuple(stumps), ("a", "b", "c")), data


def test_the_rule_by_its_definition() -> None:
    model, data = noisy()
    pruned = prune_trees(model, data, AP)
    values = np.array([evaluate_metrics([AP], model.first(n).scores(data), data.judgments)[0] for n in range(1, 26)])
    values = values[:, ~np.isnan(values[0])]
    np.testing.assert_array_equal(pruned.values, values)
    best = values[int(np.argmax(values.mean(axis=1)))]
    kept = 1
    while (d := best - values[kept - 1]).mean() > d.std(ddof=1) / np.sqrt(d.size):
        kept += 1
    assert pruned.n_kept == kept < 25
    assert pruned.model.feature_names == (("a",) if kept <= 5 else pruned.model.feature_names)
    np.testing.assert_array_equal(pruned.model.scores(data), model.first(kept).scores(data))
    assert pruned.model.metric == "AP"


@pytest.mark.parametrize("name", ["xgboost.json", "lightgbm-forest.txt", "catboost.json"])
def test_values_of_prefixes_in_the_arithmetic_of_each_library(name: str) -> None:
    found = written(name)
    rng = np.random.default_rng(1)
    data = RankingDataset.from_arrays(rng.normal(size=(100, 5)), rng.integers(0, 2, 100), qid=np.arange(100) // 10)
    pruned = prune_trees(found.model, data, AP)
    last = evaluate_metrics([AP], found.model.scores(data), data.judgments)[0]
    np.testing.assert_array_equal(pruned.values[-1], last[~np.isnan(last)])


def test_what_cannot_be_pruned_is_refused() -> None:
    model, data = noisy()
    with pytest.raises(IncompatibleError, match=r"^LinearModel has no trees to prune"):
        rm.prune(LinearModel([1.0], ("a",)), data)
    left = float((data.column(0) <= 0.5).sum())
    seen = Tree([0], [0.5], [~0], [~1], [0.0, 1.0], [True], [2], [left, data.n_documents - left])
    with pytest.raises(InvalidDataError, match="was trained on these documents"):
        rm.prune(TreeEnsembleModel((seen,), ("a",)), data)
    with pytest.raises(InvalidDataError, match="AP counts 1 of the queries"):
        rm.prune(model, noisy(1)[1], "AP")


def test_it_shows_itself_and_its_command_writes_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, data = noisy()
    five = RankingDataset.from_arrays(
        np.c_[np.asarray(data.features), np.asarray(data.features)[:, :2]], data.grades, qid=np.arange(300) // 10
    )
    write_dataset(five, tmp_path / "vali.txt")
    pruned = rm.prune(FILES / "lightgbm.txt", tmp_path / "vali.txt", "AP")
    assert "at most one" in str(pruned)
    assert list(pruned.to_frame()["trees"]) == [1, 2, 3]
    output = tmp_path / "pruned.json"
    command = ["rankmax", "prune", FILES / "lightgbm.txt", tmp_path / "vali.txt", "-m", "AP", "-o", output, "--json"]
    monkeypatch.setattr("sys.argv", list(map(str, command)))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, None)
    shown = json.loads(capsys.readouterr().out)
    assert (shown["trees"], shown["kept"]) == (3, pruned.n_kept)
    loaded = rm.load(output)
    assert isinstance(loaded, TreeEnsembleModel)
    assert (len(loaded.trees), loaded.columns) == (pruned.n_kept, None)
