"""Figure 1 of Yang, Ravikumar & Lease 2010: a row of graphs for each collection, a graph for each loss."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rankmax.figures import figure_file

_GREYS = ("0.35", "0.75")  # the baseline dark, expected gain light, as in the paper
_WIDTH = 0.38  # of a bar; metrics stand 1 apart


def draw_bars(
    path: Path,
    means: dict[str, dict[str, dict[str, float]]],
    way: str,
    losses: list[str],
    scorings: list[str],
    metrics: list[str],
) -> None:
    """Draw the means of linear scores and of expected gain beside each other.

    Parameters
    ----------
    path : Path
        Ends in .png or .svg.
    means : dict
        By collection, method ("way, loss, scoring") and metric.
    way : str
    losses, scorings, metrics : lists of str
    """
    with figure_file(path, "drawing Figure 1", size=(3 * len(losses), 2.2 * len(means))) as figure:
        axes = figure.subplots(len(means), len(losses), squeeze=False, sharey="row")
        for row, (collection, by_method) in zip(axes, means.items(), strict=True):
            for graph, loss in zip(row, losses, strict=True):
                for side, (scoring, grey) in enumerate(zip(scorings, _GREYS, strict=True)):
                    heights = [by_method[f"{way}, {loss}, {scoring}"][metric] for metric in metrics]
                    places = np.arange(len(metrics)) + (side - 0.5) * _WIDTH
                    bars = graph.bar(
                        places, heights, _WIDTH, color=grey, edgecolor="black", linewidth=0.5, label=scoring
                    )
                    graph.bar_label(bars, fmt="%.3f", fontsize=6, padding=1)
                graph.set_xticks(range(len(metrics)), metrics, fontsize=8)
                graph.set_title(f"{collection}, {loss}", fontsize=9)
                graph.margins(y=0.12)
                graph.spines[["top", "right"]].set_visible(False)
            row[0].set_ylabel("mean over test folds", fontsize=8)
        handles, labels = axes[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(scorings), frameon=False, fontsize=8)
