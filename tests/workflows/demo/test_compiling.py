from __future__ import annotations

import subprocess
import sys

import pytest

from rankmax.workflows.demo.compiling import compiling_ahead, wait_for_training


def test_the_process_does_its_work() -> None:
    with compiling_ahead() as process:
        assert process.wait() == 0


def test_training_can_begin_before_all_is_compiled() -> None:
    with compiling_ahead() as process:
        wait_for_training(process)
        wait_for_training(process)  # returns at the end at the latest
        assert process.wait() == 0


def test_the_process_ends_with_the_block() -> None:
    with pytest.raises(ZeroDivisionError), compiling_ahead() as process:
        raise ZeroDivisionError
    assert process.returncode is not None


def test_it_prints_nothing() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from rankmax.workflows.demo.compiling import compiling_ahead\nwith compiling_ahead(): pass",
        ],
        capture_output=True,
        check=True,
    )
    assert done.stdout == done.stderr == b""
