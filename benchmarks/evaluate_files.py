"""How long from files on disk to the printed table?

Data      Runs of 1, 4 and 16 million lines (1,000 documents per query, 100 judged), in the page cache.
Baseline  The `ir_measures` command with the same seven metrics. Both are started as new processes, so that start-up,
          reading, joining, evaluating and printing all count; ours computes bootstrap intervals besides.
Asserts   The printed means are equal to four decimals.
Limit     Reading 34 MB from the page cache takes 10 ms; Python and numpy need 0.1 s to start.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from harness import compare, machine, report

METRICS = ("nDCG@10", "AP", "P@10", "RR", "R@100", "Rprec", "Success@5")
BIN = Path(sys.executable).parent


def write_problem(folder: Path, n_queries: int) -> tuple[Path, Path]:
    rng = np.random.default_rng(0)
    qrels, run = folder / f"qrels{n_queries}.txt", folder / f"run{n_queries}.txt"
    with qrels.open("w") as judged, run.open("w") as ranked:
        for q in range(n_queries):
            documents = rng.choice(2_000_000, 1000, replace=False).tolist()
            scores = np.sort(rng.normal(10, 3, 1000))[::-1].tolist()
            ranked.writelines(
                f"{q} Q0 GX{d:07d} {rank} {s:.6f} system\n"
                for rank, (d, s) in enumerate(zip(documents, scores, strict=True), 1)
            )
            grades = rng.choice([0, 0, 0, 1, 2], 100).tolist()
            chosen = rng.choice(1000, 100, replace=False).tolist()
            judged.writelines(f"{q} 0 GX{documents[i]:07d} {g}\n" for i, g in zip(chosen, grades, strict=True))
    return qrels, run


def output(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", type=int, nargs="*", default=[1, 4, 16], help="millions of lines")
    sizes = options.parse_args().sizes
    print(machine())
    with tempfile.TemporaryDirectory() as name:
        for factor in sizes:
            qrels, run = write_problem(Path(name), 1000 * factor)
            names = [option for metric in METRICS for option in ("-m", metric)]
            ours = (BIN / "rankmax", "evaluate", qrels, run, *names)
            theirs = (BIN / "ir_measures", qrels, run, *METRICS)
            means = json.loads(output(*ours, "--json"))[0]["metrics"]
            expected = dict(line.split() for line in output(*theirs).splitlines())
            assert {metric: f"{values['mean']:.4f}" for metric, values in means.items()} == expected
            ratio = compare(lambda c=ours: output(*c), lambda c=theirs: output(*c), repeats=5 if factor == 1 else 2)
            report(f"files to table, {factor} million lines, against ir_measures", ratio=ratio)
            run.unlink()


if __name__ == "__main__":
    main()
