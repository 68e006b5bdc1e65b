"""Append-only files with one writing process at a time."""

from __future__ import annotations

import os

from rankmax._io.files import writing
from rankmax._io.locked_files import lock
from rankmax.errors import CannotWriteError


class AppendedFile:
    """An append-only file with one writing process at a time; a partial append leaves no trace.

    Parameters
    ----------
    path : str or path-like
        Created if it does not exist.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax._io.files import read_bytes
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
        if lock(self._file) is False:
            self._file.close()
            raise CannotWriteError(path, "another process is writing to it; wait for it, or choose another file")

    def read(self) -> bytes:
        """Return the whole content."""
        self._file.seek(0)
        return self._file.read()

    def append(self, content: bytes) -> None:
        """Append bytes, completely or not at all."""
        with writing(self._path):
            end, left = self._file.seek(0, os.SEEK_END), memoryview(content)
            try:
                while left:
                    left = left[self._file.write(left) :]
            except OSError:
                self._file.truncate(end)
                raise

    def truncate(self, size: int) -> None:
        """Truncate the file to a size."""
        with writing(self._path):
            self._file.truncate(size)

    def close(self) -> None:
        """Close the file and release the lock."""
        with writing(self._path):
            self._file.close()
