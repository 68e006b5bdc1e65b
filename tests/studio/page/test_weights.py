from __future__ import annotations

import numpy as np
import pytest

from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.metrics import AP
from rankmax.models import LinearModel
from rankmax.workflows.projects.project import Project
from rankmax.workflows.weight_profile import profile_weight


def test_moving_a_weight_changes_the_metric(server, project: Project, open_page) -> None:
    page = open_page(server)
    data = project.data("train.npz")

    def model() -> LinearModel:
        return LinearModel([page.weights.get(name, 0.0) for name in data.feature_names], data.feature_names)

    def mean() -> float:
        return float(evaluate_scores(model().scores(data), data, ["AP"]).means[0])

    before = mean()
    page.drag("[data-feature=f2] input[type=range]", (0.75, 0.5), (0.1, 0.5))
    page.settle(mean)
    assert page.weights["f2"] < 0
    assert mean() != before
    page.fill("[data-feature=f1] input[type=number]", "2.5")
    page.keyboard.press("Enter")
    page.until(lambda: page.weights["f1"] == 2.5)
    page.settle(mean)
    by_hand = mean()
    page.click("[data-feature=f3] button")  # best along this weight
    page.wait_for_selector("#follow svg")
    page.wait_for_address()
    page.settle(mean)
    assert mean() >= by_hand

    page.drag("#follow svg .target >> nth=0", (0.5, 0.5), (0.3, 0.9))
    page.settle(mean)
    dragged = page.weights["f3"]
    page.focus("#follow svg")
    page.keyboard.press("ArrowRight")
    page.until(lambda: page.weights["f3"] > dragged)
    page.fill("[data-feature=f1] input[type=number]", "-1")  # another weight: the function is another one
    page.keyboard.press("Enter")
    page.until(lambda: page.weights["f1"] == -1)
    page.wait_for_selector("#follow:not([aria-busy])")
    table = np.loadtxt(page.saved("#follow")["CSV"].decode().splitlines(), delimiter=",", skiprows=1)
    function = profile_weight(model(), data, "f3", AP()).function
    np.testing.assert_allclose(table[:, 2], function(table[:, :2].mean(axis=1)), atol=1e-12)


DRAG = """async slider => {
  for (let i = 0; i < 300; i++) {
    slider.value = 1.9 * Math.sin(i);
    slider.dispatchEvent(new Event("input"));
    await new Promise(resolve => setTimeout(resolve, 4));
  }
  slider.dispatchEvent(new Event("change"));
  return slider.value;
}"""


def test_a_long_drag_ends_in_the_address(server, open_page) -> None:
    """Browsers take about twenty addresses a second; a mouse moves more often."""
    page = open_page(server)
    last = page.locator("[data-feature=f2] input[type=range]").evaluate(DRAG)
    page.wait_for_address()
    assert page.weights["f2"] == pytest.approx(float(last), rel=1e-9)
