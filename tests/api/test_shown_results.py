"""Every verb's result shows itself in a terminal and in a notebook; many are data frames and pictures as well."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any, ClassVar

import numpy as np
import pytest

import rankmax as rm
from rankmax.data import planted_linear
from rankmax.data.dataset import RankingDataset

NAMES = ("f1", "<b>f2</b>", "f3")
RUNS = {"bm25": {"q1": {"d1": 9.0, "d2": 7.0}}, "e5": {"q1": {"d2": 4.0}}}
LISTS = {
    "bm25": {f"q{i}": {"d2": 3.0, "d1": 2.0} for i in range(4)},
    "e5": {f"q{i}": {"<i>d3</i>": 2.0, "d1": 1.0} for i in range(4)},
}
QRELS = {"q1": {"d1": 0, "d2": 1}, "q2": {"d1": 1}}


@pytest.fixture(scope="module")
def data() -> RankingDataset:
    planted = planted_linear(20, 8, 3, noise=0.5, seed=2).data
    return RankingDataset(planted.features, NAMES, planted.judgments)


@pytest.fixture(scope="module")
def model(data: RankingDataset) -> Any:
    return rm.train(data, "AP", n_restarts=1)


@pytest.fixture(scope="module")
def results(data: RankingDataset, model: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    certificate = rm.prove(data, "AP", features=NAMES[:2])
    index = rm.index({"d1": "flow over a wing", "<i>d2</i>": "heat"}, tmp_path_factory.mktemp("index") / "docs.index")
    return {
        "evaluate": rm.evaluate(QRELS, RUNS, ["AP", "RR"]),
        "compare": rm.compare(QRELS, RUNS, "AP", permutations=10),
        "tune": rm.tune(data, metric="AP", repeats=1),
        "judge_next": rm.judge_next({f"q{i}": {"d1": 1, "d2": 0} for i in range(4)}, LISTS, "nDCG@2"),
        "train": model,
        "train with grades": rm.train(data, "AP", learner="expected-gain"),
        "profile": rm.profile(data, model, NAMES[1]),
        "prove": certificate,
        "verify": rm.verify(certificate, data),
        "surface": rm.surface(data, NAMES, "AP", resolution=4),
        "surface of two": rm.surface(data, NAMES[:2], "AP"),
        "distance": rm.distance(model, model),
        "rank": rm.rank(model, data),
        "export": rm.export(rm.LinearModel([0.3, 0.7], ("bm25", "e5")), "python"),
        "index": index,
        "search": rm.search(index, ["wing heat"]),
        "read_dataset": data,
        "read_qrels": rm.as_qrels(QRELS),
        "judge": rm.judge(rm.as_run(RUNS["bm25"]), rm.as_qrels(QRELS)),
    }


def test_text_is_short_and_in_words(results: dict[str, Any]) -> None:
    for verb, result in results.items():
        text = repr(result)
        assert not any(part in text for part in ("array(", "<rankmax", "object at")), verb
        assert len(text.splitlines()) < 45 or verb == "export", verb


class Balanced(HTMLParser):
    """Collects the elements of a fragment, and asserts that each is closed."""

    allowed: ClassVar[set[str]] = {"table", "caption", "thead", "tbody", "tr", "th", "td", "p", "pre"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        assert tag in self.allowed
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_notebooks_get_closed_tables_in_which_names_are_escaped(results: dict[str, Any]) -> None:
    for verb, result in results.items():
        parser = Balanced()
        parser.feed(result._repr_html_())  # a name such as <b>f2</b> would not be allowed
        assert parser.open == [], verb


def test_what_is_tabular_is_a_data_frame(results: dict[str, Any]) -> None:
    pytest.importorskip("pandas")
    shapes: dict[str, Callable[[Any], tuple[int, ...]]] = {
        "evaluate": lambda found: (4, 6),
        "compare": lambda found: (1, 17),
        "judge_next": lambda found: (4, 5),
        "train": lambda found: (3, 3),
        "train with grades": lambda found: (3, 1 + len(found.grades) - 1),
        "profile": lambda found: (found.function.values.size, 3),
        "surface": lambda found: (found.values.size, 5),
        "surface of two": lambda found: (found.function.values.size, 3),
        "rank": lambda found: (160, 3),
        "search": lambda found: (2, 3),
        "read_dataset": lambda found: (160, 2 + 3),
        "read_qrels": lambda found: (3, 3),
    }
    for verb, shape in shapes.items():
        assert results[verb].to_frame().shape == shape(results[verb]), verb


def test_a_frame_of_a_run_is_a_run(results: dict[str, Any]) -> None:
    pytest.importorskip("pandas")
    assert rm.as_run(results["rank"].to_frame()).to_dict() == results["rank"].to_dict()
    assert rm.as_qrels(results["read_qrels"].to_frame()).to_dict() == QRELS


def test_a_run_shows_the_documents_with_the_highest_scores() -> None:
    shown = repr(rm.as_run({"q1": {"low": 0.5, "high": 2.0, "middle": 1.0, "lowest": 0.1}}, tag="bm25")).splitlines()
    assert [line.split()[1:3] for line in shown if line.startswith(" q1")] == [
        ["1", "high"],
        ["2", "middle"],
        ["3", "low"],
    ]


def test_pictures(results: dict[str, Any]) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    for verb in ("evaluate", "compare", "tune", "train", "profile", "surface", "surface of two"):
        axes = results[verb].plot()
        axes.figure.canvas.draw()
        assert axes.has_data(), verb
        assert results[verb].plot(axes) is axes
        pyplot.close(axes.figure)


def test_a_profile_is_drawn_with_the_weight_of_the_model(results: dict[str, Any]) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    axes, profile = results["profile"].plot(), results["profile"]
    marked = [line for line in axes.lines if line.get_linestyle() == "--"]
    assert np.asarray(marked[0].get_xdata())[0] == profile.weight
    assert axes.get_ylabel() == "AP"
    pyplot.close(axes.figure)


def test_weights_that_are_not_shown_are_counted() -> None:
    shown = repr(rm.LinearModel(np.arange(1.0, 31.0), tuple(f"f{j}" for j in range(1, 31))))
    assert [f"f{j} " in shown for j in (30, 11, 10)] == [True, True, False]
    assert shown.endswith("10 features with smaller weights are not shown")


def test_weights_by_group() -> None:
    model = rm.VaryingModel("kind", None, ("how", "who"), [[0.2, 0.8], [0.6, 0.4]], [0.5, 0.5], ("bm25", "e5"))
    assert repr(model).splitlines()[-1].split() == ["bm25", "0.2", "0.6", "0.5"]
