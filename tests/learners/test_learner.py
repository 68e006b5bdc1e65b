"""What linear learners share, with a learner that learns nothing."""

from __future__ import annotations

from typing import Self

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError, UnknownNameError
from rankmax.learners.learner import LinearLearner
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import MinMax, Normalization


class FirstFeature(LinearLearner):
    def __init__(self, sign: float = 1.0, normalization: str | Normalization = "none") -> None:
        self.sign = sign
        self.normalization = normalization

    def fit_dataset(self, data: RankingDataset) -> Self:
        weights = np.zeros(data.n_features)
        weights[0] = self.sign
        self.model_ = LinearModel(weights, data.feature_names, Normalization.named(self.normalization))
        return self


def test_parameters_are_those_of_the_constructor() -> None:
    learner = FirstFeature(sign=-1.0, normalization=MinMax())
    assert learner.get_params() == {"sign": -1.0, "normalization": MinMax()}
    assert repr(learner) == "FirstFeature(sign=-1.0, normalization=MinMax())"
    assert learner.set_params(sign=2.0).sign == 2.0
    with pytest.raises(UnknownNameError, match="unknown parameter of FirstFeature 'sing'; did you mean 'sign'"):
        learner.set_params(sing=1.0)


def test_scores_come_in_the_order_of_the_rows() -> None:
    X, qid = [[4.0], [1.0], [2.0], [3.0]], ["b", "a", "b", "a"]
    learner = FirstFeature(normalization="min-max").fit(X, [0, 0, 1, 1], qid=qid)
    assert learner.predict(X, qid=qid).tolist() == [1.0, 0.0, 0.0, 1.0]
    assert learner.coef_.tolist() == [1.0]


def test_queries_are_asked_for_only_where_needed() -> None:
    X = [[4.0], [1.0]]
    assert FirstFeature().fit(X, [0, 1], qid=[1, 1]).predict(X).tolist() == [4.0, 1.0]
    with pytest.raises(IncompatibleError, match="normalization 'min-max' within each query; give qid"):
        FirstFeature(normalization="min-max").fit(X, [0, 1], qid=[1, 1]).predict(X)


def test_unfitted_learners_say_so() -> None:
    for use in (lambda: FirstFeature().coef_, lambda: FirstFeature().predict([[1.0]])):
        with pytest.raises(IncompatibleError, match="this FirstFeature has learned nothing yet; call fit first"):
            use()
