"""Is following the rows of the simplex exactly quicker than evaluating a grid of as many cells?

Data      Parts S1 to S3 of a LETOR collection (MQ2008 of the tests' folder of real data when left out), the weights of
          three features, AP and nDCG@10.
Baseline  The metric at one point of each cell, by the compiled evaluation that grid search uses, which works on several
          points at once. It sees nothing between the points.
Prints    Ratio of the times for K = 16, 64 and 128 rows, K^2 cells, and what each finds as the best value; the share of
          the cells within one standard error of the best value, and within one of the paired difference to it.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
from harness import compare, report

from rankmax._arrays import F64
from rankmax.data.splits import concatenate
from rankmax.formats.letor import read_letor
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import parse_metric
from rankmax.metrics.evaluator import Evaluator
from rankmax.workflows.surface.metric_surface import MetricSurface, metric_surface
from rankmax.workflows.surface.triangles import SimplexCells

SHARED = Path(__file__).parents[2] / "shared" / "data"


def along_rows(objective: LinearObjective, cells: SimplexCells) -> F64:
    """Return the metric at the points of all cells, read from the step functions of the rows."""
    values = []
    for row in range(cells.resolution):
        first = (row + 0.5) / cells.resolution
        half = (1 - first) / 2
        start = objective.at([first, half, half])
        function = objective.step_function(start, [0.0, 1.0, -1.0], low=-half, high=half)
        edges = cells.stretches(row)
        values.append(function((edges[1:] + edges[:-1]) / 2 - half))
    return np.concatenate(values)


def paired_share(objective: LinearObjective, surface: MetricSurface) -> float:
    """Return the share of cells whose mean loss to the optimum is within its standard error, queries paired."""
    evaluator = Evaluator([objective.metric], objective.data.judgments)
    best, *others = (
        evaluator(objective.data.scores(weights))[0] for weights in [surface.optimum.weights, *surface.points]
    )
    counted = ~np.isnan(best)
    losses = (best - np.array(others))[:, counted]
    errors = losses.std(axis=1, ddof=1) / counted.sum() ** 0.5
    return float((losses.mean(axis=1) <= errors).mean())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("RANKMAX_DATA", SHARED)) / "letor" / "MQ2008"
    options.add_argument("--folder", type=Path, default=default)
    options.add_argument("--features", default="f25,f40,f39")
    chosen = options.parse_args()
    if not chosen.folder.is_dir():
        print(f"skipped: no folder {chosen.folder}")
        return
    names = chosen.features.split(",")
    whole = concatenate([read_letor(chosen.folder / f"S{i}.txt.gz") for i in (1, 2, 3)])
    data = whole.select_features(names)
    for metric in map(parse_metric, ("AP", "nDCG@10")):
        objective = LinearObjective(data, metric)
        for resolution in (16, 64, 128):
            cells = SimplexCells(resolution)
            grid = objective.values(cells.points)
            same = np.abs(along_rows(objective, cells) - grid) < 1e-9
            assert same.mean() > 0.99, "values differ beyond points on which documents tie"
            ratio = compare(
                lambda objective=objective, cells=cells: along_rows(objective, cells),
                lambda objective=objective, points=cells.points: objective.values(points),
                repeats=3,
            )
            surface = metric_surface(data, names, metric, resolution=resolution)
            report(
                f"{chosen.folder.name}, {metric}, {resolution} rows",
                ratio=ratio,
                best=f"{surface.optimum.value:.4f}",
                grid=f"{grid.max():.4f}",
            )
        surface = metric_surface(data, names, metric, resolution=40)
        report(
            f"{chosen.folder.name}, {metric}, plateau",
            share=f"{surface.plateau_share:.1%}",
            paired=f"{paired_share(objective, surface):.1%}",
        )


if __name__ == "__main__":
    main()
