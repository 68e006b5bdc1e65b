"""File locks, which end with the process that holds them."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import IO


def lock(file: IO[bytes] | io.FileIO | int) -> bool | None:
    """Lock an open file until it is closed; return whether that succeeded, or None where files cannot be locked.

    Parameters
    ----------
    file : file or int
        An open file, or its descriptor.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file, open(file.name, "rb") as again:
    ...     lock(file), lock(again)
    (True, False)
    """
    number = file if isinstance(file, int) else file.fileno()
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return None
    return True


def is_at(number: int, path: Path) -> bool:
    """Return whether an open file is still the one at its path: it may have been moved or removed meanwhile.

    Parameters
    ----------
    number : int
        Descriptor of the open file.
    path : Path

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     is_at(file.fileno(), Path(file.name)), is_at(file.fileno(), Path("/no/such/file"))
    (True, False)
    """
    try:
        return os.path.samestat(os.fstat(number), path.lstat())
    except OSError:
        return False
