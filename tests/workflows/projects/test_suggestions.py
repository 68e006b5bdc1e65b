from __future__ import annotations

import numpy as np
import pytest

from rankmax.api.evaluate import evaluate
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.metrics import AP, RR
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.projects.suggestions import suggest

DATA = planted_linear(30, 12, 4, noise=0.4, seed=2).data


def scaled(factors: list[float]) -> RankingDataset:
    ids = np.repeat(DATA.query_ids, DATA.judgments.documents_by_query)
    return RankingDataset.from_arrays(DATA.features * factors, DATA.grades, qid=ids)


def mean(data: RankingDataset, weights: list[float], kind: str = "none") -> float:
    model = LinearModel(weights, data.feature_names, Normalization.named(kind))
    return evaluate(data, {"a": model.scores(data)}, "AP").means["a"]["AP"]


def test_the_best_single_feature_comes_first() -> None:
    found = suggest(DATA, AP())
    alone = {name: mean(DATA, [float(name == other) for other in DATA.feature_names]) for name in DATA.feature_names}
    assert list(found.features) == sorted(alone, key=lambda name: -alone[name])
    assert found.feature_value == pytest.approx(max(alone.values()), abs=1e-12)
    assert (found.normalization, list(found.equal_weights)) == ("none", ["none"]), "ranges do not differ"


def test_a_normalization_is_suggested_where_ranges_differ() -> None:
    worst = suggest(DATA, AP()).features[-1]  # which raw sums would go by
    data = scaled([1000.0 if name == worst else 1.0 for name in DATA.feature_names])
    found = suggest(data, AP())
    assert found.range_ratio > 500
    expected = {kind: mean(data, [1.0] * 4, kind) for kind in ("none", "min-max", "z-score")}
    assert found.equal_weights == pytest.approx(expected, abs=1e-12)
    assert found.normalization == max(expected, key=expected.__getitem__) != "none"


def test_constant_features_do_not_count_as_small_ones() -> None:
    assert suggest(scaled([1.0, 1.0, 1.0, 0.0]), AP()).range_ratio < 5
    assert suggest(scaled([0.0] * 4), AP()).range_ratio == 1.0


def test_large_data_is_sampled() -> None:
    data = RankingDataset.from_arrays(np.eye(2)[np.arange(4000) % 2], np.arange(4000) % 2, qid=np.arange(4000) // 2)
    assert suggest(data, RR()).features == ("f2", "f1")
