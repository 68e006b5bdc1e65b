"""Other programs that learn to rank, each with its settings in one place, as the benchmarks use them.

FastRank  Coordinate ascent with its defaults: 5 random restarts on all cores, tolerance 0.001, growing steps of 0.05.
          Its nDCG has gains 2^grade - 1; equal scores are ranked by rising gain, and features are float32.
gblinear  XGBoost's linear booster with LambdaRank gradients (rank:map of grades from 1 on; rank:ndcg has gains
          2^grade - 1), deterministic coordinate descent, no penalty; the best of six settings (rounds, and pairs of the
          top 32 or of the whole list). Which is best is decided by a given judge.
LambdaMART  LightGBM's, stopped after 100 rounds without a better validation metric; the best of six settings (leaves,
          learning rate) on the validation queries, or one setting (10 leaves, 0.1).
CatBoost  YetiRank in its mode for the metric, and StochasticRank for nDCG@10 (it has no AP); up to 1,000 trees, stopped
          after 50 without a better validation metric, all else by default. Grades from 1 on are relevant for AP.
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from catboost import CatBoostRanker, Pool
from fastrank import CDataset, TrainRequest
from harness import Results, edition
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


def lambdamart(train: RankingDataset, validation: RankingDataset, target: Target) -> Callable[[RankingDataset], F64]:
    """Return what scores documents: the best on the validation queries."""
    fitted = [
        _lambdamart(train, validation, target, leaves, rate)
        for leaves, rate in itertools.product((4, 10, 31), (0.03, 0.1))
    ]
    return max(fitted, key=lambda scores: target.value(scores(validation), validation))


def lambdamart_once(
    train: RankingDataset, validation: RankingDataset, target: Target
) -> Callable[[RankingDataset], F64]:
    """Return what scores documents, by one setting."""
    return _lambdamart(train, validation, target, 10, 0.1)


def _lambdamart(
    train: RankingDataset, validation: RankingDataset, target: Target, leaves: int, rate: float
) -> Callable[[RankingDataset], F64]:
    ranker = lambdamart_ranker(train, validation, target, leaves, rate)
    return lambda data: np.asarray(ranker.predict(data.features), np.float64)


def lambdamart_ranker(
    train: RankingDataset, validation: RankingDataset, target: Target, leaves: int, rate: float
) -> LGBMRanker:
    """Return LightGBM's trees with some leaves and learning rate."""
    ranker = LGBMRanker(n_estimators=2000, num_leaves=leaves, learning_rate=rate, random_state=0, verbose=-1)
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
    return ranker


CATBOOST = {"YetiRank": "CatBoost YetiRank", "StochasticRank": "CatBoost StochasticRank"}


def catboost(
    loss: str, train: RankingDataset, validation: RankingDataset, target: Target
) -> Callable[[RankingDataset], F64]:
    """Return what scores documents: the trees up to the best round on the validation queries."""
    ranker = catboost_ranker(loss, train, validation, target)
    return lambda data: np.asarray(ranker.predict(data.features), np.float64)


def catboost_ranker(loss: str, train: RankingDataset, validation: RankingDataset, target: Target) -> CatBoostRanker:
    """Return CatBoost's trees up to the best round on the validation queries."""
    is_ap = target.metric == "AP"
    losses = {
        "YetiRank": "YetiRank:mode=MAP" if is_ap else "YetiRank:mode=NDCG;top=10",
        "StochasticRank": "StochasticRank:metric=NDCG;top=10;type=Exp",
    }

    def pool(data: RankingDataset) -> Pool:
        grades = (data.grades >= _RELEVANT).astype(np.float64) if is_ap and loss == "YetiRank" else data.grades
        return Pool(data.features, grades, group_id=data.judgments.query_of_document)

    ranker = CatBoostRanker(
        loss_function=losses[loss],
        eval_metric="MAP:top=10000" if is_ap and loss == "YetiRank" else "NDCG:top=10;type=Exp",
        iterations=1000,
        early_stopping_rounds=50,
        random_seed=0,
        allow_writing_files=False,
        verbose=False,
    )
    ranker.fit(pool(train), eval_set=pool(validation))
    return ranker
