import subprocess
import sys

import numpy as np
import pytest

from rankmax.errors import DataFormatError, InvalidDataError, InvalidParameterError, MissingDependencyError
from rankmax.evaluation import comparison_plots as plots
from rankmax.evaluation.bootstrap import bootstrap_interval
from rankmax.evaluation.comparison_plots import difference_plot

pytest.importorskip("matplotlib")

MINUS = "\N{MINUS SIGN}"


def two_systems(n_queries):
    rng = np.random.default_rng(n_queries)
    b = rng.beta(2, 2, n_queries)
    return np.clip(b + rng.normal(0.05, 0.1, n_queries), 0, 1), b


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """Draw as users do, and keep the figure to look at."""
    figures = []
    draw = plots._draw
    monkeypatch.setattr(plots, "_draw", lambda figure, *rest: (figures.append(figure), draw(figure, *rest)))

    def difference_figure(a, b, names=("A", "B"), metric="AP", **options):
        difference_plot(a, b, names, metric, tmp_path / "plot.png", **options)
        return figures[-1]

    return difference_figure


def legend_texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def tick_labels(figure):
    return [label.get_text() for label in figure.axes[0].get_xticklabels()]


def bar_heights(figure):
    wins, losses = (stairs.get_data().values[::2] for stairs in figure.axes[0].patches[:2])
    return wins + losses


def test_bars_are_the_sorted_differences_with_their_queries(drawn):
    figure = drawn([0.5, 0.25, np.nan, 1.0], [0.75, 0.25, 0.5, 0.25], query_ids=["q1", "q2", "q3", "q4"])
    np.testing.assert_array_equal(bar_heights(figure), [0.75, 0.0, -0.25])
    assert tick_labels(figure) == ["q4", "q2", "q1"]


def test_legend_counts_and_gives_mean_and_interval(drawn):
    a, b = two_systems(30)
    b[:4] = a[:4]
    figure = drawn(a, b, names=("dense", "bm25"), metric="nDCG@10", confidence=0.9, seed=5)
    low, high = bootstrap_interval(a - b, confidence=0.9, seed=5)
    wins, losses, ties, mean = legend_texts(figure)
    assert wins == f"dense better: {(a > b).sum()}"
    assert losses == f"bm25 better: {(a < b).sum()}"
    assert ties == "equal: 4"
    expected = f"mean {np.mean(a - b):+.4f}, 90% interval {low:+.4f} to {high:+.4f}"
    assert mean == expected.replace("-", MINUS)
    assert figure.axes[0].get_ylabel() == f"nDCG@10: dense {MINUS} bm25"


def test_wins_and_losses_differ_without_color(drawn):
    wins, losses = drawn(*two_systems(20)).axes[0].patches[:2]
    assert wins.get_hatch() != losses.get_hatch()


def test_only_the_extremes_are_named_among_many(drawn):
    a, b = two_systems(300)
    ids = [f"q{i}" for i in range(300)]
    left, right = tick_labels(drawn(a, b, query_ids=ids))
    order = np.argsort(b - a)
    assert [line.split()[0] for line in left.splitlines()] == [ids[i] for i in order[:5]]
    assert [line.split()[0] for line in right.splitlines()] == [ids[i] for i in order[-5:]]


def test_long_names_are_cut_and_dollars_are_no_mathematics(drawn):
    figure = drawn([0.5, 0.2], [0.1, 0.3], names=("$x^2$", "B"), query_ids=["topic-" + "9" * 40, r"a$\bad$"])
    assert legend_texts(figure)[0] == r"\$x^2\$ better: 1"
    assert tick_labels(figure)[0] == "topic-99999999999…"


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".SVG", b"<?xml")])
def test_suffix_decides_the_format_and_bytes_repeat(tmp_path, suffix, start):
    first, second = tmp_path / f"1{suffix}", tmp_path / f"2{suffix}"
    for path in (first, second):
        difference_plot(*two_systems(50), ("A", "B"), "AP", path)
    assert first.read_bytes().startswith(start)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("n_queries", [1, 61, 5_000])
def test_any_number_of_queries_makes_a_small_file(tmp_path, n_queries):
    path = tmp_path / "plot.svg"
    difference_plot(*two_systems(n_queries), ("A", "B"), "AP", path)
    assert path.stat().st_size < 1_000_000


def test_identical_systems_can_be_drawn(drawn):
    assert legend_texts(drawn([0.5, 0.2], [0.5, 0.2]))[2] == "equal: 2"


def test_leaves_matplotlib_as_it_was(tmp_path):
    code = """
import sys, matplotlib
def settings():  # looking at the backend would choose one
    return {name: matplotlib.rcParams[name] for name in matplotlib.rcParams if name != "backend"}
before = settings()
from rankmax.evaluation.comparison_plots import difference_plot
difference_plot([0.5, 0.2], [0.1, 0.3], ("A", "B"), "AP", sys.argv[1])
assert settings() == before
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code, tmp_path / "plot.svg"], check=True)


def test_missing_matplotlib_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r"needs the package matplotlib: pip install 'rankmax\[plot\]'"):
        difference_plot([0.1], [0.2], ("A", "B"), "AP", tmp_path / "plot.png")


@pytest.mark.parametrize("name", ["plot.pdf", "plot"])
def test_other_suffix(tmp_path, name):
    with pytest.raises(InvalidParameterError, match=rf"{name}': the name must end in \.png or \.svg"):
        difference_plot([0.1], [0.2], ("A", "B"), "AP", tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_bad_input(tmp_path):
    with pytest.raises(InvalidDataError, match="1 query ids for 2 queries"):
        difference_plot([0.1, 0.2], [0.2, 0.1], ("A", "B"), "AP", tmp_path / "plot.png", query_ids=["q1"])
    with pytest.raises(InvalidDataError, match="2 values against 1"):
        difference_plot([0.1, 0.2], [0.2], ("A", "B"), "AP", tmp_path / "plot.png")
    with pytest.raises(DataFormatError, match="no folder"):
        difference_plot([0.1], [0.2], ("A", "B"), "AP", tmp_path / "absent" / "plot.png")
