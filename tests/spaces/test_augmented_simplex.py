from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csc_array

from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.spaces import AugmentedSimplex, augment, rank_equivalent, translate_back

DIMENSION = 4
numbers = st.integers(-8, 8).map(float)
weights = arrays(np.float64, DIMENSION, elements=numbers).filter(np.any)
augmented_weights = arrays(np.float64, DIMENSION + 1, elements=numbers).filter(lambda w: np.ptp(w) > 0)
documents = arrays(np.float64, (6, DIMENSION), elements=numbers)
totals = st.integers(-20, 20).map(float)


def dataset(X) -> RankingDataset:
    return RankingDataset.from_arrays(X, np.zeros(X.shape[0]), qid=np.zeros(X.shape[0]))


def signs(scores):
    """Return the order of each pair of documents; the inputs are small integers, so less than 1e-9 is rounding."""
    differences = scores[:, None] - scores[None, :]
    return np.sign(np.where(np.abs(differences) < 1e-9, 0, differences))


class TestTheorems:
    """Metzler (2005), section 3.3, on random data with ties and duplicates."""

    @given(weights, documents, totals)
    def test_any_weights_have_an_equivalent_point(self, w, X, total):
        data = dataset(X)
        point = AugmentedSimplex().embed(w)
        assert point.min() >= 0
        assert point.sum() == pytest.approx(1)
        augmented = augment(data, total=total)
        np.testing.assert_array_equal(signs(augmented.scores(point)), signs(data.scores(w)))

    @given(augmented_weights, documents, totals)
    def test_any_augmented_weights_translate_back(self, w, X, total):
        data = dataset(X)
        augmented = augment(data, total=total)
        np.testing.assert_array_equal(signs(data.scores(translate_back(w))), signs(augmented.scores(w)))

    @given(augmented_weights, documents)
    def test_projection_keeps_the_ranking(self, w, X):
        augmented = augment(dataset(X))
        point = AugmentedSimplex().project(w)
        np.testing.assert_array_equal(signs(augmented.scores(point)), signs(augmented.scores(w)))

    @given(weights)
    def test_embedding_and_restoring_is_a_positive_multiple(self, w):
        space = AugmentedSimplex()
        assert rank_equivalent(space.restore(space.embed(w)), w)

    @given(weights)
    def test_the_theorems_formula(self, w):
        extended = np.append(w, 0.0)
        k = min(0.0, extended.min())
        np.testing.assert_allclose(AugmentedSimplex().embed(w), (extended - k) / (extended - k).sum(), atol=1e-15)


class TestAugment:
    @given(documents, totals)
    def test_features_add_up_to_the_total(self, X, total):
        augmented = augment(dataset(X), total=total)
        np.testing.assert_array_equal(augmented.features.sum(axis=1), np.full(X.shape[0], total))
        np.testing.assert_array_equal(augmented.features[:, :-1], X)
        assert augmented.feature_names == ("f1", "f2", "f3", "f4", "augmented")

    def test_sparse_features_stay_sparse(self):
        X = np.array([[0.0, 2.0], [0.0, 0.0], [1.0, 5.0]])
        augmented = augment(dataset(csc_array(X)))
        assert augmented.is_sparse
        assert augmented.features.nnz == 5
        np.testing.assert_array_equal(augmented.features.toarray(), np.column_stack([X, -X.sum(axis=1)]))

    def test_sums_are_not_rounded_to_single_precision(self):
        X = np.array([[1.0, 1e-6], [1.0, 2e-6]], np.float32)
        features = augment(dataset(X)).features
        np.testing.assert_array_equal(features[:, -1], -X.astype(np.float64).sum(axis=1))

    def test_judgments_and_rows_are_kept(self):
        data = RankingDataset.from_arrays([[1.0], [2.0], [3.0]], [1, 0, 1], qid=["b", "a", "b"])
        augmented = augment(data)
        assert augmented.judgments is data.judgments
        assert augmented.rows is data.rows

    def test_sums_beyond_floats_are_refused(self):
        with pytest.raises(InvalidDataError, match="document 1 add up to more than a float holds"):
            augment(dataset(np.array([[1.0, 2.0], [1e308, 1e308]])))

    def test_twice_is_refused(self):
        with pytest.raises(InvalidDataError, match="augmented"):
            augment(augment(dataset(np.ones((1, 2)))))


class TestSpace:
    def test_the_center_ranks_nothing_and_is_no_point(self):
        space, center = AugmentedSimplex(), np.full(3, 1 / 3)
        assert not space.contains(center)
        np.testing.assert_array_equal(space.restore(center), [0, 0])
        np.testing.assert_array_equal(space.project(center), [0.5, 0.5, 0])
        with pytest.raises(InvalidDataError, match="all weights are equal"):
            space.canonical(center)

    def test_start_is_uniform_for_the_data(self):
        space = AugmentedSimplex()
        np.testing.assert_allclose(space.restore(space.start(5)), np.full(4, 0.25))

    def test_lines_have_no_end(self):
        line = AugmentedSimplex().line([0.5, 0.0, 0.5], [0, 1, 0])
        assert (line.low, line.high) == (-math.inf, math.inf)

    def test_moving_all_weights_alike_is_no_direction(self):
        with pytest.raises(InvalidDataError, match="changes no ranking"):
            AugmentedSimplex().line([0.5, 0.0, 0.5], [2, 2, 2])

    @given(augmented_weights, numbers)
    def test_shifted_weights_are_one_model(self, w, shift):
        space = AugmentedSimplex()
        np.testing.assert_allclose(space.canonical(w + shift), space.canonical(w), atol=1e-15)
        assert space.canonical(w).min() == 0
        assert space.distance(w, w + shift) <= 1e-7

    def test_large_weights_keep_their_differences(self):
        point = AugmentedSimplex().project([2.0**52 + 1, 2.0**52, 2.0**52 + 2])
        np.testing.assert_allclose(point, [1 / 3, 0, 2 / 3])

    def test_one_weight_is_too_few(self):
        for act in (AugmentedSimplex().project, translate_back):
            with pytest.raises(InvalidDataError, match="there is 1 weight"):
                act([1.0])
        with pytest.raises(InvalidParameterError, match="at least 2"):
            AugmentedSimplex().start(1)
