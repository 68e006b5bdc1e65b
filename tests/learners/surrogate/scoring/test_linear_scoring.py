from __future__ import annotations

import numpy as np

from rankmax.learners.surrogate.scoring.linear_scoring import LinearScore
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import Unchanged


def test_the_model_keeps_the_weights_and_forgets_the_intercept():
    model = LinearScore().model(np.array([[1.0, 2.0]]), np.array([5.0]), ("a", "b"), Unchanged(), "AP")
    assert isinstance(model, LinearModel)
    assert (model.weights.tolist(), model.metric) == ([1.0, 2.0], "AP")
