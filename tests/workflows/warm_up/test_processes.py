from __future__ import annotations

import subprocess
import sys

import pytest

from rankmax.workflows.warm_up.jobs import JOBS
from rankmax.workflows.warm_up.processes import WarmUpError, wait_for_job, warm_up, warming_up


def test_a_job_is_run_once_and_what_it_compiled_is_kept() -> None:
    done: list[str] = []
    warm_up(["text"], n_processes=1, tick=done.append)
    assert done == ["text"]
    assert warm_up(["text"]) == 0


def test_a_job_that_fails_is_an_error_with_its_reason() -> None:
    with pytest.raises(WarmUpError, match=r"job nothing ended with KeyError: 'nothing'"):
        warm_up(["nothing"])


def test_a_job_that_fails_is_named_while_others_run() -> None:
    for _ in range(3):  # closing the pipes that a thread reads from gave "Bad file descriptor" instead, now and then
        with pytest.raises(WarmUpError, match=r"job nothing ended with KeyError: 'nothing'"):
            warm_up(["learners", "nothing", "text"], n_processes=2)


def test_work_can_begin_as_soon_as_its_job_is_done() -> None:
    with warming_up("text", "text") as process:
        wait_for_job(process)
        wait_for_job(process)
        wait_for_job(process)  # returns at the end at the latest
        assert process.wait() == 0


def test_the_process_ends_with_the_block() -> None:
    with pytest.raises(ZeroDivisionError), warming_up(*JOBS) as process:
        raise ZeroDivisionError
    assert process.returncode is not None


def test_it_prints_nothing() -> None:
    program = "from rankmax.workflows.warm_up.processes import warming_up\nwith warming_up('text'): pass"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == done.stderr == b""
