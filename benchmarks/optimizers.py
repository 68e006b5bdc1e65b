"""How high does one ascent get, and in how many lines?

Data      Parts S1 to S3 of LETOR collections (of the tests' folder of real data when left out), the metric on these
          training queries.
Baseline  Coordinate ascent.
Prints    Value after so many lines, from the surrogate's minimum; value and lines at the end from uniform weights on
          MQ2008, in the Euclidean space and on the simplex. Deterministic, so one run each.
"""

from __future__ import annotations

import numpy as np
from harness import markdown_table
from letor_collections import parser

from rankmax.data.splits import concatenate
from rankmax.formats.letor import read_letor
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.linear_fit import fit_linear
from rankmax.metrics.registry import parse_metric
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.iterated_ascent import IteratedAscent
from rankmax.optimizers.optimizer import Ascent, Budget, Optimizer
from rankmax.optimizers.powell import Powell
from rankmax.optimizers.smoothed_ascent import SmoothedAscent
from rankmax.optimizers.steepest_ascent import SteepestAscent
from rankmax.spaces import Euclidean, ParameterSpace, Simplex

LINES = (0, 5, 10, 20, 50, 100, 200, 400)
BUDGET = Budget(lines=max(LINES))
FROM_SURROGATE = {
    "coordinate ascent": CoordinateAscent(budget=BUDGET),
    "Powell, conjugate": Powell(conjugate=True, budget=BUDGET),
    "smoothed ascent": SmoothedAscent(budget=BUDGET),
    "iterated ascent": IteratedAscent(n_escapes=100, budget=BUDGET),
}
FROM_UNIFORM = (CoordinateAscent(), Powell(conjugate=True), SteepestAscent(), SmoothedAscent(), IteratedAscent())


def ascend(optimizer: Optimizer, objective: LinearObjective, space: ParameterSpace, start: np.ndarray) -> Ascent:
    return optimizer.maximize(objective, space, start=start, rng=np.random.default_rng(0))


def value_after(ascent: Ascent, lines: int) -> str:
    return f"{[progress.value for progress in ascent.history if progress.n_lines <= lines][-1]:.4f}"


def main() -> None:
    arguments = parser(__doc__, folds="1").parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: no folder {arguments.folder}")
        return
    rows = []
    for collection in arguments.collections:
        data = concatenate([read_letor(arguments.folder / collection / f"S{i}.txt.gz") for i in (1, 2, 3)])
        fits = [fit_linear(loss, data).weights for loss in (CrossEntropy(), ProportionalCrossEntropy())]
        for metric in arguments.metrics:
            objective = LinearObjective(data, parse_metric(metric))
            start = max(fits, key=lambda w, o=objective: o.at(w).value)
            for name, optimizer in FROM_SURROGATE.items():
                ascent = ascend(optimizer, objective, Euclidean(), start)
                rows.append([f"{collection} {metric}", name, *(value_after(ascent, n) for n in LINES)])
    print(markdown_table(["", "lines:", *map(str, LINES)], rows), end="\n\n", flush=True)
    folder = arguments.folder / "MQ2008"
    objective = LinearObjective(
        concatenate([read_letor(folder / f"S{i}.txt.gz") for i in (1, 2, 3)]), parse_metric("AP")
    )
    rows = []
    for optimizer in FROM_UNIFORM:
        ascents = [
            ascend(optimizer, objective, space, space.start(objective.n_features)) for space in (Euclidean(), Simplex())
        ]
        rows.append(
            [f"`{type(optimizer).__name__}`", *(x for a in ascents for x in (f"{a.value:.4f}", str(a.n_lines)))]
        )
    print(markdown_table(["optimizer", "Euclidean", "lines", "simplex", "lines"], rows))


if __name__ == "__main__":
    main()
