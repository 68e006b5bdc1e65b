from __future__ import annotations

import numpy as np
import pytest

from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.metrics import AP
from rankmax.preprocessing.feature_normalization import MinMax
from rankmax.workflows.projects.project import Project
from rankmax.workflows.surface.metric_surface import metric_segment, metric_surface
from rankmax.workflows.surface.surface_lines import Held


def test_the_surface_can_be_dragged(server, project: Project, open_page) -> None:
    page = open_page(server, "#metric=AP&normalize=min-max&features=f1,f2,f3&w=f1=1,f2=1,f3=1&page=surface")
    data = project.data("train.npz")
    expected = metric_surface(data, ["f1", "f2", "f3"], AP(), normalization="min-max", resolution=63)
    page.wait_for_selector("#optimum")
    assert float(page.get_attribute("#optimum", "data-value")) == pytest.approx(expected.optimum.value, abs=1e-9)

    def mean() -> float:
        scores = MinMax().apply(data).scores([page.weights.get(name, 0.0) for name in data.feature_names])
        return float(evaluate_scores(scores, data, ["AP"]).means[0])

    page.drag(".simplex", (0.5, 0.5), (0.62, 0.6))
    dragged = page.weights
    assert dragged["f3"] > dragged["f2"]
    assert sum(dragged.values()) == pytest.approx(3)
    page.settle(mean)
    page.focus(".simplex")
    page.keyboard.press("ArrowUp")
    page.until(lambda: page.weights["f1"] > dragged["f1"])
    page.keyboard.press("Home")
    page.settle(lambda: expected.optimum.value)
    assert page.locator("progress").is_hidden(), "moving the point computes nothing again"
    files = page.saved("#facts")
    assert files["SVG"].count(b"<path") > 63**2
    table = np.loadtxt(files["CSV"].decode().splitlines(), delimiter=",", skiprows=1)
    np.testing.assert_allclose(table, np.column_stack([expected.points, expected.values]), atol=1e-6)


def test_two_features_are_a_function_of_one_share(server, project: Project, open_page) -> None:
    page = open_page(server, "#metric=AP&features=f1,f2&w=f1=1,f2=1,f3=3&page=surface")
    data = project.data("train.npz")
    expected = metric_segment(data, ["f1", "f2"], AP(), held=Held({"f3": 3.0}, total=2.0))
    page.wait_for_selector("#optimum")
    table = np.loadtxt(page.saved("#facts")["CSV"].decode().splitlines(), delimiter=",", skiprows=1)
    np.testing.assert_allclose(table[:, 2], expected.function(table[:, :2].mean(axis=1)), atol=1e-12)
    page.focus(".picture svg")
    page.keyboard.press("Home")
    page.settle(lambda: expected.optimum.value)
    page.wait_for_address()
    assert [page.weights[name] for name in ("f1", "f2")] == pytest.approx(2 * expected.optimum.weights)
    page.select_option("#feature1", "f1")
    page.wait_for_selector("#facts:has-text('Choose different features')")
