"""Processes that compile kernels by running jobs.

Compiled kernels are cached on disk and shared by processes, so that jobs run in several at once, or while a process
does other work.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager

from rankmax.errors import RankmaxError
from rankmax.workflows.warm_up.jobs import JOBS


class WarmUpError(RankmaxError):
    """A job that compiles kernels failed."""


def warm_up(
    jobs: Sequence[str] = tuple(JOBS),
    *,
    n_processes: int | None = None,
    tick: Callable[[str], None] | None = None,
) -> int:
    """Compile all kernels that are not compiled yet, and return their number.

    Parameters
    ----------
    jobs : sequence of str
        Names of :data:`~rankmax.workflows.warm_up.jobs.JOBS`.
    n_processes : int, optional
        As many as there are processors by default; at most one for each job.
    tick : callable, optional
        Called with the name of each job that is done.
    """
    total = 0
    started: list[subprocess.Popen[str]] = []
    failed = threading.Event()

    def run(job: str) -> int:
        with warming_up(job) as process:
            started.append(process)
            if failed.is_set():
                process.kill()
            _, errors = process.communicate()
        if process.returncode:
            reason = errors.strip().rpartition("\n")[2] or f"status {process.returncode}"
            raise WarmUpError(f"kernels could not be compiled: the job {job} ended with {reason}")
        return int(errors)

    with ThreadPoolExecutor(n_processes or os.cpu_count() or 1) as pool:
        running = {pool.submit(run, job): job for job in jobs}
        try:
            for done in as_completed(running):
                total += done.result()
                if tick is not None:
                    tick(running[done])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            failed.set()
            for process in started:  # only ended here: the pipes belong to the threads that read them
                process.kill()
            raise
    return total


@contextmanager
def warming_up(*jobs: str) -> Iterator[subprocess.Popen[str]]:
    """Start a process that runs jobs, one after the other; it ends with the block.

    Parameters
    ----------
    *jobs : str
        Names of :data:`~rankmax.workflows.warm_up.jobs.JOBS`.

    Yields
    ------
    Popen
        It writes a line when each job is done: see :func:`wait_for_job`.

    Examples
    --------
    >>> with warming_up("training") as process:
    ...     pass  # other work, then wait_for_job(process)
    """
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", __name__, *jobs],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for_job(process: subprocess.Popen[str]) -> None:
    """Wait until the next job of a process is done, or the process has ended.

    Parameters
    ----------
    process : Popen
        Process started by :func:`warming_up`.
    """
    if process.stdout is not None:
        process.stdout.readline()


def _main(jobs: Sequence[str]) -> None:
    """Run jobs; write the name of each when it is done, and at last how many kernels were compiled."""
    import warnings

    from rankmax._kernels.compilation import KernelCache

    warnings.simplefilter("ignore")
    for job in jobs:
        JOBS[job]()
        print(job, flush=True)
    print(KernelCache.n_compiled, file=sys.stderr)


if __name__ == "__main__":
    _main(sys.argv[1:])
