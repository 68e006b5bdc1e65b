from __future__ import annotations

import numpy as np
import pytest

from rankmax.errors import InvalidParameterError
from rankmax.metrics import AP
from rankmax.studio.messages import Setting, Survey
from rankmax.studio.session import Session
from rankmax.studio.surveys import survey
from rankmax.workflows.surface.metric_surface import metric_segment, metric_surface
from rankmax.workflows.surface.surface_lines import Held

NOW = Setting({"f1": 1.0, "f2": 2.0, "f3": 1.0, "f4": 3.0})


def test_three_features_end_with_the_surface_of_the_workflow(project) -> None:
    features = ("f3", "f1", "f2")
    told = list(survey(Session(project), Survey(data="train.npz", metric="AP", current=NOW, features=features)))
    data = project.data("train.npz")
    expected = metric_surface(data, features, AP(), held=Held({"f4": 3.0}, 4.0), resolution=63)
    finest = [row["values"] for kind, row in told if kind == "row" and row["resolution"] == 63]
    np.testing.assert_allclose(np.concatenate(finest), expected.values, atol=1e-6)
    kind, optimum = told[-1]
    assert kind == "optimum"
    assert told[0] == ("begin", {"total": 4.0, "resolutions": (7, 21, 63)})
    assert optimum["value"] == pytest.approx(expected.optimum.value, abs=1e-12)
    assert optimum["share"] == expected.plateau_share


def test_two_features_are_a_function(project) -> None:
    asked = Survey(data="train.npz", metric="AP", current=Setting(), features=("f1", "f2"))
    told = dict(survey(Session(project), asked))
    expected = metric_segment(project.data("train.npz"), ("f1", "f2"), AP())
    assert told["optimum"]["weights"] == expected.optimum.weights.tolist()
    assert told["optimum"]["share"] == expected.plateau_share
    assert told["function"]["n_steps"] == expected.function.breakpoints.size


def test_a_feature_twice_is_refused(project) -> None:
    with pytest.raises(InvalidParameterError, match="may be given once"):
        list(survey(Session(project), Survey(data="train.npz", current=Setting(), features=("f1", "f1"))))
