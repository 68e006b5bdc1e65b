"""Models over binned features, read back as functions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError, UnknownNameError
from rankmax.models import AdditiveModel, Curve, LinearModel
from rankmax.preprocessing.binning import Binning
from rankmax.workflows.score_functions import curve_plot, score_function_plot, score_functions


@given(st.integers(0, 100))
def test_the_functions_add_up_to_the_scores(seed: int) -> None:
    data = planted_linear(4, 10, 3, seed=seed).data
    names = Binning.fit(data, n_thresholds=5).feature_names
    weights = np.random.default_rng(seed).normal(size=len(names))
    model = LinearModel(weights, names)
    functions = score_functions(model)
    expected = sum(functions[name](data.column(j)) for j, name in enumerate(data.feature_names))
    np.testing.assert_allclose(model.scores(data), expected, atol=1e-12)


def test_order_of_the_features_does_not_matter() -> None:
    model = LinearModel(np.array([1.0, 5.0, -0.5]), ("a>2", "plain", "a>1"))
    functions = score_functions(model)
    assert list(functions) == ["a"]
    assert functions["a"].breakpoints.tolist() == [1.0, 2.0]
    assert functions["a"].values.tolist() == [0.0, -0.5, 0.5]


def test_plots(tmp_path: Path) -> None:
    data = planted_linear(4, 10, 14, seed=1).data
    names = Binning.fit(data, n_thresholds=5).feature_names
    weights = np.random.default_rng(1).normal(size=len(names))
    model = LinearModel(weights, names)
    for name, features in (("all.svg", None), ("some.svg", ["f3", "f1"]), ("again.svg", ["f3", "f1"])):
        score_function_plot(model, tmp_path / name, features=features)
    assert (tmp_path / "some.svg").read_bytes() == (tmp_path / "again.svg").read_bytes()
    functions = score_functions(model)
    flattest = min(functions, key=lambda name: float(np.ptp(functions[name].values)))
    text = (tmp_path / "all.svg").read_text()
    assert text.count("<!-- f") == 12
    assert f"<!-- {flattest} -->" not in text


def test_mistakes_are_named(tmp_path: Path) -> None:
    with pytest.raises(IncompatibleError, match="no binned features"):
        score_function_plot(LinearModel(np.ones(1), ("bm25",)), tmp_path / "a.svg")
    with pytest.raises(UnknownNameError, match="unknown binned feature 'bm52'; did you mean 'bm25'"):
        score_function_plot(LinearModel(np.ones(1), ("bm25>1",)), tmp_path / "a.svg", features=["bm52"])


def test_curves_are_drawn_with_their_spread_and_the_line_beside(tmp_path: Path) -> None:
    line = Curve(np.array([0.0, 2.0]), np.array([-1.0, 1.0]), deviations=np.array([0.5, 0.5]), weight=0.75)
    steps = Curve(np.array([1.0, 3.0]), np.array([0.0, 1.0, 3.0]), "constant")
    flat = Curve(np.array([]), np.array([0.0]), "constant")
    model = AdditiveModel((line, steps, flat), ("a", "b", "c"))
    curve_plot(model, tmp_path / "curves.svg")
    curve_plot(model, tmp_path / "one.png", features=["a"])
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("curves.svg", "one.png"))
    with pytest.raises(UnknownNameError, match="unknown feature 'd'"):
        curve_plot(model, tmp_path / "none.svg", features=["d"])
    with pytest.raises(IncompatibleError, match="every curve of the model is flat"):
        curve_plot(AdditiveModel((flat,), ("c",)), tmp_path / "none.svg")
    ax = model.plot()
    assert ax.get_xlabel() == "b"
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [0, 0, 1, 1, 3, 3])
    ax = model.plot(feature="a")
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [-0.75, 0.75])
    np.testing.assert_allclose(ax.lines[1].get_ydata(), [-1, 1])
    with pytest.raises(UnknownNameError, match="unknown feature 'd'"):
        model.plot(feature="d")
