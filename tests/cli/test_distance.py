from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import MinMax


@pytest.fixture
def save(tmp_path: Path):
    def save(name: str, normalization=None, **weights: float) -> str:
        options = {} if normalization is None else {"normalization": normalization}
        LinearModel(np.array(list(weights.values())), tuple(weights), **options).save(tmp_path / name)
        return name

    return save


def told(rankmax, *models: str) -> dict:
    done = rankmax("distance", *models, "--json")
    assert done.status == 0
    return json.loads(done.out)


def test_multiples_rank_alike_in_any_order_of_features(rankmax, save) -> None:
    answer = told(rankmax, save("a.json", bm25=1, title=3), save("b.json", title=6, bm25=2, age=0))
    assert (answer["cosine"], answer["geodesic"], answer["rank_equivalent"]) == (0.0, 0.0, True)
    assert answer["features"] == {"all": 3, "common": 2}


def test_a_missing_feature_has_weight_zero(rankmax, save) -> None:
    answer = told(rankmax, save("a.json", bm25=3), save("b.json", bm25=3, title=4))
    assert answer["cosine"] == pytest.approx(1 - 3 / 5)
    assert answer["geodesic"] == pytest.approx(2 * math.acos(math.sqrt(3 / 7)))
    assert answer["rank_equivalent"] is False


def test_no_feature_in_common_is_farthest(rankmax, save) -> None:
    answer = told(rankmax, save("a.json", bm25=3), save("b.json", title=4))
    assert (answer["cosine"], answer["geodesic"]) == (pytest.approx(1), pytest.approx(math.pi))


def test_negative_weights_have_no_geodesic_distance_and_it_says_why(rankmax, save) -> None:
    models = save("a.json", bm25=1, age=-0.5), save("b.json", bm25=1, age=0)
    answer = told(rankmax, *models)
    assert answer["geodesic"] is None
    assert answer["notes"] == ["a.json has negative weights (age -0.5)"]
    done = rankmax("distance", *models)
    assert " geodesic distance   none: a.json has negative weights (age -0.5)\n" in done.out


def test_normalizations_that_differ_leave_rank_equivalence_open(rankmax, save) -> None:
    models = save("a.json", bm25=1, title=2), save("b.json", MinMax(), bm25=1, title=2)
    assert told(rankmax, *models)["rank_equivalent"] is None
    assert "normalize features differently (none and min-max)" in rankmax("distance", *models).out


def test_text(rankmax, save) -> None:
    done = rankmax("distance", save("a.json", bm25=1, title=3), "a.json")
    assert done.out.splitlines() == [
        " features            2, 2 of them in both models",
        " cosine distance     0",
        " geodesic distance   0",
        " rank equivalent     yes",
        "",
    ]


def test_a_model_of_zeros_is_at_no_distance(rankmax, save) -> None:
    done = rankmax("distance", save("a.json", bm25=1), save("zero.json", bm25=0))
    assert (done.status, done.err.startswith("Error: zero.json: every weight is 0")) == (1, True)
