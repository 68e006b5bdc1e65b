"""A metric over the weights of two or three features, streamed step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rankmax.metrics.registry import parse_metric
from rankmax.studio.messages import Survey
from rankmax.studio.screen_steps import described_function
from rankmax.studio.session import Session
from rankmax.workflows.surface.levels import RESOLUTIONS, surface_levels
from rankmax.workflows.surface.surface_lines import Held, Optimum, SurfaceLines
from rankmax.workflows.surface.triangles import SimplexCells

Event = tuple[str, Any]


def survey(session: Session, asked: Survey) -> Iterator[Event]:
    """Yield the results from coarse to fine: rows of the triangle, then the optimum with its plateau.

    Parameters
    ----------
    session : Session
    asked : Survey

    Examples
    --------
    >>> import tempfile
    >>> from rankmax import write_dataset
    >>> from rankmax.data import planted_linear
    >>> from rankmax.studio.messages import Setting
    >>> from rankmax.workflows.projects.project import Project
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_dataset(planted_linear(5, 10, 3, seed=1).data, f"{folder}/train.npz")
    ...     asked = Survey(data="train.npz", current=Setting(), features=("f1", "f2"))
    ...     [kind for kind, _ in survey(Session(Project.at(folder)), asked)]
    ['begin', 'function', 'optimum']
    """
    bench = session.bench(asked)
    current = session.linear(asked.current, bench)
    weight_of = dict(zip(current.feature_names, current.weights.tolist(), strict=True))
    held = Held(
        {name: weight for name, weight in weight_of.items() if name not in asked.features},
        sum(abs(weight_of.get(name, 0.0)) for name in asked.features) or 1.0,
    )
    lines = SurfaceLines(
        bench.data, asked.features, parse_metric(asked.metric), normalization=current.normalization, held=held
    )
    yield "begin", {"total": held.total, "resolutions": RESOLUTIONS if len(asked.features) == 3 else ()}
    yield from _segment(lines) if len(asked.features) == 2 else _triangle(lines)


def _segment(lines: SurfaceLines) -> Iterator[Event]:
    line = lines.exchange()
    function, best_place = line.function, float(line.peak().weights[0])
    optimum = lines.optimum()
    share = float(np.diff(function.edges)[optimum.reaches(function.values)].sum())
    yield "function", described_function(function, float(optimum.weights[0]), best_place)
    yield "optimum", {**_described(optimum), "share": share}


def _triangle(lines: SurfaceLines) -> Iterator[Event]:
    finest = []
    for row in surface_levels(lines):
        yield "row", {"resolution": row.resolution, "row": row.row, "values": row.values.round(6).tolist()}
        if row.resolution == RESOLUTIONS[-1]:
            finest.append(row.values)
    optimum = lines.optimum()
    plateau = optimum.reaches(np.concatenate(finest))
    outline = SimplexCells(RESOLUTIONS[-1]).outline(plateau)
    yield "optimum", {**_described(optimum), "share": float(plateau.mean()), "outline": outline.round(6).tolist()}


def _described(optimum: Optimum) -> dict[str, Any]:
    return {
        "weights": optimum.weights.tolist(),
        "value": optimum.value,
        "standard_error": optimum.standard_error,
    }
