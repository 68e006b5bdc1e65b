"""How high does one ascent climb, and in how many lines?

Data      Parts S1 to S3 of a LETOR collection (MQ2008 of the tests' folder of real data when left out), AP on these
          training queries, from uniform weights.
Baseline  Coordinate ascent.
Prints    Value and number of lines, in the Euclidean space and on the simplex. Deterministic, so one run each.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
from harness import report

from rankmax.data.letor import read_letor
from rankmax.data.splits import concatenate
from rankmax.lines.objective import LinearObjective
from rankmax.metrics import AP
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.powell import Powell
from rankmax.optimizers.steepest_ascent import SteepestAscent
from rankmax.spaces import Euclidean, Simplex

SHARED = Path(__file__).parents[2] / "shared" / "data"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("RANKMAX_DATA", SHARED)) / "letor" / "MQ2008"
    options.add_argument("--folder", type=Path, default=default)
    folder = options.parse_args().folder
    if not folder.is_dir():
        print(f"skipped: no folder {folder}")
        return
    objective = LinearObjective(concatenate([read_letor(folder / f"S{i}.txt.gz") for i in (1, 2, 3)]), AP())
    for space in (Euclidean(), Simplex()):
        for optimizer in (CoordinateAscent(), Powell(conjugate=True), SteepestAscent()):
            start = space.start(objective.n_features)
            ascent = optimizer.maximize(objective, space, start=start, rng=np.random.default_rng(0))
            report(f"{space.name}, {type(optimizer).__name__}", value=f"{ascent.value:.4f}", lines=ascent.n_lines)


if __name__ == "__main__":
    main()
