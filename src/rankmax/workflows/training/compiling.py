"""Compiling in another process, while this one has other things to do.

Compiled kernels are kept on disk, where processes find what others have compiled. The first training after an
installation would wait most of a minute for its kernels; a process that trains on made-up data makes them ahead.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_QUERIES, _DOCUMENTS = 200, 60  # enough that several threads work, which takes other kernels


@contextmanager
def compiling_ahead() -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that compiles what training needs, and then what its pictures need; it ends with the block.

    It writes a line when the former is done, so that training can begin: see :func:`wait_for_training`.

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
    """Return when what training needs is compiled, or the process has ended.

    Parameters
    ----------
    process : Popen
        Of :func:`compiling_ahead`.
    """
    if process.stdout is not None:
        process.stdout.readline()


def _compile() -> None:
    """Train once, for a metric that looks at all ranks and for one that looks at few, and draw what was found."""
    import numpy as np

    from rankmax.data.synthetic import planted_linear
    from rankmax.evaluation.compare import compare_systems
    from rankmax.learners.linear_ranker import LinearRanker
    from rankmax.metrics import parse
    from rankmax.workflows.profile import profile_weight
    from rankmax.workflows.surface.surface import metric_surface

    data = planted_linear(_QUERIES, _DOCUMENTS, 3, noise=1.0, seed=0).data
    models = {
        metric: LinearRanker(metric, space, n_restarts=1).fit_dataset(data).model_
        for metric, space in (("AP", "simplex"), ("nDCG@10", "euclidean"))
    }
    print("training", flush=True)
    for metric, model in models.items():
        profile_weight(model, data, "f1", parse(metric))
        metric_surface(data, data.feature_names, parse(metric), resolution=2)
    rng = np.random.default_rng(0)
    compare_systems({"a": rng.random(20), "b": rng.random(20)}, "a", n_permutations=100)


if __name__ == "__main__":
    _compile()
