"""Does Yue et al.'s experiment on submitted runs fit the machine, at its own size?

Data      Synthetic runs of the shape of TREC 9's Web Track in Yue et al. 2007: 53 runs, 50 topics, the first 1,000
          documents of each, in all about 562,000 pairs of a topic and a document, 50 thresholds per run. Systems see a
          latent relevance more or less well, and share a part of their errors; their scores have units of their own.
Baseline  The indicators written out, as a sparse matrix: their bytes are counted, not stored.
Asserts   That codes and written-out indicators are the same for a topic.
Prints    Documents, bytes of codes and of indicators, seconds, processor seconds and peak memory of one trial of each
          method (10 training queries, 5 that choose C, 35 to test).

    python benchmarks/yue_runs.py --folder /tmp/trec9 --methods SVM-map SVM-roc
    rankmax reproduce yue2007 table-7 --runs /tmp/trec9 --qrels /tmp/trec9/qrels.txt --results /tmp/results

The first writes the runs, some 100 MB, where the folder has none. The last runs what tables 7, 8, 10 and 11 share.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
from harness import machine, markdown_table

from rankmax.papers.run_sets import RunSet
from rankmax.papers.yue2007.base_functions import SubmittedRuns
from rankmax.papers.yue2007.learning import METHODS, OURS, Binned, average_over_trials
from rankmax.papers.yue2007.random_trials import deal_rounds

N_RUNS, N_TOPICS, DEPTH = 53, 50, 1000
N_CANDIDATES = 40_000  # documents per topic that a system may retrieve, which makes pools as large as the paper's
N_RELEVANT = 52  # per topic, on average, as of TREC 9
N_JUDGED = 60  # documents from the top of each run that are judged


def make(folder: Path, *, seed: int = 9) -> None:
    """Write the runs and their judgments."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    sight = rng.uniform(0.6, 1.5, N_RUNS)
    family = rng.integers(0, 12, N_RUNS)  # systems of a family make the same errors, in part
    center, spread = rng.normal(0, 10, N_RUNS), rng.lognormal(0, 1.5, N_RUNS)
    runs: list[list[str]] = [[] for _ in range(N_RUNS)]
    judgments = []
    for topic in range(451, 451 + N_TOPICS):
        relevant = rng.random(N_CANDIDATES) < rng.lognormal(0, 0.6) * N_RELEVANT / 1.2 / N_CANDIDATES
        easy = rng.normal(0, 1, N_CANDIDATES) + 2.2 * relevant
        shared = rng.normal(0, 1, (12, N_CANDIDATES))
        judged: set[int] = set()
        for run in range(N_RUNS):
            own = rng.normal(0, 1, N_CANDIDATES)
            scores = sight[run] * easy + 0.9 * shared[family[run]] + 0.6 * own
            top = np.argsort(-scores)[:DEPTH]
            judged.update(top[:N_JUDGED].tolist())
            shown = center[run] + spread[run] * scores[top]
            runs[run] += [
                f"{topic} Q0 WTX{topic}-{document:05d} {rank} {score:.4f} run{run:02d}\n"
                for rank, (document, score) in enumerate(zip(top.tolist(), shown.tolist(), strict=True), 1)
            ]
        judgments += [f"{topic} 0 WTX{topic}-{document:05d} {int(relevant[document])}\n" for document in sorted(judged)]
    for run, lines in enumerate(runs):
        (folder / f"run{run:02d}.run").write_text("".join(lines), encoding="ascii")
    (folder / "qrels.txt").write_text("".join(judgments), encoding="ascii")


def trial(folder: Path, methods: list[str]) -> None:
    """Run one trial of each method."""
    print(machine())
    begin = time.perf_counter()
    data = SubmittedRuns(RunSet(folder, folder / "qrels.txt")).data
    print(f"{data.n_documents:,} documents of {data.n_queries} topics, read in {time.perf_counter() - begin:.1f} s")
    begin = time.perf_counter()
    binned = Binned(data)
    matrix = binned.sensitive.features
    print(f"binned in {time.perf_counter() - begin:.1f} s: {matrix.nbytes / 1e6:.1f} MB of codes")
    n_ones = int(matrix.counts().sum())
    print(f"the indicators written out have {n_ones:,} ones: {8 * n_ones / 1e6:,.0f} MB as a sparse matrix")
    first = binned.sensitive.select([0]).features
    assert np.array_equal(first.tocsc().toarray(), first.codes[:, first.bases] >= first.cuts)
    deals = deal_rounds(data.n_queries, seed=7)[0][:1]
    rows = []
    for method in methods:
        wall, processor = time.perf_counter(), time.process_time()
        with np.errstate(invalid="ignore"):  # queries that this trial does not test have no value
            values = average_over_trials(binned, method, deals, small=False, seed=7)
        spent = time.perf_counter() - wall, time.process_time() - processor
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        mean = float(np.nanmean(values))
        print(method, "done", flush=True)
        rows.append([method, f"{mean:.4f}", *(f"{s:.1f} s" for s in spent), f"{peak:.2f} GB"])
    print(markdown_table(["method", "AP", "wall", "processor", "peak memory so far"], rows))


def main() -> None:
    """Read the arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="Folder of the runs; written where it has none.")
    parser.add_argument("--methods", nargs="+", default=[*METHODS], choices=[*METHODS, OURS])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        if not (folder / "qrels.txt").is_file():
            make(folder)
        trial(folder, arguments.methods)


if __name__ == "__main__":
    main()
