"""Other programs that learn to rank, each with its settings in one place, as the benchmarks use them.

FastRank  Coordinate ascent with its defaults: 5 random restarts on all cores, tolerance 0.001, growing steps of 0.05.
          Its nDCG has gains 2^grade - 1; equal scores are ranked by rising gain, and features are float32.
gblinear  XGBoost's linear booster with LambdaRank gradients (rank:map of grades from 1 on; rank:ndcg has gains
          2^grade - 1), deterministic coordinate descent, no penalty; the best of six settings (rounds, and pairs of the
          top 32 or of the whole list). Which is best is decided by a given judge.
LightGBM  LambdaMART with 10 leaves and rate 0.1, or with the best of six settings (leaves, rate) on the validation
          queries, or with 2 leaves (stumps, whose sum is additive) and rate 0.1; up to 2,000 trees.
XGBoost   LambdaMART (rank:map of grades from 1 on; rank:ndcg), depth 4, rate 0.1; up to 2,000 trees.
CatBoost  YetiRank in its mode for the metric, and StochasticRank for nDCG@10 (it has no AP); up to 1,000 trees. Grades
          from 1 on are relevant for AP.
EBM       interpret's explainable boosting machine, a regression on the grades, without interactions.

LightGBM and XGBoost stop after 100 trees without a better validation metric, CatBoost after 50. All else is by default.
"""

from __future__ import annotations

import itertools
import json
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from catboost import CatBoostRanker, Pool
from fastrank import CDataset, TrainRequest
from harness import Results, edition
from interpret.glassbox import ExplainableBoostingRegressor
from lightgbm import LGBMRanker, early_stopping
from xgboost import XGBRanker

from rankmax import RankingDataset
from rankmax._arrays import F64
from rankmax.evaluation.run_evaluation import evaluate_scores

_RELEVANT = 1  # LETOR's MAP and ours count grades from 1 on


@dataclass(frozen=True)
class Target:
    """One metric under the name that each program has for it.

    All programs use gains of 2^grade - 1 for nDCG, as LETOR does, so ours does here too.
    """

    metric: str
    fastrank: str
    xgboost: str
    lightgbm: str
    lightgbm_cutoff: int

    def value(self, scores: F64, data: RankingDataset, *, ties: str = "document-order") -> float:
        """Return the mean of the metric: the one judge of all programs."""
        return float(evaluate_scores(scores, data, [self.metric], ties=ties).means[0])


TARGETS = {
    "AP": Target("AP", "map", "rank:map", "map", 10_000),
    "nDCG@10": Target("nDCG(gain='exp2')@10", "ndcg@10", "rank:ndcg", "ndcg", 10),
}


def stored_fastrank(results: Results, name: str, data: RankingDataset, target: Target, *, seed: int) -> dict[str, Any]:
    """Return FastRank's weights and its time, taken from the results where they have them."""
    key = f"{name}, FastRank, seed {seed}, {edition('fastrank')}"
    return results.get(key, lambda: fastrank(data, target, seed=seed))


def fastrank(data: RankingDataset, target: Target, *, seed: int) -> dict[str, Any]:
    """Return the weights that FastRank's coordinate ascent finds, and the time of the ascent alone."""
    single = np.ascontiguousarray(data.features, np.float32)
    dataset = CDataset.from_numpy(single, np.array(data.grades), data.judgments.query_of_document.astype(np.int64))
    request = TrainRequest.coordinate_ascent()
    request.measure = target.fastrank
    request.params.seed = seed
    request.params.quiet = True
    wall, processor = time.perf_counter(), time.process_time()
    model = dataset.train_model(request)
    spent = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - processor}
    weights = np.array(model.to_dict()["Linear"]["weights"])
    reported = np.mean(list(dataset.evaluate(model, target.fastrank).values()))
    seen = RankingDataset.from_arrays(single, data.grades, qid=data.judgments.query_of_document)
    ours = target.value(seen.scores(weights), seen, ties="pessimistic")
    assert abs(ours - reported) < 1e-6, f"{target.metric} is {ours} by our definition, {reported} by FastRank's"
    return {**spent, "weights": weights.tolist()}


def gblinear(data: RankingDataset, target: Target) -> Iterator[tuple[str, Callable[[], F64]]]:
    """Yield the settings, and what fits weights with them."""
    for rounds, pairs in itertools.product((30, 100, 400), ("topk", "mean")):
        yield f"{rounds} rounds, {pairs} pairs", lambda r=rounds, p=pairs: _gblinear(data, target, r, p)


def _gblinear(data: RankingDataset, target: Target, rounds: int, pairs: str) -> F64:
    ranker = XGBRanker(
        booster="gblinear",
        updater="coord_descent",
        objective=target.xgboost,
        n_estimators=rounds,
        lambdarank_pair_method=pairs,
        **({"lambdarank_num_pair_per_sample": 32} if pairs == "topk" else {}),
    )
    grades = data.grades >= _RELEVANT if target.xgboost == "rank:map" else data.grades
    ranker.fit(data.features, grades.astype(np.int64), qid=data.judgments.query_of_document)
    return np.asarray(ranker.coef_, np.float64)


@dataclass(frozen=True)
class Trees:
    """What scores documents, and the content of its file."""

    predict: Callable[[F64], Any]
    file: Callable[[], bytes | str]

    def scores(self, data: RankingDataset) -> F64:
        """Return the score of each document."""
        return np.asarray(self.predict(np.asarray(data.features)), np.float64)


def lambdamart(
    train: RankingDataset, validation: RankingDataset, target: Target, leaves: int = 10, rate: float = 0.1
) -> Trees:
    """Return LightGBM's trees with some leaves and learning rate."""
    ranker = LGBMRanker(n_estimators=2000, num_leaves=leaves, learning_rate=rate, random_state=0, n_jobs=1, verbose=-1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own calls of deprecated functions
        ranker.fit(
            train.features,
            train.grades.astype(np.int64),
            group=np.diff(train.query_offsets),
            eval_set=[(validation.features, validation.grades.astype(np.int64))],
            eval_group=[np.diff(validation.query_offsets)],
            eval_metric=target.lightgbm,
            eval_at=[target.lightgbm_cutoff],
            callbacks=[early_stopping(100, verbose=False)],
        )
    booster = ranker.booster_
    return Trees(booster.predict, lambda: booster.model_to_string(num_iteration=booster.best_iteration))


def best_lambdamart(train: RankingDataset, validation: RankingDataset, target: Target) -> Trees:
    """Return LightGBM's trees with the best settings on the validation queries."""
    fitted = [
        lambdamart(train, validation, target, leaves, rate)
        for leaves, rate in itertools.product((4, 10, 31), (0.03, 0.1))
    ]
    return max(fitted, key=lambda trees: target.value(trees.scores(validation), validation))


def lambdamart_stumps(train: RankingDataset, validation: RankingDataset, target: Target) -> Trees:
    """Return LightGBM's trees of two leaves."""
    return lambdamart(train, validation, target, leaves=2)


def xgboost(train: RankingDataset, validation: RankingDataset, target: Target) -> Trees:
    """Return XGBoost's LambdaMART up to the best round on the validation queries."""
    is_ap = target.metric == "AP"

    def grades(data: RankingDataset) -> Any:
        return (data.grades >= _RELEVANT if is_ap else data.grades).astype(np.int64)

    ranker = XGBRanker(
        objective=target.xgboost,
        eval_metric="map" if is_ap else "ndcg@10",
        n_estimators=2000,
        learning_rate=0.1,
        max_depth=4,
        early_stopping_rounds=100,
        random_state=0,
        n_jobs=1,
    )
    ranker.fit(
        train.features,
        grades(train),
        qid=train.judgments.query_of_document,
        eval_set=[(validation.features, grades(validation))],
        eval_qid=[validation.judgments.query_of_document],
        verbose=False,
    )
    best = ranker.get_booster()[: ranker.best_iteration + 1]
    return Trees(ranker.predict, lambda: best.save_raw("json"))


def yetirank(train: RankingDataset, validation: RankingDataset, target: Target) -> Trees:
    """Return CatBoost's trees by YetiRank up to the best round on the validation queries."""
    if target.metric != "AP":
        return _catboost("YetiRank:mode=NDCG;top=10", _NDCG, train, validation)

    def relevant(data: RankingDataset) -> Any:
        return (data.grades >= _RELEVANT).astype(np.float64)

    return _catboost("YetiRank:mode=MAP", "MAP:top=10000", train, validation, grades=relevant)


def stochasticrank(train: RankingDataset, validation: RankingDataset, target: Target) -> Trees:
    """Return CatBoost's trees by StochasticRank, for nDCG@10 whatever the target."""
    return _catboost("StochasticRank:metric=NDCG;top=10;type=Exp", _NDCG, train, validation)


_NDCG = "NDCG:top=10;type=Exp"


def _catboost(
    loss: str,
    metric: str,
    train: RankingDataset,
    validation: RankingDataset,
    *,
    grades: Callable[[RankingDataset], F64] = lambda data: data.grades,
) -> Trees:
    ranker = CatBoostRanker(
        loss_function=loss,
        eval_metric=metric,
        iterations=1000,
        early_stopping_rounds=50,
        random_seed=0,
        thread_count=1,
        allow_writing_files=False,
        verbose=False,
    )
    learned, watched = (
        Pool(data.features, grades(data), group_id=data.judgments.query_of_document) for data in (train, validation)
    )
    ranker.fit(learned, eval_set=watched)

    def file() -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.cbm")
            ranker.save_model(str(path))
            return path.read_bytes()

    return Trees(ranker.predict, file)


def boosting_machine(train: RankingDataset, validation: RankingDataset, target: Target) -> Trees:
    """Return interpret's curves, learned from the training grades whatever the target."""
    regressor = ExplainableBoostingRegressor(interactions=0, random_state=0, n_jobs=1)
    regressor.fit(np.asarray(train.features), np.asarray(train.grades))
    return Trees(regressor.predict, lambda: _json(regressor))


def _json(regressor: ExplainableBoostingRegressor) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "beta"
        return json.dumps(regressor.to_jsonable())
