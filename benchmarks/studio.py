"""How long does the studio's page wait for an answer while a weight is dragged, and does it stay responsive?

Data      All of MQ2008 (784 queries, 46 features; of the tests' folder of real data), nDCG@10; then a synthetic problem
          of a million documents (10,000 queries, 20 features), alone and while a surface is being computed.
Baseline  The same reading made afresh, as two commands would: score, evaluate, and draw the bootstrap samples.
Prints    Milliseconds of a reading over HTTP, median and worst of 40; the ratio to the baseline; processor time of a
          reading; for a million documents also the time of a small answer (the list of files) meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import numpy as np
from harness import compare, report

from rankmax.data.splits import concatenate
from rankmax.data.synthetic import planted_linear
from rankmax.evaluation import bootstrap
from rankmax.evaluation.comparison import compare_systems
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.formats.letor import read_letor
from rankmax.formats.registry import read_dataset, write_dataset
from rankmax.models import LinearModel
from rankmax.studio.security import Access
from rankmax.studio.server import StudioServer
from rankmax.workflows.projects.project import Project

SHARED = Path(__file__).parents[2] / "shared" / "data"
METRIC = "nDCG@10"
N_READINGS = 40


def ask(access: Access, path: str, body: Any = None) -> bytes:
    headers = {"Cookie": f"{access.cookie}={access.token}", "Origin": access.origin}
    connection = HTTPConnection("127.0.0.1", access.port)
    try:
        connection.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body), headers)
        return connection.getresponse().read()
    finally:
        connection.close()


def question(features: tuple[str, ...], weights: Any) -> dict[str, Any]:
    current = dict(zip(features, np.asarray(weights).tolist(), strict=True))
    reference = dict.fromkeys(features, 1.0)
    return {"data": "data.npz", "metric": METRIC, "current": {"weights": current}, "reference": {"weights": reference}}


def milliseconds(action: Callable[[], Any]) -> float:
    began = time.perf_counter()
    action()
    return 1000 * (time.perf_counter() - began)


def described(times: list[float]) -> str:
    return f"{statistics.median(times):.1f} ms, worst {max(times):.1f} ms"


def small(folder: Path, collection: Path) -> None:
    data = concatenate([read_letor(collection / f"S{i}.txt.gz") for i in range(1, 6)])
    write_dataset(data, folder / "data.npz")
    names, rng = data.feature_names, np.random.default_rng(0)
    with StudioServer(Project.at(folder), port=0).in_background() as server:
        weights = rng.random((N_READINGS, data.n_features))
        told = json.loads(ask(server.access, "/api/read", question(names, weights[0])))

        def afresh(w: Any) -> float:
            bootstrap._kept_draws.cache_clear()
            ours, theirs = (
                evaluate_scores(LinearModel(v, names).scores(data), data, [METRIC]) for v in (w, np.ones(len(names)))
            )
            ours.intervals()
            bootstrap._kept_draws.cache_clear()
            [row] = compare_systems({"a": ours.values[0], "b": theirs.values[0]}, "b", n_permutations=1).rows
            return row.mean

        assert abs(told["value"] - afresh(weights[0])) < 1e-12
        ratio = compare(
            lambda: ask(server.access, "/api/read", question(names, weights[1])), lambda: afresh(weights[1])
        )
        began = time.process_time()
        times = [milliseconds(lambda w=w: ask(server.access, "/api/read", question(names, w))) for w in weights]
        processor = f"{1000 * (time.process_time() - began) / len(times):.1f} ms"
    report("a reading, MQ2008", time=described(times), processor=processor, against_afresh=str(ratio))


def large(folder: Path) -> None:
    problem = planted_linear(10_000, 100, 20, noise=1.0, seed=0).data
    write_dataset(problem, folder / "data.npz")
    names, rng = read_dataset(folder / "data.npz").feature_names, np.random.default_rng(0)
    with StudioServer(Project.at(folder), port=0).in_background() as server:
        opening = milliseconds(lambda: ask(server.access, "/api/read", question(names, rng.random(20))))

        def readings() -> tuple[str, str]:
            times, others = [], []
            began = time.process_time()
            for _ in range(N_READINGS // 2):
                asked = question(names, rng.random(20))
                times.append(milliseconds(lambda asked=asked: ask(server.access, "/api/read", asked)))
                others.append(milliseconds(lambda: ask(server.access, "/api/project")))
            spent.append(1000 * (time.process_time() - began) / len(times))
            return described(times), described(others)

        spent: list[float] = []
        alone, listing = readings()
        processor = f"{spent[0]:.0f} ms"
        report("a million documents", opening=f"{opening:.0f} ms", reading=alone, processor=processor, listing=listing)
        survey = {**question(names, np.ones(20)), "features": list(names[:3])}
        del survey["reference"]
        surface = threading.Thread(target=ask, args=(server.access, "/api/survey", survey))
        began = time.perf_counter()
        surface.start()
        busy, listing = readings()
        running = surface.is_alive()
        surface.join()
        report(
            "a million documents, while a surface is computed",
            reading=busy,
            listing=listing,
            surface=f"{time.perf_counter() - began:.0f} s",
            to_the_end=running,
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("RANKMAX_DATA", SHARED)) / "letor" / "MQ2008"
    options.add_argument("--folder", type=Path, default=default)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if chosen.folder.is_dir():
            small(Path(folder), chosen.folder)
        else:
            print(f"skipped: no folder {chosen.folder}")
    with tempfile.TemporaryDirectory() as folder:
        large(Path(folder))


if __name__ == "__main__":
    main()
