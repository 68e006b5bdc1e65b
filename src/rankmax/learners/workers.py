"""Running the ascents of a training in several processes, with the same bits as in one."""

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

from rankmax.errors import IncompatibleError
from rankmax.interrupts import plain_interrupts, uninterrupted_children
from rankmax.learners.progress import Monitor
from rankmax.learners.running import Deadline, climb_here, climb_until, recorded
from rankmax.learners.training import Climb, Training
from rankmax.optimizers.base import Ascent, Progress
from rankmax.optimizers.journal import Entry
from rankmax.optimizers.journal_file import JournalFile

_THREADS = "NUMBA_NUM_THREADS"


def run_climbs(
    training: Training, monitor: Monitor, journal: JournalFile | None, deadline: Deadline, *, n_jobs: int
) -> None:
    """Run all ascents that a monitor waits for; an interrupt ends them, if there is something to keep.

    Parameters
    ----------
    training : Training
    monitor : Monitor
    journal : JournalFile, optional
        What is recorded there is not computed again.
    deadline : Deadline
        The first ascent is begun in any case.
    n_jobs : int
        Most processes to use; with 1, or for one ascent, all runs in this one.
    """
    try:
        with plain_interrupts():
            if min(n_jobs, len(monitor.climbs)) == 1:
                climb_here(training, monitor, journal, deadline)
            else:
                climb_in_workers(training, monitor, journal, deadline, n_jobs=n_jobs)
    except KeyboardInterrupt:
        if not monitor.ascents:
            raise
        monitor.interrupted = True


def climb_in_workers(
    training: Training,
    monitor: Monitor,
    journal: JournalFile | None,
    deadline: Deadline,
    *,
    n_jobs: int,
) -> None:
    """Run ascents in processes of their own, which get the data once and report all they find.

    An interrupt or an error here ends all of them; what they had found by then is in the monitor.

    Parameters
    ----------
    training, monitor, journal, deadline, n_jobs
        As in :func:`run_climbs`; each process uses its share of the threads.
    """
    waiting = deque(monitor.climbs)
    with _started(training, min(n_jobs, len(waiting))) as workers:
        idle, busy = list(workers), dict[Any, Climb]()
        while True:
            while idle and waiting and (waiting[0] is monitor.climbs[0] or not deadline.has_passed):
                worker, climb = idle.pop(), waiting.popleft()
                worker.send((climb, recorded(journal, climb), journal is not None, deadline.seconds_left))
                busy[worker] = climb
            if not busy:
                return
            for worker in wait(list(busy)):
                message = _receive(worker, workers)
                climb = busy[worker]
                if isinstance(message, Exception):
                    raise message
                if isinstance(message, Progress):
                    monitor.improved(climb, message)
                elif isinstance(message, Ascent):
                    monitor.ended(climb, message)
                    idle.append(worker)
                    del busy[worker]
                elif journal is not None:
                    journal.append(climb.key, message)


@contextmanager
def _started(training: Training, n_workers: int) -> Iterator[dict[Any, BaseProcess]]:
    """Give the connections to new processes, which end with the block."""
    from rankmax.kernels.threads import n_threads

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
            f"what is trained cannot be handed to another process ({error}); define metric, space and optimizer at "
            "the top level of a module, or train with n_jobs=1"
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
        climb, entries, keeps_journal, seconds = parent.recv()
        try:
            ascent = climb_until(
                Deadline(seconds),
                training,
                climb,
                callback=parent.send,
                entries=entries,
                write=parent.send if keeps_journal else None,
            )
            parent.send(ascent)
        except Exception as error:
            parent.send(error)
