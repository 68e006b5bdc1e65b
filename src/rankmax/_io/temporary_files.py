"""Temporary files beside their targets; leftovers of killed processes are removed."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from rankmax._io.locked_files import is_at, lock

_ATTEMPTS = 20  # to create a file that is not removed by another process before it is locked


@contextmanager
def temporary_beside(target: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """Yield a new file beside `target` and its path; it is removed at the end unless it was moved.

    It is locked until then, even after it was closed. So the next writer of the same target recognizes abandoned files,
    and removes them; where files cannot be locked, they stay.

    Parameters
    ----------
    target : Path

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with temporary_beside(Path(folder, "model.json")) as (file, path):
    ...         file.close()
    ...         _ = path.rename(f"{folder}/model.json")
    ...     os.listdir(folder)
    ['model.json']
    """
    _clear_left_beside(target)
    file, path, held = _new_beside(target)
    try:
        with file:
            yield file, path
    finally:
        path.unlink(missing_ok=True)
        if held is not None:
            os.close(held)


def _new_beside(target: Path) -> tuple[IO[bytes], Path, int | None]:
    """Return a new file, its path, and the descriptor that holds its lock after it is closed."""
    for _ in range(_ATTEMPTS):
        path = target.with_name(_beginning(target) + secrets.token_hex(8))
        file = open(path, "xb")  # noqa: SIM115 - closed by the caller
        if os.name == "nt":  # an open file cannot be moved there
            return file, path, None
        held = os.dup(file.fileno())
        if lock(held) is not False and is_at(held, path):
            return file, path, held
        file.close()  # before it was locked, another writer took it for abandoned
        os.close(held)
        path.unlink(missing_ok=True)
    raise BlockingIOError(errno.EAGAIN, "other processes keep removing its temporary file")


def _beginning(target: Path) -> str:
    return f".{target.name[:200]}."


def _clear_left_beside(target: Path) -> None:
    """Remove temporary files for a target whose writers are gone."""
    if os.name == "nt":
        return
    beginning = _beginning(target)
    with suppress(OSError):
        for name in os.listdir(target.parent):
            if name.startswith(beginning) and re.fullmatch("[0-9a-f]{16}", name.removeprefix(beginning)):
                with suppress(OSError):  # another process was faster, or it belongs to another user
                    _remove_unless_held(target.with_name(name))


def _remove_unless_held(path: Path) -> None:
    number = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if stat.S_ISREG(os.fstat(number).st_mode) and lock(number) and is_at(number, path):
            path.unlink()
    finally:
        os.close(number)
