"""How fast is text indexed, in how much memory, and looked up?

Data      abstracts of NPL, Cranfield, CISI and CACM (17,493 of about 60 words), resampled to 50,000 and, with --large,
          300,000 documents in a file.
Baseline  bm25s, which tokenizes, stems (PyStemmer) and counts, but keeps no positions, and stays in memory. Both begin
          with texts in memory. The large file goes through the command line, start and compiled code included.
Asserts   the number of occurrences of every word of two letters or more; the same bytes from one and two processes.
Noise     seconds of the processor are given beside those of the clock: they count on a machine that others use too.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from harness import Ratio, compare, format_seconds, machine, median_seconds, report

from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document, DocumentFiles

DATA = Path(os.environ.get("RANKMAX_DATA") or Path(__file__).parents[2] / "shared" / "data")
RANKMAX = [sys.executable, "-c", "from rankmax.cli.main import main; main()"]


def sample(n_documents: int) -> list[str]:
    files = [DATA / "text" / name / "docs.jsonl.gz" for name in ("npl", "cranfield", "cisi", "cacm")]
    texts = [" ".join(document.fields.values()) for document in DocumentFiles(*files)]
    return [texts[n] for n in np.random.default_rng(1).integers(0, len(texts), n_documents).tolist()]


def ours(texts, folder, analyzer):
    shutil.rmtree(folder / "index", ignore_errors=True)
    documents = (Document(str(n), {"text": text}) for n, text in enumerate(texts))
    return build_index(documents, folder / "index", analyzer=analyzer)


def theirs(texts, stemmer):
    import bm25s

    tokens = bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)
    bm25s.BM25().index(tokens, show_progress=False)


def check_answers(texts, folder):
    import bm25s

    texts = [text for text in texts if "_" not in text]  # a letter to them, but not to us
    index = ours(texts, folder, Analyzer())
    tokens = bm25s.tokenize(texts, stopwords=None, return_ids=False, show_progress=False)
    counted = Counter(token for words in tokens for token in words)
    assert all(index.collection_frequency(term, "text") == n for term, n in counted.items())
    assert index.n_occurrences("text") >= sum(counted.values()) > 100_000


def processor_seconds(action):
    start = time.process_time()
    action()
    return time.process_time() - start


def run_command(arguments) -> dict[str, float]:
    """Return seconds, seconds of processors, and the most memory that a command and its children had together."""
    start = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    peak = 0
    while True:
        finished, status, usage = os.wait4(process.pid, os.WNOHANG)
        if finished:
            break
        peak = max(peak, resident_bytes(process.pid))
        time.sleep(0.02)
    assert status == 0
    elapsed = time.perf_counter() - start
    return {"seconds": elapsed, "processor": usage.ru_utime + usage.ru_stime, "peak": peak}


def resident_bytes(pid: int) -> int:
    try:
        here = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (OSError, IndexError):  # it has just ended
        return 0
    return here + sum(resident_bytes(int(child)) for child in children)


def measure_large(folder: Path, repeats: int) -> None:
    path, n_documents = folder / "docs.jsonl", 300_000
    with open(path, "w") as file:
        for n, text in enumerate(sample(n_documents)):
            file.write(json.dumps({"id": f"d{n}", "text": text}) + "\n")
    for repeat in range(repeats):
        for jobs in (1, 2):
            options = ["--stem", "porter2", "--stop", "english", "--jobs", str(jobs), "--replace"]
            found = run_command([*RANKMAX, "index", str(path), "-o", str(folder / f"jobs{jobs}"), *options])
            report(
                f"rankmax index, {n_documents:,} documents of {path.stat().st_size >> 20} MB, {jobs} process(es)",
                repeat=repeat,
                seconds=f"{found['seconds']:.1f}",
                processor_seconds=f"{found['processor']:.1f}",
                documents_a_second=f"{n_documents / found['seconds']:,.0f}",
                peak_megabytes=f"{found['peak'] / 1e6:,.0f}",
            )
    names = [entry.name for entry in (folder / "jobs1").iterdir()]
    assert filecmp.cmpfiles(folder / "jobs1", folder / "jobs2", names, shallow=False)[0] == names


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="300,000 documents too, in one and two processes")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    import Stemmer

    stemmer, analyzer = Stemmer.Stemmer("english"), Analyzer(stop="english", stemmer="porter2")
    print(machine())
    with TemporaryDirectory() as name:
        folder = Path(name)
        check_answers(sample(5_000), folder)
        texts = sample(50_000)
        actions = (lambda: ours(texts, folder, analyzer)), (lambda: theirs(texts, stemmer))
        ratio = compare(*actions, repeats=options.repeats)
        times = [tuple(map(processor_seconds, actions)) for _ in range(options.repeats)]
        report(
            "indexing 50,000 documents, against bm25s",
            clock=ratio,
            processor=Ratio(tuple(t[0] for t in times), tuple(t[1] for t in times)),
            fastest=f"{len(texts) / min(ratio.ours):,.0f} documents/s",
        )
        index = actions[0]()
        for action, text in (
            (lambda: index.postings("comput", "text"), "postings"),
            (lambda: index.unordered_windows(["circuit", "frequenc"], "text"), "#uw8 of a frequent pair"),
            (lambda: index.ordered_windows(["circuit", "frequenc"], "text"), "#1 of a frequent pair"),
        ):
            report(text, median=format_seconds(median_seconds(action, repeats=201)))
        if options.large:
            measure_large(folder, options.repeats)


if __name__ == "__main__":
    main()
