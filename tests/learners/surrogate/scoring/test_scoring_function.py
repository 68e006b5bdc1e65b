"""A scoring function of one's own: gradients, a model, and what that cannot do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.learners.surrogate.scoring.scoring_function import FunctionModel, ScoringFunction
from rankmax.learners.surrogate.surrogate_ranker import SurrogateRanker
from rankmax.testing.learners import LearnerContract


@dataclass(frozen=True, kw_only=True)
class Softplus(ScoringFunction):
    """A sum of two soft hinges."""

    def n_outputs(self):
        return 2

    def combine(self, outputs):
        return np.logaddexp(0, outputs).sum(axis=0), 1 / (1 + np.exp(-outputs))

    def start(self, linear):
        return np.array([linear, 0.5 * linear])


class Rememberer(SurrogateRanker):
    """Hides its model, which has no file, from the tests of model files."""

    def __init__(self, normalization="none"):
        super().__init__("cross-entropy", Softplus(), normalization=normalization)

    @property
    def model_(self):
        raise AttributeError("no file format")

    @model_.setter
    def model_(self, model):
        self.kept = model

    def _fitted_model(self):
        if not hasattr(self, "kept"):
            return super()._fitted_model()
        return self.kept


class TestContractOfOnesOwn(LearnerContract):
    learners = (Rememberer(), Rememberer("min-max"))
    agreement = 0.85
    closeness = 1e-3


def test_its_model_scores_but_has_no_file():
    data = planted_linear(15, 10, 3, seed=2).data
    ranker = SurrogateRanker("cosine", Softplus()).fit_dataset(data)
    assert isinstance(ranker.model_, FunctionModel)
    np.testing.assert_array_equal(ranker.model_.scores(data), ranker.predict(data.features))
    assert ranker.coef_.shape == (2, 3)
    with pytest.raises(IncompatibleError, match="a model of Softplus has no file format"):
        ranker.model_.to_json()


def test_intercept_is_true_or_false():
    with pytest.raises(InvalidParameterError, match="Softplus: intercept=1 must be True or False"):
        Softplus(intercept=1)
