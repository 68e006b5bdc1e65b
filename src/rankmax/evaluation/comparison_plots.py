"""Plots of comparisons, written to PNG or SVG."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax._io.figures import BLUE, MINUS, ORANGE, figure_file, plain
from rankmax.errors import InvalidDataError, counted
from rankmax.evaluation.bootstrap import bootstrap_interval
from rankmax.evaluation.differences import count_wins, paired_differences

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIN, _LOSS = BLUE, ORANGE
_EVERY_ID = 60  # maximum of queries that all have their ids below their bars
_EXTREME_IDS = 5  # queries named at each end if there are more
_SEPARATE_BARS = 100  # maximum of queries with a gap between bars


def difference_plot(
    a: ArrayLike,
    b: ArrayLike,
    names: tuple[str, str],
    metric: str,
    path: str | os.PathLike[str],
    *,
    query_ids: Sequence[str] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> None:
    """Draw the per-query differences a - b as bars, largest first, with their mean and its interval.

    Bars of the first system's wins and losses differ in color and in hatching. Query ids are below the bars if there
    are at most 60; otherwise only those of the five largest wins and losses are given.

    Parameters
    ----------
    a, b : array-like, shape (n_queries,)
        Values of two systems on the same queries; pairs with NaN are skipped.
    names : pair of str
        Names of the systems.
    metric : str
        Label of the values.
    path : path
        Output file; its suffix, .png or .svg, sets the format. The same input gives the same bytes.
    query_ids : sequence of str, optional
        Ids of the queries; by default the numbers 1, 2, ...
    confidence, seed : float, int
        Parameters of the bootstrap interval of the mean difference; with a comparison's, it is the same interval.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> target = Path(folder.name, "dense-bm25.svg")
    >>> difference_plot([0.5, 0.7, 0.2], [0.4, 0.2, 0.6], ("dense", "bm25"), "nDCG@10", target)
    >>> target.read_bytes()[:5]
    b'<?xml'
    >>> folder.cleanup()
    """
    differences = paired_differences(a, b)
    ids = [str(i + 1) for i in range(differences.size)] if query_ids is None else list(map(str, query_ids))
    if len(ids) != differences.size:
        raise InvalidDataError(f"{len(ids)} query ids for {differences.size} queries")
    # Before sorting: another order would draw other resamples.
    low, high = map(float, bootstrap_interval(differences, confidence=confidence, seed=seed))
    paired = np.flatnonzero(~np.isnan(differences))
    order = paired[np.argsort(-differences[paired], kind="stable")]
    with figure_file(path, "drawing differences") as figure:
        _draw(figure, differences[order], [ids[i] for i in order], names, metric, (low, high), confidence)


def _draw(
    figure: Figure,
    differences: F64,
    ids: list[str],
    names: tuple[str, str],
    metric: str,
    interval: tuple[float, float],
    confidence: float,
) -> None:
    """Draw differences sorted in descending order."""
    first, second = map(plain, names)
    axes = figure.add_subplot()
    wins = count_wins(differences)
    _bars(axes, np.maximum(differences, 0), color=_WIN, label=f"{first} better: {wins.wins}")
    _bars(axes, np.minimum(differences, 0), color=_LOSS, hatch="////", label=f"{second} better: {wins.losses}")
    axes.plot([], [], " ", label=f"equal: {wins.ties}")
    mean = float(differences.mean())
    low, high = interval
    label = f"mean {_signed(mean, 4)}, {100 * confidence:g}% interval {_signed(low, 4)} to {_signed(high, 4)}"
    axes.axhspan(low, high, color="0.85", linewidth=0, zorder=0)
    axes.axhline(mean, color="black", linestyle="--", linewidth=1.2, label=label)
    axes.axhline(0, color="black", linewidth=0.8)
    _name_queries(axes, differences, list(map(plain, ids)))
    axes.set_xlim(-0.8, differences.size - 0.2)
    axes.set_ylabel(f"{plain(metric)}: {first} {MINUS} {second}")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper left", ncols=2, frameon=False)


def _bars(axes: Axes, heights: F64, *, color: str, label: str, hatch: str | None = None) -> None:
    """Draw all bars as one outline, so that ten thousand queries are one shape in the file."""
    edges = np.arange(heights.size + 1) - 0.5
    if heights.size <= _SEPARATE_BARS:  # a step of height 0 after each bar
        edges = np.column_stack([edges[:-1] + 0.1, edges[1:] - 0.1]).ravel()
        heights = np.column_stack([heights, np.zeros_like(heights)]).ravel()[:-1]
    axes.stairs(heights, edges, fill=True, facecolor=color, edgecolor="white", hatch=hatch, linewidth=0, label=label)


def _name_queries(axes: Axes, differences: F64, ids: list[str]) -> None:
    if len(ids) <= _EVERY_ID:
        axes.set_xticks(range(len(ids)), ids, rotation=90 if len(ids) > 8 else 0, fontsize=7)
        axes.tick_params(axis="x", length=0)
        axes.set_xlabel("query")
        return
    ends = [slice(0, _EXTREME_IDS), slice(len(ids) - _EXTREME_IDS, None)]
    named = [
        "\n".join(f"{i}  {_signed(d, 3)}" for i, d in zip(ids[end], differences[end], strict=True)) for end in ends
    ]
    axes.set_xticks([0, len(ids) - 1], named, fontsize=7)
    left, right = axes.get_xticklabels()
    left.set_horizontalalignment("left")
    right.set_horizontalalignment("right")
    axes.set_xlabel(f"{counted(len(ids), 'query', 'queries')}, largest difference first")


def _signed(value: float, decimals: int) -> str:
    return f"{value:+.{decimals}f}".replace("-", MINUS)
