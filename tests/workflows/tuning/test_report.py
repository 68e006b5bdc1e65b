"""The page shows the summary's numbers, marks what they are of, loads nothing, and shows hostile names as text."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankmax._version import __version__
from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Unchanged
from rankmax.data.synthetic import planted_linear
from rankmax.export.named import export_model
from rankmax.fusion.constraint import Constraint
from rankmax.fusion.signals import signals_of_features
from rankmax.fusion.varying import QueryColumn
from rankmax.metrics import AP, P
from rankmax.workflows.tuning.confidence import WeightConfidence, weight_confidence
from rankmax.workflows.tuning.report import write_report
from rankmax.workflows.tuning.result import SystemTuning
from rankmax.workflows.tuning.summary import summarise
from rankmax.workflows.tuning.systems import tune_systems

Tuned = tuple[SystemTuning, WeightConfidence]


def tuned(data: RankingDataset, **options) -> Tuned:
    tuning = tune_systems(signals_of_features(data), [AP()], n_repeats=1, n_folds=2, **options)
    return tuning, weight_confidence(tuning.search, tuning.learned_fusion.weights)


def planted(n_systems: int, n_queries: int = 12) -> RankingDataset:
    return planted_linear(n_queries, 6, n_systems, noise=1.0, seed=3).data


def page_of(tuning: SystemTuning, confidence: WeightConfidence, folder: Path, **options) -> str:
    write_report(tuning, confidence, folder / "tuning.html", **options)
    return (folder / "tuning.html").read_text("utf-8")


class Reader(HTMLParser):
    """What a browser makes of a page: its elements, attributes, rows of tables, and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.rows: list[list[str]] = []
        self.text = ""
        self._cell = self._silent = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._cell = True
        self._silent = tag in ("style", "script")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._cell = False

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        self.text += data
        if self._cell:
            self.rows[-1][-1] += data


@pytest.fixture(scope="module", params=[2, 3, 4, 7])
def results(request: pytest.FixtureRequest) -> Tuned:
    return tuned(planted(request.param), normalisations=[Unchanged()], current="f1=0.5,f2=0.5")


def test_the_page_loads_nothing_and_has_its_sections_in_order(tmp_path: Path, results: Tuned) -> None:
    page = page_of(*results, tmp_path)
    for loading in (r"<(script|img|iframe|link)[^>]*(src|href)=(?![\"']?data:)", r"@import", r"url\(", r"fetch\("):
        assert not re.search(loading, page), loading
    assert "{{" not in page
    titles = [unescape(title) for title in re.findall(r"<h2>(.*?)(?: <span|</h2>)", page)]
    assert titles == [
        "Every way to fuse, beside the current one",
        "Winners and losers",
        "The weights, and how sure they are",
        "The metric over all weights",
        "To paste",
        "Provenance",
    ]


def test_the_numbers_are_those_of_the_summary(tmp_path: Path, results: Tuned) -> None:
    summary = summarise(*results)
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


def test_every_share_of_the_plateau_is_the_summarys(tmp_path: Path, results: Tuned) -> None:
    share = summarise(*results)["plateau_share"]
    page = page_of(*results, tmp_path)
    shares = re.findall(r"(\d+)% of all weights", page)
    assert set(shares) == (set() if share is None else {f"{100 * share:.0f}"})
    assert ("<iframe" in page) == (len(results[0].signals.names) == 3)
    if "<iframe" in page:
        assert f'"plateauShare":{json.dumps(share)},' in unescape(page)


def test_queries_are_counted_and_sorted(tmp_path: Path, results: Tuned) -> None:
    tuning, _ = results
    seen = Reader(page_of(*results, tmp_path))
    picked, current = tuning.pick.values[0], tuning.current_row.values[0]
    by_query = sorted(zip((picked - current).tolist(), tuning.signals.data.query_ids, strict=True), reverse=True)
    better, worse = sum(gain > 1e-9 for gain, _ in by_query), sum(gain < -1e-9 for gain, _ in by_query)
    counts = re.search(r"in AP: (\d+) quer\w+ better, (\d+) worse, (\d+) the same; (\S+) on average", seen.text)
    assert counts is not None
    assert [int(n) for n in counts.groups()[:3]] == [better, worse, len(by_query) - better - worse]
    assert counts[4] == f"{summarise(*results)['rows'][0]['gain']:+.4f}"
    order = {query: i for i, query in enumerate(tuning.signals.data.query_ids)}
    largest = [row for row in seen.rows if len(row) == 4 and row[0] in order and row[3].startswith(("+", "-"))]
    assert len(largest) == min(better, 5) + min(worse, 5)
    for query, now, then, gain in largest:
        q = order[query]
        expected = (f"{current[q]:.4f}", f"{picked[q]:.4f}", f"{picked[q] - current[q]:+.4f}")
        assert (now, then, gain) == expected
    assert [float(row[3]) for row in largest[:better][:5]] == pytest.approx(
        [gain for gain, _ in by_query[: min(better, 5)]], abs=1e-4
    )


def test_rankings_are_by_the_score_of_each_fusion(tmp_path: Path) -> None:
    data = planted_linear(12, 15, 3, noise=1.0, seed=3).data
    ids = [f"d{i}" for i in range(data.n_documents)]
    qid = np.repeat(data.query_ids, np.diff(data.query_offsets))
    named = RankingDataset.from_arrays(data.features, data.grades, qid=qid, document_ids=ids)
    tuning, confidence = tuned(named, normalisations=[Unchanged()], current="f1")
    seen = Reader(page_of(tuning, confidence, tmp_path))
    gains = tuning.pick.values[0] - tuning.current_row.values[0]
    starts = [i for i, row in enumerate(seen.rows) if row[:2] == ["document", "grade"]]
    shown = [seen.rows[start + 1 : start + 11] for start in starts]
    features, offsets = np.asarray(named.features), named.query_offsets
    expected, others = [], []
    for q in (int(gains.argmax()), int(gains.argmin())):
        documents = range(offsets[q], offsets[q + 1])
        by_current = sorted(documents, key=lambda i: -features[i, 0])
        by_pick = sorted(documents, key=lambda i: -(features[i] @ tuning.pick.fusion.weights))
        expected += [by_current, by_pick]
        others += [by_pick, by_current]
    assert len(shown) == 4
    for rows, order, other in zip(shown, expected, others, strict=True):
        for rank, (row, document) in enumerate(zip(rows, order, strict=False), start=1):
            assert row == [f"{rank} d{document}", f"{named.grades[document]:g}", f"{other.index(document) + 1}"]


def test_there_are_no_two_rankings_where_the_current_fusion_is_picked(tmp_path: Path, results: Tuned) -> None:
    tuning, confidence = results
    same = replace(tuning, verdict=replace(tuning.verdict, pick=tuning.verdict.current))
    page = page_of(same, confidence, tmp_path)
    assert "Largest gain: query" not in page
    assert "itself, so there are no two rankings" in page
    assert 'class="odds"' not in page
    assert "Keep the current one" in page


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
        if tuning.pick.fusion.normalisation == tuning.learned.normalisation:
            assert marks["pick"]["weights"] == pytest.approx((pick / pick.sum()).tolist())
    elif names <= 6:
        charts = 1 if names == 2 else names * (names - 1) // 2
        assert picture.count("<svg") == charts
        assert picture.count('class="mark current"') >= charts
    else:
        assert "<svg" not in picture


def test_given_weights_of_the_same_scores_are_on_the_triangle(tmp_path: Path) -> None:
    data = planted(3)
    tuning, confidence = tuned(data, normalisations=[Unchanged()], current="none:f1=1,f2=2,f3=1")
    page = unescape(page_of(tuning, confidence, tmp_path))
    content = json.loads(re.search(r'"application/json">(.*?)</script>', page, re.DOTALL)[1])
    (current,) = [mark for mark in content["marks"] if mark["label"] == "current"]
    assert current["weights"] == pytest.approx([0.25, 0.5, 0.25])
    assert current["value"] == pytest.approx(tuning.current_row.mean)


def test_constraints_and_groups_have_their_sections(tmp_path: Path) -> None:
    options = {"constraint": Constraint(P(cutoff=1), 0.4), "by": QueryColumn.of("<kind>", ["a", "b"] * 6)}
    tuning, confidence = tuned(planted(2), **options)
    page, summary = page_of(tuning, confidence, tmp_path), summarise(tuning, confidence)
    assert "<h2>AP against P@1 <span" in page
    assert "The weights were to keep P@1&gt;=0.4" in page
    assert f"{summary['constraint']['held_out']:.4f} held out" in page
    assert "<h2>Weights by &lt;kind&gt; <span" in page
    seen = Reader(page)
    for point in summary["trade_off"]:
        assert [f"{value:.4f}" for value in point["values"]] in [row[:2] for row in seen.rows]
    varying = summary["varying"]
    assert ["by <kind>", f"{varying['means']['AP']:.4f}"] in [row[:2] for row in seen.rows]
    for name in tuning.signals.names:
        shown = [name, *(f"{weights[name]:.3f}" for weights in varying["weights"].values())]
        assert shown in seen.rows


def test_what_is_recommended_can_be_pasted(tmp_path: Path, results: Tuned) -> None:
    tuning, confidence = results
    exported = export_model(tuning.model(), "python").text
    assert f'<pre id="export">{escape(exported)}</pre>' in page_of(tuning, confidence, tmp_path)
    exported = export_model(tuning.model(), "sql").text
    assert f'<pre id="export">{escape(exported)}</pre>' in page_of(tuning, confidence, tmp_path, target="sql")


def test_a_target_that_refuses_gives_way_to_python(tmp_path: Path) -> None:
    tuning, confidence = tuned(planted(2), current="reciprocal-rank:f1=0.5,f2=0.5")
    kept = replace(tuning, verdict=replace(tuning.verdict, pick=tuning.verdict.current))
    page = page_of(kept, confidence, tmp_path, target="solr")
    assert "Not as was asked for: " in page
    assert escape(export_model(kept.model(), "python").text) in page


def test_provenance_names_files_with_their_hashes(tmp_path: Path, results: Tuned) -> None:
    run = tmp_path / "a&b.run"
    run.write_bytes(b"q Q0 d 1 1.0 x\n")
    command = "rankmax tune 'a&b.run' --current '<x>'"
    page = page_of(*results, tmp_path, command=command, files=[f"e5={run}", str(run), tmp_path / "gone.run"])
    seen = Reader(page)
    digest = hashlib.sha256(run.read_bytes()).hexdigest()[:12]
    assert [f"e5 = {run}", "15", digest] in seen.rows
    assert [str(run), "15", digest] in seen.rows
    assert [str(tmp_path / "gone.run"), "-", "-"] in seen.rows
    assert command in seen.text
    assert f"rankmax{__version__}" in seen.text
    assert data_hash(results[0].signals.data) in seen.text


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
    tuning, confidence = tuned(data, normalisations=[Unchanged()], current=systems[0])
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


def luminance(color: str) -> float:
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_colors_can_be_read_in_light_and_dark(tmp_path: Path, results: Tuned) -> None:
    page = page_of(*results, tmp_path).split("</style>")[0]
    light, dark = (
        dict(re.findall(r"--(\w+): (#\w{6})", block)) for block in re.findall(r":root \{(.*?)\}", page, re.DOTALL)
    )
    for colors in (light, dark):
        for ink in ("ink", "soft"):
            assert all(contrast(colors[ink], colors[ground]) >= 4.5 for ground in ("paper", "panel"))
        assert contrast(colors["ink"], colors["shade"]) >= 4.5
        assert all(contrast(colors[drawn], colors["paper"]) >= 3 for drawn in ("pick", "current", "other"))
    pills = re.findall(r"--kind: (#\w{6})", page)
    assert len(pills) == 4
    assert all(contrast(pill, "#ffffff") >= 4.5 for pill in pills)
