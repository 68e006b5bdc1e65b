"""Interrupts while a kernel runs, in the library and on the command line, and processes that they do not reach."""

from __future__ import annotations

import ast
import ctypes
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from cli.conftest import rankmax  # noqa: F401 - a fixture
from rankmax import _kernels as kernels
from rankmax._io.interrupts import plain_interrupts, uninterrupted_children
from rankmax.cli.main import VERBS
from rankmax.data.synthetic import planted_linear
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.spaces import Euclidean


@pytest.fixture(scope="module")
def interrupted_kernel() -> Callable[[], object]:
    """Return a kernel that an interrupt meets while it works: numba raises it when it hands over the array."""
    send = getattr(ctypes.CDLL(None), "raise")
    send.argtypes = [ctypes.c_int]

    @njit
    def kernel(number: int) -> np.ndarray:
        send(number)
        return np.zeros(3)

    kernel(0)  # compiles; 0 is no signal
    return lambda: kernel(int(signal.SIGINT))


def test_numba_gives_an_interrupt_as_another_error(interrupted_kernel) -> None:
    """So that this file tests something."""
    with pytest.raises((SystemError, KeyboardInterrupt)):
        interrupted_kernel()
    with pytest.raises(KeyboardInterrupt), plain_interrupts():
        interrupted_kernel()


def test_no_kernel_gives_python_a_named_tuple() -> None:
    """If an interrupt comes meanwhile, numba calls a class that it could not load: signal 11."""
    trees = {str(path): ast.parse(path.read_text()) for path in Path(kernels.__file__).parent.rglob("*.py")}
    nodes = [(name, node) for name, tree in trees.items() for node in tree.body]
    named = {
        node.name
        for _, node in nodes
        if isinstance(node, ast.ClassDef) and "NamedTuple" in map(ast.unparse, node.bases)
    }
    assert "Extent" in named
    assert [
        f"{name}: {node.name}"
        for name, node in nodes
        if isinstance(node, ast.FunctionDef) and node.decorator_list and not node.name.startswith("_")
        if node.returns is not None and ast.unparse(node.returns) in named
    ] == []


def test_an_ascent_keeps_the_best_so_far(interrupted_kernel) -> None:
    objective = LinearObjective(planted_linear(20, 10, 5, noise=0.5, seed=1).data, AP())

    def interrupt(progress) -> None:
        if progress.n_lines > 2:
            interrupted_kernel()

    ascent = CoordinateAscent().maximize(
        objective, Euclidean(), start=np.ones(5), rng=np.random.default_rng(4), callback=interrupt
    )
    assert (ascent.stopped_by, ascent.n_lines) == ("interrupted", 3)
    assert ascent.value > objective.at(np.ones(5)).value


def test_a_verb_ends_with_one_line(rankmax, interrupted_kernel, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr(VERBS.load("demo"), "callback", lambda **_: interrupted_kernel())
    done = rankmax("demo")
    assert (done.status, done.err.strip(), done.out) == (130, "Interrupted.", "")


def test_an_interrupt_that_a_callback_loses_comes_again(rankmax, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """As in a callback of ctypes, where Python can only ignore it."""
    lossy = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))

    def work(**_: object) -> None:
        lossy()
        signal.pause()  # until it comes again

    monkeypatch.setattr(VERBS.load("demo"), "callback", work)
    done = rankmax("demo")
    assert (done.status, done.err.strip()) == (130, "Interrupted.")


def test_children_are_not_reached_and_the_parent_is(tmp_path) -> None:
    script = "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('goes on')"
    with pytest.raises(KeyboardInterrupt), uninterrupted_children():  # noqa: PT012 - it comes when the block ends
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert done.stdout == "goes on\n"
        signal.raise_signal(signal.SIGINT)
        done = None
    assert done is None
