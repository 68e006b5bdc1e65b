"""Worker processes for the ascents of a training."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any

from rankmax._io.interrupts import uninterrupted_children
from rankmax.errors import IncompatibleError
from rankmax.learners.direct.direct_training import AscentId, Training
from rankmax.learners.direct.training_progress import TrainingLog
from rankmax.optimizers.cancellation import Cancellation
from rankmax.optimizers.journal import Entry, Journal
from rankmax.optimizers.journal_file import JournalFile
from rankmax.optimizers.optimizer import Ascent, Progress

_THREADS = "NUMBA_NUM_THREADS"


def run_in_workers(
    training: Training,
    log: TrainingLog,
    journal: JournalFile | None,
    cancellation: Cancellation,
    *,
    n_jobs: int,
) -> None:
    """Run ascents in worker processes, which receive the data once and report all results.

    An interrupt or an error in this process ends all of them; their results so far are in the log.

    Parameters
    ----------
    training, log, journal, cancellation, n_jobs
        See :func:`~rankmax.learners.direct.executor.run_ascents`. Each process uses its share of the threads.
    """
    waiting = deque(log.planned)
    with _started(training, min(n_jobs, len(waiting))) as workers:
        idle, busy = list(workers), dict[Any, AscentId]()
        while True:
            while idle and waiting and (waiting[0] is log.planned[0] or cancellation.reason is None):
                worker, one = idle.pop(), waiting.popleft()
                entries = None if journal is None else journal.ascent(one.key).entries
                worker.send((one, entries, cancellation.seconds_left))
                busy[worker] = one
            if not busy:
                return
            for worker in wait(list(busy)):
                message = _receive(worker, workers)
                one = busy[worker]
                if isinstance(message, Exception):
                    raise message
                if isinstance(message, Progress):
                    log.improved(one, message)
                elif isinstance(message, Ascent):
                    log.ended(one, message)
                    idle.append(worker)
                    del busy[worker]
                elif journal is not None:
                    journal.append(one.key, message)


@contextmanager
def _started(training: Training, n_workers: int) -> Iterator[dict[Any, BaseProcess]]:
    """Yield connections to new processes, which end with the block."""
    from rankmax._kernels.threads import n_threads

    _require_portable(training)
    context = multiprocessing.get_context("spawn")
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = str(max(1, n_threads() // n_workers))  # a new process reads it when numba loads
    workers: dict[Any, BaseProcess] = {}
    try:
        for _ in range(n_workers):
            ours, theirs = context.Pipe()
            process: BaseProcess = context.Process(target=_work, args=(theirs, training), daemon=True)
            with uninterrupted_children():
                process.start()
            theirs.close()
            workers[ours] = process
        yield workers
    finally:
        if before is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = before
        for connection, process in workers.items():
            process.terminate()
            process.join()
            connection.close()


def _require_portable(training: Training) -> None:
    try:
        ForkingPickler.dumps((training.metric, training.space, training.optimizer))
    except Exception as error:
        raise IncompatibleError(
            f"the training cannot be sent to another process ({error}); define metric, space and optimizer at the top "
            "level of a module, or train with n_jobs=1"
        ) from None


def _receive(worker: Any, workers: dict[Any, BaseProcess]) -> Entry | Progress | Ascent | Exception:
    try:
        message: Entry | Progress | Ascent | Exception = worker.recv()
    except EOFError:
        workers[worker].join()
        if workers[worker].exitcode == -signal.SIGTERM:  # whoever ends a job may end its processes one by one
            raise KeyboardInterrupt from None
        raise IncompatibleError(
            f"a worker process ended unexpectedly (exit code {workers[worker].exitcode}); each needs memory for the "
            'data, and a script that trains with n_jobs > 1 must do so below `if __name__ == "__main__":`'
        ) from None
    return message


def _work(parent: Connection, training: Training) -> None:
    """Run the ascents that the parent asks for, until it ends this process."""
    while True:
        one, entries, seconds = parent.recv()
        journal = None if entries is None else Journal(entries, parent.send)
        try:
            parent.send(training.ascend(one, callback=parent.send, journal=journal, cancellation=Cancellation(seconds)))
        except Exception as error:
            parent.send(error)
