"""What does it cost to leave the data with a backend: on disk, or in the memory of Dask's workers?

Data      Synthetic with MSLR's shape (136 features, float32, about 120 documents per query), made in shards of up to
          250,000 documents in --folder, where a second run finds them; all of --documents, and a quarter of them.
Baseline  The same work by one backend in this process (`local`), and on the joined data without any backend where that
          is small enough.
Prints    For each size and backend: reading, the value at a point, one exact line of nDCG@10 along an axis and along
all
          weights, a cycle of 136 lines of coordinate ascent; rounds and bytes between the driver and the data; the most
          memory of the driver and of a worker. Every backend must find the same bits. Then Dask's overhead: the same
          lines by one worker with one thread, and by one thread here, in turns.
Run       python benchmarks/backends.py --documents 20000000 --folder FOLDER      (11 GB on disk)
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from harness import Results, compare, format_seconds, machine, markdown_table

from rankmax.backends.backend import Backend, Traffic
from rankmax.backends.dask import DaskBackend
from rankmax.backends.distributed_dataset import DistributedDataset
from rankmax.backends.distributed_objective import DistributedObjective
from rankmax.backends.local import LocalBackend
from rankmax.data.splits import concatenate
from rankmax.data.synthetic import mslr_like
from rankmax.formats.registry import read_dataset, write_dataset
from rankmax.formats.shards import Shards
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.line_search.objective import Objective, ScoredPoint
from rankmax.metrics import parse_metric
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.optimizer import Budget
from rankmax.spaces import Euclidean

QUERY = 120  # documents, on average
SHARD = 250_000  # documents, at most
JOINED = 3_000_000  # documents that are also worked on without a backend
METRIC = parse_metric("nDCG@10")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=400_000)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "rankmax-backends")
    parser.add_argument("--lines", type=int, default=136, help="of the cycle")
    parser.add_argument("--fresh", action="store_true", help="measure again what an earlier run has measured")
    options = parser.parse_args()
    results = Results(f"backends-{options.documents}", fresh=options.fresh)
    files = made_shards(options.folder, options.documents)
    rows = []
    for part, size in ((files[: -(-len(files) // 4)], options.documents // 4), (files, options.documents)):
        found = {
            name: results.get(f"{size} {name}", partial(in_own_process, measure, name, part, options.lines))
            for name in backends_for(size)
        }
        answers = {name: one["answers"] for name, one in found.items()}
        assert len({repr(answer) for answer in answers.values()}) == 1, answers
        rows += [[f"{size:,}", name, *described(one)] for name, one in found.items()]
    print(f"{machine()}; {METRIC}; lines of the cycle: {options.lines}")
    header = ["documents", "backend", "read", "value", "axis", "line", "cycle", "rounds", "sent", "received"]
    print(markdown_table([*header, "driver", "worker"], rows))
    overhead = results.get("overhead", partial(in_own_process, overhead_of_dask, files[: -(-len(files) // 4)]))
    for what in ("axis", "line"):
        print(f"time here / time by a worker of Dask, one thread each, {what}: {overhead[what]}")


def backends_for(size: int) -> list[str]:
    joined = ["none"] if size <= JOINED else []
    return [*joined, "local", "local, a third in memory", "dask, 1 worker", "dask, 2 workers"]


def made_shards(folder: Path, n_documents: int) -> list[str]:
    """Return the files of so many documents, made where they are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    size = min(SHARD, max(QUERY, n_documents // 64))
    files = []
    for number in range(-(-n_documents // size)):
        path = folder / f"{size}-{number:05d}.npz"
        if not path.exists():
            data = mslr_like(size // QUERY, seed=number)
            ids = tuple(f"{number}-{query}" for query in data.query_ids)
            write_dataset(replace(data, judgments=replace(data.judgments, query_ids=ids)), path)
        files.append(str(path))
    return files


def in_own_process(function: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Call a function where nothing else has taken memory; workers need a process that may start others."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def measure(name: str, files: list[str], n_lines: int) -> dict[str, Any]:
    began = time.perf_counter()
    backend = started(name, sum(os.path.getsize(file) for file in files))
    start = np.full(136, 1 / 136)
    with backend:
        objective = objective_over(backend if name != "none" else None, files)
        point = objective.at(start)
        read = time.perf_counter() - began
        slope = np.random.default_rng(0).normal(size=136) * np.abs(start)
        steps: dict[str, Callable[[ScoredPoint], ScoredPoint]] = {
            "value": lambda place: objective.at(place.weights * 1.01),
            "axis": lambda place: objective.line_search(place, np.eye(136)[9]),
            "line": lambda place: objective.line_search(place, slope),
        }
        answers, spent = [], {"read": read}
        for step, work in steps.items():
            work(point)  # warm
            elsewhere = objective.at(start * (1 + 1e-3 * np.cos(np.arange(136))))  # where nothing is known of the line
            before, began = Traffic(**vars(backend.traffic)), time.perf_counter()
            reached = work(elsewhere)
            spent[step] = time.perf_counter() - began
            spent[f"{step} traffic"] = vars(backend.traffic - before)
            answers += [reached.value, float(np.abs(reached.weights).sum())]
        before, began = Traffic(**vars(backend.traffic)), time.perf_counter()
        ascent = CoordinateAscent(budget=Budget(lines=n_lines)).maximize(
            objective, Euclidean(), start=start, rng=np.random.default_rng(0)
        )
        spent["cycle"] = time.perf_counter() - began
        spent["cycle traffic"] = vars(backend.traffic - before)
        answers += [ascent.value, float(np.abs(ascent.weights).sum())]
        workers = list(backend.client.run(most_bytes).values()) if isinstance(backend, DaskBackend) else []
    return {**spent, "answers": answers, "driver bytes": most_bytes(), "worker bytes": max(workers, default=0)}


def started(name: str, n_bytes: int) -> Backend:
    if name.startswith("dask"):
        return DaskBackend(n_workers=int(name.split()[1]))
    return LocalBackend(memory=n_bytes // 3 if "third" in name else None)


def objective_over(backend: Backend | None, files: list[str]) -> Objective:
    if backend is None:
        return LinearObjective(concatenate([read_dataset(file) for file in files]), METRIC)
    return DistributedObjective(DistributedDataset(backend, Shards.at(files)), METRIC)


def overhead_of_dask(files: list[str]) -> dict[str, Any]:
    """Compare lines in this process with lines by one worker, each with one thread."""
    import numba

    numba.config.NUMBA_NUM_THREADS = 1
    os.environ["NUMBA_NUM_THREADS"] = "1"
    slope = np.random.default_rng(0).normal(size=136) / 136
    with LocalBackend() as here, DaskBackend(n_workers=1, n_threads=1) as there:
        objectives = [objective_over(backend, files) for backend in (there, here)]
        return {
            what: str(compare(*(partial(one_line, objective, direction, count(1)) for objective in objectives)))
            for what, direction in (("axis", np.eye(136)[9]), ("line", slope))
        }


def one_line(objective: Objective, direction: np.ndarray, turns: Iterator[int]) -> ScoredPoint:
    """Search a line from a point where no line has been searched before, with its value."""
    return objective.line_search(
        objective.at(np.full(136, 1 / 136) * (1 + 1e-3 * np.cos(np.arange(136) * next(turns)))), direction
    )


def most_bytes() -> int:
    """Return the most resident memory this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def described(one: dict[str, Any]) -> list[str]:
    times = [format_seconds(one[step]) for step in ("read", "value", "axis", "line", "cycle")]
    line = one["line traffic"]
    traffic = [str(line["rounds"]), f"{line['sent'] / 1e3:.0f} kB", f"{line['received'] / 1e3:.0f} kB"]
    memory = [f"{one[part] / 1e9:.2f} GB" if one[part] else "" for part in ("driver bytes", "worker bytes")]
    return [*times, *traffic, *memory]


if __name__ == "__main__":
    main()
