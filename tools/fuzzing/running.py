"""Running inputs one by one, here or in a process of their own, and what is wrong with those that fail."""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import signal
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_int64
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any

from fuzzing.checks import AcceptedGarbageError
from fuzzing.targets import TARGETS, Target
from rankmax.errors import RankmaxError

SECONDS = 20
"""For one input; a reader that takes longer hangs. A busy machine takes a second for the slowest."""

_WARM_UP = 600  # seconds for a process to read intact inputs, which may compile kernels
_MEMORY = 6 << 30  # bytes of address space beyond what a process has when it begins


@dataclass(frozen=True)
class Finding:
    """An input that something is wrong with.

    Attributes
    ----------
    target : str
    number : int
        Of the input; with the seed it gives the same bytes again.
    kind : str
        "crash", "hang", "foreign exception" or "accepted garbage".
    what : str
        The exception, or the signal.
    where : str
        The last line of rankmax that was reached.
    """

    target: str
    number: int
    kind: str
    what: str
    where: str


class HangError(BaseException):
    """An input took too long; no reader catches it by accident."""


def schedule(targets: Sequence[Target], number: int) -> Target:
    """Return the target of an input: each has its share.

    Parameters
    ----------
    targets : sequence of Target
    number : int
        Of the input.

    Examples
    --------
    >>> schedule(TARGETS, 0).name == schedule(TARGETS, 0).name
    True
    """
    return random.Random(number).choices(targets, [target.share for target in targets])[0]


def run_input(target: Target, number: int, seed: int, folder: Path) -> Finding | None:
    """Write one input, read it, and return what is wrong, if anything is.

    Parameters
    ----------
    target : Target
    number, seed : int
    folder : path
        To write to.
    """
    rng = random.Random(f"{seed} {target.name} {number}")
    path = target.write(rng, folder)
    try:
        with _deadline(SECONDS):
            target.use(path)
    except RankmaxError as error:
        str(error)  # a message that cannot be made is a finding, too
        return None
    except AcceptedGarbageError as error:
        return Finding(target.name, number, "accepted garbage", str(error)[:300], "")
    except HangError as error:
        return Finding(target.name, number, "hang", f"more than {SECONDS} s", _where(error))
    except Exception as error:
        what = f"{type(error).__name__}: {error}"[:300]
        return Finding(target.name, number, "foreign exception", what, _where(error))
    return None


def run_apart(
    targets: Sequence[Target], seed: int, *, inputs: int | None = None, seconds: float | None = None
) -> Iterator[int | Finding]:
    """Run inputs in a process of its own, and yield findings and, now and then, the number of inputs run.

    A process that dies, or hangs in compiled code, is a finding; another one goes on behind that input.

    Parameters
    ----------
    targets : sequence of Target
    seed : int
    inputs : int, optional
        How many; without bound when left out.
    seconds : float, optional
        For how long; without bound when left out.
    """
    context = multiprocessing.get_context("spawn")
    ends = time.monotonic() + (seconds or 1e9)
    first, last = 0, inputs if inputs is not None else 1 << 62
    names = [target.name for target in targets]
    while first < last and time.monotonic() < ends:
        current = context.Value(c_int64, first - 1)  # the input at hand, none yet
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(
            target=_work, args=(names, seed, first, last, ends - time.monotonic(), current, sender), daemon=True
        )
        process.start()
        sender.close()
        seen, since, failed = first - 1, time.monotonic() + _WARM_UP, ""
        while not failed:
            try:
                if receiver.poll(1.0):
                    yield receiver.recv()
                    continue
            except EOFError:
                process.join()
                break
            if current.value > seen:
                seen, since = current.value, time.monotonic()
            elif time.monotonic() - since > 3 * SECONDS:  # not even the alarm came through
                failed = "hang"
                process.kill()
                process.join()
        code = process.exitcode or 0
        at = current.value
        if (failed or code) and at < first:
            raise RuntimeError(f"reading intact inputs failed: {failed or _ending(code)}")
        if failed or code:
            what = "compiled code that does not end" if failed else _ending(code)
            yield Finding(schedule(targets, at).name, at, failed or "crash", what, "")
            first = at + 1
        else:
            first = last
        yield at


def _work(
    names: Sequence[str], seed: int, first: int, last: int, seconds: float, current: Any, sender: Connection
) -> None:
    targets = [target for target in TARGETS if target.name in names]
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + _MEMORY, resource.RLIM_INFINITY))
    ends = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="rankmax-fuzz-") as folder:
        for target in targets:
            target.use_intact(Path(folder))
        for number in range(first, last):
            if time.monotonic() > ends:
                break
            current.value = number
            finding = run_input(schedule(targets, number), number, seed, Path(folder))
            if finding is not None:
                sender.send(finding)
        else:
            number = last
        current.value = number
    sender.close()


@contextmanager
def _deadline(seconds: int) -> Iterator[None]:
    def ring(_: int, __: FrameType | None) -> None:
        raise HangError

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if f"{os.sep}rankmax{os.sep}" in frame.filename]
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""


def _ending(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
