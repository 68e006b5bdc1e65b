"""Files that one process at a time writes to."""

from __future__ import annotations

import io
import os
from typing import IO

from rankmax.errors import CannotWriteError
from rankmax.files import writing


class AppendedFile:
    """A file that one process at a time adds to; what cannot be added whole leaves no trace.

    Parameters
    ----------
    path : str or path-like
        Made if there is none.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.files import read_bytes
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = AppendedFile(f"{folder}/log")
    ...     file.append(b"done")
    ...     file.close()
    ...     read_bytes(f"{folder}/log")
    b'done'
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        with writing(path):
            self._file = open(path, "a+b", buffering=0)  # noqa: SIM115 - closed by close()
        if not lock(self._file):
            self._file.close()
            raise CannotWriteError(path, "another process is writing to it; wait for it, or choose another file")

    def read(self) -> bytes:
        """Return all that is there."""
        self._file.seek(0)
        return self._file.read()

    def append(self, content: bytes) -> None:
        """Add something, wholly or not at all."""
        with writing(self._path):
            end, left = self._file.seek(0, os.SEEK_END), memoryview(content)
            try:
                while left:
                    left = left[self._file.write(left) :]
            except OSError:
                self._file.truncate(end)
                raise

    def truncate(self, size: int) -> None:
        """Drop what is beyond a size."""
        with writing(self._path):
            self._file.truncate(size)

    def close(self) -> None:
        """Close it, and give the lock back."""
        with writing(self._path):
            self._file.close()


def lock(file: IO[bytes] | io.FileIO) -> bool:
    """Lock an open file until it is closed; return whether no other process has.

    Where the file system knows no locks, there are none.

    Parameters
    ----------
    file : file
    """
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    return True
