"""How fast, and in how much memory, is a LETOR file read?

Data: generated, shaped like MSLR-WEB (136 features, about 120 documents per query, many zeros and small integers, the
rest with 6 decimals), about 200 MB; and a sixteenth and a quarter of it.
Baseline: sklearn.datasets.load_svmlight_file(query_id=True), which returns CSR.
Answers: features, grades and queries must be equal, bit for bit, before anything is timed.

The limit is memory bandwidth: a byte of text is copied from the page cache and read once, and the eight bytes of each
value are written, moved to their feature's column, and written again: about 5 bytes moved for a byte of text. So at
best a fifth of the copying speed that is printed, times the number of cores if one cannot saturate the memory.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from harness import compare, format_seconds, machine, median_seconds, report
from sklearn.datasets import load_svmlight_file

from rankmax.formats.letor import read_letor

N_FEATURES = 136
DOCUMENTS_BY_QUERY = 120
ROWS_AT_A_TIME = 6_000
SIZES = {"1x": 10_500, "4x": 42_000, "16x": 168_000}  # documents
MEMORY_LIMIT = 2.5

MEASURE_PEAK = """
import re, sys
from pathlib import Path
from rankmax.formats.letor import read_letor

def peak():  # resource's ru_maxrss would be the parent's where that is larger
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024

small, large, dtype, sparse = sys.argv[1:]
options = {"dtype": dtype, "sparse": sparse == "sparse"}
read_letor(small, **options)  # imports and compiled code are not the data's
before = peak()
X = read_letor(large, **options).features
arrays = [X.data, X.indices, X.indptr] if sparse == "sparse" else [X]
print((peak() - before) / sum(array.nbytes for array in arrays))
"""


def generate(path, n_documents):
    """Write the file; every token has a fixed place in a matrix of bytes, and the empty bytes are dropped."""
    rng = np.random.default_rng(1)
    decimals = [f"{value:.6f}" for value in rng.lognormal(0, 2, 40_000)]
    pool = np.array(["0"] * 30_000 + [str(n) for n in rng.integers(1, 500, 20_000)] + decimals, "S13")
    prefixes = np.array([f" {j + 1}:" for j in range(N_FEATURES)], "S5")
    with open(path, "wb") as file:
        for first in range(0, n_documents, ROWS_AT_A_TIME):
            rows = np.arange(first, min(first + ROWS_AT_A_TIME, n_documents))
            grades = rng.choice(5, rows.size, p=[0.52, 0.32, 0.13, 0.02, 0.01])
            heads = np.array([f"{g} qid:{r // DOCUMENTS_BY_QUERY}" for g, r in zip(grades, rows, strict=True)], "S16")
            tokens = np.zeros((rows.size, N_FEATURES), [("prefix", "S5"), ("value", "S13")])
            tokens["prefix"] = prefixes
            tokens["value"] = pool[rng.integers(0, pool.size, tokens.shape)]
            bytes_by_row = [heads[:, None], tokens, np.full((rows.size, 1), b"\n")]
            text = np.concatenate([part.view(np.uint8).reshape(rows.size, -1) for part in bytes_by_row], axis=1)
            file.write(text[text != 0].tobytes())


def assert_equal_answers(path):
    data = read_letor(path)
    X, y, qid = load_svmlight_file(str(path), query_id=True)
    assert np.array_equal(data.features.view(np.uint64), X.toarray().view(np.uint64))
    assert np.array_equal(data.grades, y)
    assert np.array_equal(np.array(data.query_ids, int)[data.judgments.query_of_document], qid)


def main():
    print(machine())
    with TemporaryDirectory() as folder:
        files = {name: Path(folder) / f"{name}.txt" for name in SIZES}
        for name, n_documents in SIZES.items():
            generate(files[name], n_documents)
        small, large = files["1x"], files["16x"]
        assert_equal_answers(small)

        ratio = compare(lambda: read_letor(large), lambda: load_svmlight_file(str(large), query_id=True), repeats=3)
        n_bytes = large.stat().st_size
        block = np.ones(n_bytes, np.uint8)
        copying = n_bytes / median_seconds(block.copy)
        report(
            "letor parsing, against scikit-learn",
            size=f"{n_bytes / 1e6:.0f} MB",
            ratio=ratio,
            reading=f"{n_bytes / min(ratio.ours) / 1e6:.0f} MB/s",
            copying=f"{copying / 1e6:.0f} MB/s on one core",
        )
        report(
            "letor parsing, growth",
            **{
                name: format_seconds(median_seconds(lambda path=path: read_letor(path))) for name, path in files.items()
            },
        )

        packed = large.with_suffix(".txt.gz")
        with open(large, "rb") as source, gzip.open(packed, "wb", compresslevel=1) as target:
            shutil.copyfileobj(source, target)
        for path, dtype, layout in [
            (large, "float64", "dense"),
            (large, "float32", "dense"),
            (large, "float64", "sparse"),
            (packed, "float64", "dense"),
        ]:
            command = [sys.executable, "-c", MEASURE_PEAK, str(small), str(path), dtype, layout]
            peak = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            report(f"letor parsing, peak memory, {path.name}, {dtype}, {layout}", arrays=f"{peak:.2f}x")
            assert peak <= MEMORY_LIMIT


if __name__ == "__main__":
    main()
