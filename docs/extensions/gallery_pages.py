"""The gallery: plots made by the code, each below the lines that make it."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

SETUP = """\
import rankmax
from rankmax.data.synthetic_runs import synthetic_runs

made = synthetic_runs(50, 100, seed=1)
data = rankmax.join_runs(made.runs, made.qrels, missing="minimum")
"""

PLOTS = {
    "evaluation": (
        "Means of several systems",
        "Means with 95% intervals, by bootstrap over queries.",
        'axes = rankmax.evaluate(made.qrels, made.runs, ["nDCG@10", "AP"]).plot()\n'
        'axes.figure.savefig("evaluation.svg")',
    ),
    "comparison": (
        "Differences to a baseline",
        "A filled point is a significant difference. See [significance](../../explanation/significance.md).",
        'axes = rankmax.compare(made.qrels, made.runs, ["nDCG@10", "AP"], baseline="dense").plot()\n'
        'axes.figure.savefig("comparison.svg")',
    ),
    "tuning": (
        "Ways to combine systems",
        "Held-out gains over what runs today. See [tuning](../../how-to/tuning.md).",
        'axes = rankmax.tune(made.runs, made.qrels, "nDCG@10", current="dense", repeats=1).plot()\n'
        'axes.figure.savefig("tuning.svg")',
    ),
    "surface": (
        "The metric over all weights of three features",
        "A star marks the best weights, a line the plateau. "
        "See [metric surfaces](../../explanation/metric-surfaces.md).",
        "from rankmax.workflows.surface.surface_plots import surface_plot\n\n"
        'found = rankmax.surface(data, ["bm25", "dense", "sparse"], "nDCG@10", normalize="min-max")\n'
        'surface_plot(found, "surface.svg")',
    ),
    "profile": (
        "The metric along one weight",
        "Every step is known. See [direct maximization](../../explanation/direct-maximization.md#looking-at-a-model).",
        "from rankmax.line_search.step_plots import step_plot\n\n"
        'model = rankmax.train(data, "nDCG@10", normalize="min-max", n_restarts=1)\n'
        'found = rankmax.profile(data, model, "dense", "nDCG@10")\n'
        'step_plot(found.function, (found.weight, found.value), ("dense", "nDCG@10"), "profile.svg")',
    ),
}
"""For each plot: title, meaning, and the lines that write it."""


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of the page, and of each plot."""
    sections = []
    for name, picture in plots().items():
        title, meaning, code = PLOTS[name]
        yield f"gallery-{name}.svg", picture
        sections.append(f"## {title}\n\n{meaning}\n\n```python\n{code}\n```\n\n![{title}](gallery-{name}.svg)\n")
    yield "gallery.md", _PAGE.format(setup=SETUP, sections="\n".join(sections))


def plots() -> dict[str, str]:
    """Return each plot as SVG, made by the lines that the page shows."""
    import matplotlib

    before, found = Path.cwd(), {}
    names: dict[str, object] = {}
    settings = {"backend": "agg", "svg.hashsalt": "rankmax", "savefig.bbox": "tight"}
    with tempfile.TemporaryDirectory() as folder, matplotlib.rc_context(settings):
        try:
            os.chdir(folder)
            exec(SETUP, names)
            for name, (_, _, code) in PLOTS.items():
                exec(code, names)
                svg = Path(f"{name}.svg").read_text(encoding="utf-8")
                found[name] = re.sub(r"<dc:date>.*?</dc:date>", "", svg)  # the same bytes each time
        finally:
            os.chdir(before)
    return found


_PAGE = """\
# Gallery

These plots are made while the documentation is built, by the lines above each of them. All begin with

```python
{setup}```

{sections}
"""
