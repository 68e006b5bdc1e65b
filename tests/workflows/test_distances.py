from __future__ import annotations

import math

import pytest

from rankmax.errors import InvalidDataError
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.distances import model_distance


def test_features_are_found_by_name() -> None:
    found = model_distance(LinearModel([1.0, 3.0], ("a", "b")), LinearModel([6.0, 2.0, 0.0], ("b", "a", "c")))
    assert (found.n_features, found.n_common, found.rank_equivalent) == (3, 2, True)
    assert (found.cosine, found.geodesic) == pytest.approx((0.0, 0.0), abs=1e-12)


def test_negative_weights_have_no_geodesic_distance() -> None:
    found = model_distance(LinearModel([1.0], ("a",)), LinearModel([-1.0], ("a",)))
    assert (found.geodesic, found.cosine) == (None, 2.0)
    assert model_distance(LinearModel([1.0], ("a",)), LinearModel([1.0], ("b",))).geodesic == pytest.approx(math.pi)


def test_other_normalizations_are_not_compared() -> None:
    scaled = LinearModel([1.0], ("a",), Normalization.named("min-max"))
    assert model_distance(LinearModel([1.0], ("a",)), scaled).rank_equivalent is None


def test_a_model_that_ranks_nothing_is_nowhere() -> None:
    with pytest.raises(InvalidDataError, match="every weight is 0"):
        model_distance(LinearModel([1.0], ("a",)), LinearModel([0.0], ("a",)))
