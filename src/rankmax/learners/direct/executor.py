"""Executor of a training's ascents, in this process or in several, with identical results."""

from __future__ import annotations

from functools import partial

from rankmax._io.interrupts import plain_interrupts
from rankmax.learners.direct.direct_training import AscentId, Training
from rankmax.learners.direct.training_progress import TrainingLog
from rankmax.learners.direct.worker_processes import run_in_workers
from rankmax.optimizers.cancellation import Cancellation
from rankmax.optimizers.journal import Journal
from rankmax.optimizers.journal_file import JournalFile


def run_ascents(
    training: Training, log: TrainingLog, journal: JournalFile | None, cancellation: Cancellation, *, n_jobs: int
) -> None:
    """Run all ascents that a log has planned; an interrupt stops them early if there is a result to keep.

    Parameters
    ----------
    training : Training
    log : TrainingLog
        Plans the ascents, and collects their results.
    journal : JournalFile, optional
        Recorded results, which are not computed again.
    cancellation : Cancellation
        Cancellation token; the first ascent is started in any case.
    n_jobs : int
        Maximum number of processes; with 1, or for a single ascent, everything runs in this process.
    """
    try:
        with plain_interrupts():
            if min(n_jobs, len(log.planned)) == 1:
                _run_here(training, log, journal, cancellation)
            else:
                run_in_workers(training, log, journal, cancellation, n_jobs=n_jobs)
    except KeyboardInterrupt:
        if not log.ascents:
            raise
        log.interrupted = True


def _run_here(training: Training, log: TrainingLog, journal: JournalFile | None, cancellation: Cancellation) -> None:
    for number, one in enumerate(log.planned):
        if number > 0 and cancellation.reason is not None:
            return
        ascent = training.ascend(
            one,
            callback=partial(log.improved, one),
            journal=_journal_of(one, journal),
            cancellation=cancellation,
        )
        log.ended(one, ascent)
        if journal is not None:
            journal.flush()
        if ascent.stopped_by == "interrupted":
            return


def _journal_of(one: AscentId, journal: JournalFile | None) -> Journal | None:
    return None if journal is None else Journal(journal.ascent(one.key).entries, partial(journal.append, one.key))
