"""The metric over all weights has the pick and the current weights where they belong."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from oracles.tuning_pages import Tuned, page_of, planted, tuned
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.workflows.tuning.tuning_summary import summarize


def test_every_share_of_the_plateau_is_the_summarys(tmp_path: Path, results: Tuned) -> None:
    share = summarize(*results)["plateau_share"]
    page = page_of(*results, tmp_path)
    shares = re.findall(r"(\d+)% of all weights", page)
    assert set(shares) == (set() if share is None else {f"{100 * share:.0f}"})
    assert ("<iframe" in page) == (len(results[0].signals.names) == 3)
    if "<iframe" in page:
        assert f'"plateauShare":{json.dumps(share)},' in unescape(page)


def test_the_pick_and_the_current_weights_are_marked(tmp_path: Path, results: Tuned) -> None:
    tuning, _ = results
    page = page_of(*results, tmp_path)
    start = page.index("The metric over all weights")
    picture = page[start : page.index("</section>", start)]
    pick = tuning.pick.fusion.weights
    names = len(tuning.signals.names)
    if names == 3:
        content = json.loads(re.search(r'"application/json">(.*?)</script>', unescape(picture), re.DOTALL)[1])
        marks = {mark["label"]: mark for mark in content["marks"]}
        if tuning.pick.fusion.normalization == tuning.learned.normalization:
            assert marks["pick"]["weights"] == pytest.approx((pick / pick.sum()).tolist())
    elif names <= 6:
        charts = 1 if names == 2 else names * (names - 1) // 2
        assert picture.count("<svg") == charts
        assert picture.count('class="mark current"') >= charts
    else:
        assert "<svg" not in picture


def test_given_weights_of_the_same_scores_are_on_the_triangle(tmp_path: Path) -> None:
    data = planted(3)
    tuning, confidence = tuned(data, normalizations=[Unchanged()], current="none:f1=1,f2=2,f3=1")
    page = unescape(page_of(tuning, confidence, tmp_path))
    content = json.loads(re.search(r'"application/json">(.*?)</script>', page, re.DOTALL)[1])
    (current,) = [mark for mark in content["marks"] if mark["label"] == "current"]
    assert current["weights"] == pytest.approx([0.25, 0.5, 0.25])
    assert current["value"] == pytest.approx(tuning.current_row.mean)
