"""The page shows the summary's numbers, loads nothing, can be read, and shows hostile names as text."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.tuning_pages import Reader, Tuned, page_of, tuned
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.workflows.tuning.tuning_summary import summarize


def test_the_page_loads_nothing_and_has_its_sections_in_order(tmp_path: Path, results: Tuned) -> None:
    page = page_of(*results, tmp_path)
    for loading in (r"<(script|img|iframe|link)[^>]*(src|href)=(?![\"']?data:)", r"@import", r"url\(", r"fetch\("):
        assert not re.search(loading, page), loading
    assert "{{" not in page
    titles = [unescape(title) for title in re.findall(r"<h2>(.*?)(?: <span|</h2>)", page)]
    assert titles == [
        "All fusion methods, compared with the current one",
        "Winners and losers",
        "The weights and their confidence",
        "The metric over all weights",
        "To paste",
        "Provenance",
    ]


def test_the_numbers_are_those_of_the_summary(tmp_path: Path, results: Tuned) -> None:
    summary = summarize(*results)
    page = page_of(*results, tmp_path)
    seen = Reader(page)
    verdict = summary["verdict"]
    assert verdict["text"].removeprefix(f"{verdict['word'].capitalize()}: ") in seen.text
    assert f"{verdict['expected']:+.4f}expected gain" in seen.text
    assert f"{verdict['expected_loss']:.4f}expected loss" in seen.text
    assert f"{verdict['observed']:+.4f}gain on held-out queries" in seen.text
    for row in summary["rows"][2:]:
        low, high = row["gain_interval"]
        shown = [row["name"], f"{row['mean']:.4f}", f"{row['gain']:+.4f}{row['marker']}", f"{low:+.3f} to {high:+.3f}"]
        assert [*shown, "{:.3f} to {:.3f}".format(*row["interval"])] in seen.rows
    pick, current = summary["rows"][:2]
    assert [f"{summary['pick']['label']} pick", f"{pick['mean']:.4f}"] in [row[:2] for row in seen.rows]
    assert [f"{current['name']} current", f"{current['mean']:.4f}", "", ""] in [row[:4] for row in seen.rows]
    learned, ranges = summary["learned"], summary["plateau_ranges"]
    for name, weight in learned["weights"].items():
        shown = [name, f"{weight:.3f}", f"{learned['rounded_weights'][name]:g}"]
        shown.append("{:.2f} to {:.2f}".format(*learned["intervals"][name]))
        shown += ["{:.2f} to {:.2f}".format(*ranges[name])] if ranges else []
        assert shown in [row[: len(shown)] for row in seen.rows]
        assert f"{summary['current']['weights'][name]:.3f}" in next(row for row in seen.rows if row[:4] == shown[:4])
    assert f"reach {summary['best']['value']:.4f}" in seen.text


FRAGMENTS = [
    "<script>alert(1)</script>",
    "</script>",
    '"',
    "'",
    "&",
    "&lt;",
    "<b>",
    "-->",
    "</title>",
    "</pre>",
    '" onload=x',
    "a",
]
NAMES = st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=3).map("".join)
KNOWN = {
    *("html", "head", "meta", "title", "link", "style", "body", "script", "section", "h1", "h2", "h3", "h4", "p", "b"),
    *("span", "i", "dl", "dt", "dd", "div", "table", "thead", "tbody", "tr", "th", "td", "svg", "g", "text", "line"),
    *("rect", "circle", "polyline", "code", "pre", "button", "iframe", "figure", "figcaption"),
}


@settings(max_examples=12, deadline=None)
@given(names=st.lists(NAMES, min_size=9, max_size=9, unique=True), n_systems=st.sampled_from([2, 3, 4]))
def test_hostile_names_are_text(tmp_path_factory: pytest.TempPathFactory, names: list[str], n_systems: int) -> None:
    plain = planted_linear(5, 6, n_systems, noise=1.0, seed=3).data
    systems, queries = names[:n_systems], names[4:]
    documents = [names[i % 9] + str(i) for i in range(plain.n_documents)]
    qid = np.repeat(queries, np.diff(plain.query_offsets))
    data = RankingDataset.from_arrays(
        plain.features, plain.grades, qid=qid, feature_names=systems, document_ids=documents
    )
    tuning, confidence = tuned(data, normalizations=[Unchanged()], current=systems[0])
    page = page_of(tuning, confidence, tmp_path_factory.mktemp("page"), command=names[0], files=[names[1]])
    seen = Reader(page)
    assert set(seen.tags) <= KNOWN
    assert seen.tags.count("script") == 1
    assert not [name for name, _ in seen.attributes if name.startswith("on")]
    assert all(name in seen.text for name in systems)
    titles = [unescape(title) for title in re.findall(r"<title>(.*?)</title>", page.split("<iframe")[0], re.DOTALL)]
    assert all(any(title.startswith(f"{query}: ") for title in titles) for query in queries)
    inner = dict(seen.attributes).get("srcdoc")
    if inner is not None:
        assert Reader(inner).tags.count("script") == 2
        assert json.loads(re.search(r'"application/json">(.*?)</script>', inner, re.DOTALL)[1])["features"] == systems
