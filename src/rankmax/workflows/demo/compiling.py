"""Compilation of kernels in another process, while this one does other work.

Compiled kernels are cached on disk and shared by processes. The first training after an installation would wait most
of a minute for its kernels; a process that trains on synthetic data compiles them ahead.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_QUERIES, _DOCUMENTS = 200, 60  # enough for several threads, which use other kernels


@contextmanager
def compiling_ahead() -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that compiles the kernels of training, then those of its plots; it ends with the block.

    It writes a line when the first are done, so that training can begin: see :func:`wait_for_training`.

    Examples
    --------
    >>> with compiling_ahead() as process:
    ...     pass  # other work, then wait_for_training(process)
    """
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", __name__],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for_training(process: subprocess.Popen[bytes]) -> None:
    """Wait until the kernels of training are compiled, or the process has ended.

    Parameters
    ----------
    process : Popen
        Process started by :func:`compiling_ahead`.
    """
    if process.stdout is not None:
        process.stdout.readline()


def _compile() -> None:
    """Train once for a metric over all ranks and once for one with a cutoff, and draw the results."""
    import numpy as np

    from rankmax.data.synthetic import planted_linear
    from rankmax.evaluation.comparison import compare_systems
    from rankmax.learners.direct.linear_ranker import LinearRanker
    from rankmax.metrics import parse_metric
    from rankmax.workflows.surface.surface import metric_surface
    from rankmax.workflows.weight_profile import profile_weight

    data = planted_linear(_QUERIES, _DOCUMENTS, 3, noise=1.0, seed=0).data
    models = {
        metric: LinearRanker(metric, space, n_restarts=1, smoothing=0.0).fit_dataset(data).model_
        for metric, space in (("AP", "simplex"), ("nDCG@10", "euclidean"))
    }
    print("training", flush=True)
    for metric, model in models.items():
        profile_weight(model, data, "f1", parse_metric(metric))
        metric_surface(data, data.feature_names, parse_metric(metric), resolution=2)
    rng = np.random.default_rng(0)
    compare_systems({"a": rng.random(20), "b": rng.random(20)}, "a", n_permutations=100)


if __name__ == "__main__":
    _compile()
