from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP
from rankmax.optimizers import ascent_state as ascent_state_module
from rankmax.optimizers import journal_file as module
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.journal import Entry, Journal
from rankmax.optimizers.journal_file import JournalFile
from rankmax.optimizers.optimizer import Budget
from rankmax.spaces import Euclidean

FINGERPRINT = {"data": "blake2b:12", "metric": "AP", "seed": 3, "directions": [[0.5, 1.0]]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ap.journal"


def objective() -> LinearObjective:
    return LinearObjective(planted_linear(20, 10, 5, noise=0.5, seed=1).data, AP())


def ascend(journal, *, budget=None, start=(1.0,) * 5, callback=None, problem=None):
    return CoordinateAscent(shuffled=True, budget=budget or Budget()).maximize(
        problem or objective(),
        Euclidean(),
        start=start,
        rng=np.random.default_rng(4),
        journal=journal,
        callback=callback,
    )


def numbers(ascent):
    steps = [(step.n_lines, step.value, step.weights.tolist()) for step in ascent.history]
    return ascent.weights.tolist(), ascent.value, ascent.n_lines, ascent.n_evaluations, steps


class TestResumedAscent:
    def test_an_interrupt_leaves_a_file_to_resume_from(self, path, monkeypatch) -> None:
        """Nothing is written in between, so what is in the file was written because of the interrupt."""
        monkeypatch.setattr(module, "_SECONDS_BETWEEN_FLUSHES", np.inf)

        def interrupt(progress) -> None:
            if progress.n_lines > 2:
                raise KeyboardInterrupt

        file = JournalFile(path, FINGERPRINT)
        stopped = ascend(file.ascent("a"), callback=interrupt)
        assert stopped.stopped_by == "interrupted"
        assert path.read_bytes().count(b"\n") == 2 + stopped.n_lines
        copy = shutil.copy(path, path.with_name("copy"))  # as the file itself is locked
        with JournalFile(copy, FINGERPRINT) as again:
            resumed = ascend(again.ascent("a"))
        assert numbers(resumed) == numbers(ascend(None))
        assert stopped.n_lines < resumed.n_lines
        file.close()

    def test_a_finished_ascent_is_replayed_without_computing_anything(self, monkeypatch) -> None:
        journal = Journal()
        problem = objective()
        first = ascend(journal, problem=problem)

        def refuse(*_, **__):
            raise AssertionError

        for method in ("at", "line_search", "values"):
            monkeypatch.setattr(problem, method, refuse)
        again = ascend(Journal(journal.entries), problem=problem)
        assert numbers(again) == numbers(first)
        assert [step.seconds for step in again.history] == [step.seconds for step in first.history]

    @pytest.mark.parametrize(
        ("budget", "more"),
        [
            (Budget(lines=4), Budget(lines=9)),
            (Budget(lines=4), Budget()),
            (Budget(evaluations=1), Budget()),
        ],
    )
    def test_what_is_replayed_counts(self, budget, more) -> None:
        journal = Journal()
        short = ascend(journal, budget=budget)
        assert numbers(ascend(Journal(journal.entries), budget=budget)) == numbers(short)
        assert numbers(ascend(Journal(journal.entries), budget=more)) == numbers(ascend(None, budget=more))

    def test_time_goes_on_from_where_it_was(self, monkeypatch) -> None:
        """By a clock that ticks once a look: a resumed ascent stops where the time was up, or goes on with more."""
        now = iter(range(10**9))
        monkeypatch.setattr(ascent_state_module.time, "monotonic", lambda: float(next(now)))
        journal = Journal()
        short = ascend(journal, budget=Budget(seconds=20.0))
        assert short.stopped_by == "seconds"
        assert 0 < short.n_lines < ascend(None).n_lines
        assert journal.entries[-1].kind == "stop"
        resumed = Journal(journal.entries)
        assert numbers(ascend(resumed, budget=Budget(seconds=20.0))) == numbers(short)
        assert resumed.entries == journal.entries
        longer = ascend(resumed := Journal(journal.entries), budget=Budget(seconds=40.0))
        assert short.n_lines < longer.n_lines <= 2 * short.n_lines + 2
        assert numbers(ascend(Journal(resumed.entries), budget=Budget(seconds=40.0))) == numbers(longer)
        assert numbers(ascend(Journal(resumed.entries), budget=Budget(seconds=20.0))) == numbers(short)
        assert numbers(ascend(Journal(resumed.entries))) == numbers(ascend(None))

    @pytest.mark.parametrize(
        ("entry", "message"),
        [
            (Entry("points", 0), "its entry 3 is of kind 'points', and now 'line' is asked for"),
            (Entry("line", 0), "its entry 3 is of kind 'line', and now another 'line' is asked for"),
        ],
    )
    def test_another_question_is_an_error(self, entry, message) -> None:
        journal = Journal()
        ascend(journal)
        with pytest.raises(IncompatibleError, match=message):
            ascend(Journal([*journal.entries[:2], entry]))

    def test_another_start_is_an_error(self) -> None:
        journal = Journal()
        ascend(journal)
        with pytest.raises(IncompatibleError, match="entry 1 is of kind 'start', and now another 'start'"):
            ascend(Journal(journal.entries), start=(1.0, 1.0, 1.0, 1.0, 2.0))
