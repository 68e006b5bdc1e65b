"""Write small models of LightGBM, XGBoost and CatBoost to tests/models/trees/files, with the libraries' predictions.

    pip install lightgbm xgboost catboost
    python tools/tree_model_files.py

With ``xgboost.json=xgboost-1.7.json`` it writes that model alone, under another name: by an older library, for example.
The tests compare with what this has written, and with the libraries themselves where they are installed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "tests" / "models" / "trees" / "files"
N_QUERIES, N_PER_QUERY, N_ROUNDS = 20, 20, 3
Matrix = NDArray[np.float64]


def training_data() -> tuple[Matrix, NDArray[np.int64]]:
    """Return features, with zeros and missing values, and grades."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(N_QUERIES * N_PER_QUERY, 5))
    X[rng.random(len(X)) < 0.4, 3] = 0
    X[:, 4] = 1
    grades = np.clip(np.round(X[:, 0] + X[:, 3] + 0.5 * X[:, 2]), 0, 3).astype(np.int64)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, grades


def predicted_data(thresholds: dict[int, list[float]]) -> Matrix:
    """Return features whose values are thresholds, their neighbors in both precisions, zeros, missing and others."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(60, 5)).round(3)
    for column, values in thresholds.items():
        near = [
            near
            for value in values
            if abs(value) < 1e30
            for near in (
                value,
                float(np.nextafter(value, np.inf)),
                float(np.nextafter(value, -np.inf)),
                *(float(np.nextafter(np.float32(value), np.float32(end))) for end in (np.inf, -np.inf)),
            )
        ]
        rows = rng.permutation(len(X))[:30]
        X[rows, column] = rng.choice([*near, 0.0, 1e-36, np.nan], size=30)
    return X


def lightgbm_models() -> dict[str, Any]:
    """Return models of LightGBM by file name."""
    import lightgbm

    X, grades = training_data()
    options: dict[str, dict[str, Any]] = {
        "lightgbm.txt": {},
        "lightgbm-zero-as-missing.txt": {"zero_as_missing": True},
        "lightgbm-forest.txt": {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.7},
        "lightgbm-named.txt": {"num_leaves": 4},
    }
    common = {"objective": "lambdarank", "num_leaves": 6, "verbosity": -1, "min_data_in_leaf": 5, "num_threads": 1}
    models = {}
    for name, own in options.items():
        names: Any = ["bm25", "age", "links", "clicks", "one"] if "named" in name else "auto"
        data = lightgbm.Dataset(X, grades, group=[N_PER_QUERY] * N_QUERIES, feature_name=names)
        models[name] = lightgbm.train({**common, "deterministic": True, **own}, data, N_ROUNDS)
    return models


def xgboost_models() -> dict[str, Any]:
    """Return models of XGBoost by file name."""
    import xgboost

    X, grades = training_data()
    data = xgboost.DMatrix(X, grades, qid=np.repeat(np.arange(N_QUERIES), N_PER_QUERY))
    options: dict[str, dict[str, Any]] = {
        "xgboost.json": {"objective": "rank:ndcg"},
        "xgboost-dart.json": {"objective": "rank:ndcg", "booster": "dart", "rate_drop": 0.5},
        "xgboost-logistic.json": {"objective": "binary:logistic", "base_score": 0.3},
    }
    models = {}
    for name, own in options.items():
        used = xgboost.DMatrix(X, grades > 0) if "logistic" in name else data
        models[name] = xgboost.train({"max_depth": 3, "nthread": 1, **own}, used, N_ROUNDS)
    return models


def catboost_models() -> dict[str, Any]:
    """Return models of CatBoost by file name."""
    import catboost

    X, grades = training_data()
    pool = catboost.Pool(X, grades, group_id=np.repeat(np.arange(N_QUERIES), N_PER_QUERY))
    options: dict[str, dict[str, Any]] = {
        "catboost.json": {},
        "catboost-depthwise.json": {"grow_policy": "Depthwise"},
        "catboost-nan-max.json": {"nan_mode": "Max"},
    }
    common = {"loss_function": "YetiRank", "depth": 3, "thread_count": 1, "allow_writing_files": False}
    return {
        name: catboost.train(pool, {**common, "iterations": N_ROUNDS, "verbose": False, **own})
        for name, own in options.items()
    }


def predictions(name: str, model: Any, X: Matrix) -> Matrix:
    """Return a model's raw scores.

    Parameters
    ----------
    name : str
        Name of the file, which begins with the library.
    model : object
    X : array
    """
    if name.startswith("xgboost"):
        import xgboost

        return np.asarray(model.predict(xgboost.DMatrix(X), output_margin=True), np.float64)
    if name.startswith("catboost"):
        return np.asarray(model.predict(X, prediction_type="RawFormulaVal"), np.float64)
    return np.asarray(model.predict(X), np.float64)


def chosen_models(wanted: list[str]) -> dict[str, Any]:
    """Return models by file name: all, or those that arguments such as "xgboost.json=xgboost-1.7.json" name.

    Parameters
    ----------
    wanted : list of str
    """
    libraries = {"lightgbm": lightgbm_models, "xgboost": xgboost_models, "catboost": catboost_models}
    if not wanted:
        return {name: model for models in libraries.values() for name, model in models().items()}
    pairs = [argument.split("=") for argument in wanted]
    return {new: libraries[name.partition(".")[0]]()[name] for name, new in pairs}


def main(wanted: list[str]) -> int:
    """Write the files.

    Parameters
    ----------
    wanted : list of str
        Arguments as of :func:`chosen_models`.
    """
    sys.path.insert(0, str(ROOT / "src"))
    from rankmax.models.tree_ensemble_model import tree_model

    FOLDER.mkdir(exist_ok=True)
    expected = json.loads((FOLDER / "expected.json").read_text()) if wanted else {}
    for name, model in chosen_models(wanted).items():
        path = FOLDER / name
        if name.startswith("catboost"):
            model.save_model(str(path), format="json")
            content = json.loads(path.read_text())
            path.write_text(json.dumps(content, separators=(",", ":")) + "\n")  # without indentation, a tenth
        else:
            model.save_model(str(path))
        read = tree_model(path.read_bytes(), path)
        columns = range(5) if read.columns is None else read.columns
        thresholds: dict[int, list[float]] = {}
        for tree in read.trees:
            for feature, threshold in zip(tree.feature.tolist(), tree.threshold.tolist(), strict=True):
                thresholds.setdefault(columns[feature], []).append(threshold)
        X = predicted_data(thresholds)
        rows = [[None if np.isnan(x) else x for x in row] for row in X.tolist()]
        expected[name] = {"features": rows, "scores": predictions(name, model, X).tolist()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in expected.items())
    (FOLDER / "expected.json").write_text(f"{{\n{lines}\n}}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
