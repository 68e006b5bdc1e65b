from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.formats.npz import write_npz
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.metrics import AP, parse_metric
from rankmax.models import LinearModel
from rankmax.studio.server import StudioServer
from rankmax.workflows.projects.project import Project
from rankmax.workflows.projects.suggestions import suggest
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
    profile = profile_weight(model(), data, "f3", AP())
    page.click("[data-feature=f3] button")  # the middle of what is within one standard error of the best
    page.wait_for_selector("#follow h2:has-text('f3')")
    page.wait_for_selector("#follow:not([aria-busy])")
    middle = profile.within.middle
    jumped = middle if float(profile.function(middle)) > profile.value or not inside(profile) else profile.weight
    page.until(lambda: page.weights["f3"] == pytest.approx(jumped))
    page.settle(mean)
    page.click("#follow >> text=Go to the exact maximum")
    page.settle(lambda: profile.best.value)

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


def inside(profile) -> bool:
    return profile.within.low <= profile.weight <= profile.within.high


def test_moves_are_undone_and_done_again(server, open_page) -> None:
    page = open_page(server, "#metric=AP&w=f1=1,f2=1,f3=1,f4=1")
    box = page.locator("[data-feature=f2] input[type=range]").bounding_box()
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.down()
    for share in (0.4, 0.1):  # a drag is one entry, however slow
        page.mouse.move(box["x"] + share * box["width"], box["y"] + 0.5 * box["height"], steps=4)
        page.wait_for_timeout(900)
    page.mouse.up()
    page.wait_for_address()
    moved = page.weights["f2"]
    page.fill("[data-feature=f1] input[type=number]", "2.5")
    page.keyboard.press("Enter")
    page.focus("#page")
    page.keyboard.press("Control+z")
    page.until(lambda: page.weights["f1"] == 1)
    assert page.weights["f2"] == moved
    page.click("text=Undo")
    page.until(lambda: page.weights["f2"] == 1)
    assert page.locator("button:text-is('Undo')").is_disabled()
    page.click("summary:text-is('History')")
    page.until(lambda: page.locator(".history li").count() == 3)
    page.click(".history li >> nth=2 >> button")
    page.until(lambda: page.weights.get("f1") == 2.5 and page.weights["f2"] == moved)


def test_one_slider_moves_no_other(server, open_page) -> None:
    page = open_page(server, "#metric=AP&w=f1=1,f2=1,f3=-1,f4=0")
    ends = page.inner_text(".slider.ends")
    boxes = page.locator("[data-feature=f3] input[type=range]")
    before = boxes.evaluate("slider => [slider.min, slider.max, slider.value]")
    page.drag("[data-feature=f2] input[type=range]", (0.75, 0.5), (0.99, 0.5))
    assert boxes.evaluate("slider => [slider.min, slider.max, slider.value]") == before
    assert page.inner_text(".slider.ends") == ends
    page.focus("[data-feature=f4] input[type=range]")
    page.keyboard.press("ArrowRight")
    page.until(lambda: page.weights.get("f4") == pytest.approx(0.02))
    page.keyboard.press("PageUp")
    page.until(lambda: page.weights.get("f4") == pytest.approx(0.22))
    page.keyboard.press("0")
    page.until(lambda: "f4" not in page.weights)


def test_all_weights_0_says_that_ties_decide(server, open_page) -> None:
    page = open_page(server)
    page.click("button:text-is('All 0')")
    page.wait_for_selector("#tied:has-text('all documents tie')")


def test_the_first_screen_says_what_to_do_and_does_it(server, project: Project, open_page) -> None:
    page = open_page(server, "")
    data = project.data("train.npz")
    best = suggest(data, parse_metric("nDCG@10")).features[0]
    assert page.input_value("#reference") == f"feature:{best}"
    page.wait_for_selector(f"#follow h2:has-text('{best}')")
    assert page.inner_text("#role").lower() == "training"
    page.click("#find")
    page.wait_for_selector(".start .result")
    assert page.inner_text(".start .verdict p").startswith("Held-out nDCG@10")
    page.click(".start .use")
    ranker = LinearRanker("nDCG@10").fit_dataset(data)
    page.settle(lambda: ranker.value_)
    page.click(".start .discard")
    page.wait_for_selector(".start .run", state="detached")


def test_ranges_that_differ_get_a_normalization(tmp_path, open_page) -> None:
    data = planted_linear(30, 12, 4, noise=0.4, seed=2).data
    ids = np.repeat(data.query_ids, data.judgments.documents_by_query)
    worst = suggest(data, AP()).features[-1]
    factors = [1000.0 if name == worst else 1.0 for name in data.feature_names]
    write_npz(RankingDataset.from_arrays(data.features * factors, data.grades, qid=ids), tmp_path / "train.npz")
    with StudioServer(Project.at(tmp_path), port=0).in_background() as studio:
        page = open_page(studio, "#metric=AP")
        chosen = page.input_value("#normalize")
        assert chosen in ("min-max", "z-score")
        assert f"so {chosen} is suggested" in page.inner_text("#suggestion")
        page.click("text=Use raw scores")
        page.until(lambda: page.input_value("#normalize") == "none")


def test_held_out_queries_are_looked_at_and_not_chosen_by(server, project: Project, open_page) -> None:
    page = open_page(server, "#metric=AP&w=f1=1,f2=1")
    page.wait_for_selector("#follow svg")
    page.click(".roles >> text=Held out")
    page.wait_for_selector("#role.test")
    test = project.data("test.npz")
    page.settle(lambda: float(evaluate_scores(test.scores([1, 1, 0, 0]), test, ["AP"]).means[0]))
    page.wait_for_selector("#follow:has-text('not chosen by these queries')")
    page.focus("[data-feature=f1] input[type=range]")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("dialog:has-text('Choose weights by test.npz?')")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert page.weights == {"f1": 1, "f2": 1}
    page.click("#follow >> text=Choose weights by them")
    page.click("dialog .yes")
    page.wait_for_selector("#follow svg")


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
