from __future__ import annotations

import threading
from itertools import pairwise

import pytest

from rankmax.errors import ServerError, TransientServerError
from rankmax.workflows.deployment import parallel_requests
from rankmax.workflows.deployment.parallel_requests import ask_all
from rankmax.workflows.deployment.project_file import Requests


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_requests, "FIRST_PAUSE", 0.001)


def test_no_more_requests_at_a_time_than_allowed() -> None:
    busy, most, lock = 0, 0, threading.Lock()
    gate = threading.Event()

    def ask(task: int) -> int:
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
            if busy == 3:
                gate.set()
        gate.wait(5)
        with lock:
            busy -= 1
        return task

    assert sorted(ask_all(range(20), ask, Requests(parallel=3))) == [(n, n) for n in range(20)]
    assert most == 3


def test_the_rate_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    now, lock, turns = [0.0], threading.Lock(), []
    monkeypatch.setattr(parallel_requests.time, "monotonic", lambda: now[0])

    def pause(self: object, seconds: float) -> None:
        with lock:
            now[0] += seconds

    monkeypatch.setattr(parallel_requests._Pace, "pause", pause)
    list(ask_all(range(11), lambda task: turns.append(now[0]), Requests(parallel=1, per_second=5)))
    gaps = [b - a for a, b in pairwise(turns)]
    assert gaps == pytest.approx([0.2] * 10)


def test_failures_that_pass_are_repeated_as_often_as_allowed() -> None:
    asked: list[int] = []

    def ask(task: int) -> int:
        asked.append(task)
        raise TransientServerError("busy")

    with pytest.raises(TransientServerError, match="busy"):
        list(ask_all([7], ask, Requests(retries=4)))
    assert asked == [7] * 5


def test_all_wait_where_a_server_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[float] = []
    monkeypatch.setattr(parallel_requests._Pace, "hold", lambda self, seconds: held.append(seconds))
    failures = iter([TransientServerError("busy", 3.0), TransientServerError("busy", 1e9)])

    def ask(task: int) -> int:
        error = next(failures, None)
        if error is not None:
            raise error
        return task

    assert list(ask_all([1], ask, Requests())) == [(1, 1)]
    assert held == [3.0, parallel_requests.LONGEST_PAUSE]


def test_answers_on_their_way_are_not_lost() -> None:
    begun, failed = threading.Event(), threading.Event()

    def ask(task: str) -> str:
        if task == "bad":
            begun.wait(5)
            failed.set()
            raise ServerError("no")
        begun.set()
        failed.wait(5)
        return task

    answers = ask_all(["bad", "good", "never"], ask, Requests(parallel=2))
    assert next(answers) == ("good", "good")
    with pytest.raises(ServerError, match="no"):
        next(answers)
