"""Every space keeps the contract, and the contract catches spaces that do not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from rankmax.spaces import AugmentedSimplex, Euclidean, Line, Simplex
from rankmax.testing.spaces import SpaceContract


class TestEuclidean(SpaceContract):
    spaces = (Euclidean(),)


class TestSimplex(SpaceContract):
    spaces = (Simplex(),)


class TestAugmentedSimplex(SpaceContract):
    spaces = (AugmentedSimplex(),)


@dataclass(frozen=True)
class Endless(Simplex):
    def line(self, w, direction):
        return Line(np.asarray(direction), -math.inf, math.inf)


@dataclass(frozen=True)
class Timid(Simplex):
    def line(self, w, direction):
        return Line(np.asarray(direction), -1e-6, 1e-6)


@dataclass(frozen=True)
class NearestPoint(Simplex):
    """Euclidean projection onto the simplex (sort and threshold), which does not keep rankings."""

    def project(self, w):
        w = np.asarray(w)
        descending = np.sort(w)[::-1]
        excess = (np.cumsum(descending) - 1) / np.arange(1, w.size + 1)
        return np.maximum(w - excess[np.flatnonzero(descending > excess)[-1]], 0)


@dataclass(frozen=True)
class Forgetful(AugmentedSimplex):
    def restore(self, w):
        return np.asarray(w)[:-1]


@dataclass(frozen=True)
class Clipping(AugmentedSimplex):
    def project(self, w):
        return Simplex().project(w)


@pytest.mark.parametrize(
    ("space", "test"),
    [
        (Endless(), "test_lines_keep_the_ranking_when_projected"),
        (Timid(), "test_lines_keep_the_ranking_when_projected"),
        (NearestPoint(), "test_projection_does_not_depend_on_scale"),
        (NearestPoint(), "test_lines_keep_the_ranking_when_projected"),
        (Forgetful(), "test_restored_weights_rank_as_the_point_ranks_prepared_data"),
        (Clipping(), "test_lines_keep_the_ranking_when_projected"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_a_wrong_space_is_caught(space, test):
    contract = SpaceContract()
    contract.spaces = [space]
    with pytest.raises(AssertionError):
        getattr(contract, test)()


def test_an_empty_contract_fails():
    with pytest.raises(AssertionError):
        SpaceContract().test_there_is_a_space_to_test()
