"""How long does an additive model take to learn, and how much memory, with the number of documents?

Data      Synthetic, shaped as MSLR-WEB: 136 features of single precision, queries of 120 documents, five grades.
Baseline  A tenth of the documents: time and memory beyond the data should be ten times as much.
Prints    For each number of documents the processor time of coding the features, of the convex fit for one smoothness,
          and of that fit with the sweeps after it, with the peak memory of the process. --sweeps 0 leaves these out;
          --whole 1 measures a whole training with the defaults instead, which selects the smoothness.

Each number of documents runs in a process of its own, as the peak is that of a process.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np
from harness import format_seconds, machine, markdown_table

from rankmax import AdditiveRanker
from rankmax.data.synthetic import mslr_like
from rankmax.learners.additive.curve_training import CurveTraining
from rankmax.learners.additive.knot_basis import KnotBasis
from rankmax.metrics.registry import parse_metric
from rankmax.preprocessing import Unchanged


def measured(n_documents: int, n_knots: int, *, sweeps: bool, whole: bool) -> dict[str, Any]:
    """Return processor times by step, and the peak memory in MB with and without the steps."""
    data = mslr_like(n_documents // 120, seed=1)
    before, times, began = _peak(), {}, time.process_time()

    def step(name: str) -> None:
        nonlocal began
        times[name] = time.process_time() - began
        began = time.process_time()

    if whole:
        AdditiveRanker("nDCG@10", n_knots=n_knots).fit_dataset(data)
        step("training")
        return {"times": times, "before": before, "peak": _peak(), "documents": data.n_documents}
    basis = KnotBasis.of(data, Unchanged(), n_knots)
    step("codes")
    signs, weights = np.zeros(data.n_features), np.ones(data.n_queries)
    training = CurveTraining(basis, parse_metric("nDCG@10"), weights, signs, 0.5 if sweeps else 0.0, 0.5)
    training.fit(100.0)
    step("convex fit")
    training.curves(100.0)
    step("fit and sweeps")
    return {"times": times, "before": before, "peak": _peak(), "documents": data.n_documents}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--documents", nargs="+", type=int, default=[100_000, 1_000_000])
    options.add_argument("--knots", type=int, default=32)
    options.add_argument("--sweeps", type=int, default=1, choices=(0, 1))
    options.add_argument("--whole", type=int, default=0, choices=(0, 1))
    options.add_argument("--only", type=int, help=argparse.SUPPRESS)
    arguments = options.parse_args()
    if arguments.only:
        flags = {"sweeps": bool(arguments.sweeps), "whole": bool(arguments.whole)}
        print(json.dumps(measured(arguments.only, arguments.knots, **flags)))
        return
    print(machine())
    rows = []
    for n_documents in arguments.documents:
        shared = [f"--{name}={getattr(arguments, name)}" for name in ("knots", "sweeps", "whole")]
        done = subprocess.run(
            [sys.executable, __file__, "--only", str(n_documents), *shared], capture_output=True, check=True, text=True
        )
        found = json.loads(done.stdout)
        times = [format_seconds(seconds) for seconds in found["times"].values()]
        rows.append([f"{found['documents']:,}", *times, f"{found['before']:,.0f} MB", f"{found['peak']:,.0f} MB"])
    steps = ["training"] if arguments.whole else ["codes", "convex fit", "fit and sweeps"]
    header = ["documents", *steps, "peak before, with the data", "peak"]
    print(markdown_table(header, rows), flush=True)


if __name__ == "__main__":
    main()
