"""Reading and writing files safely: gzip by content, clear errors, never a half-written file."""

from __future__ import annotations

import gzip
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from rankmax.errors import DataFormatError

_GZIP_MAGIC = b"\x1f\x8b"


@contextmanager
def open_binary(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for reading, through gzip when its first bytes say so.

    What goes wrong while reading (no such file, a folder, a truncated gzip) becomes a DataFormatError.
    """
    try:
        with open(path, "rb") as file:
            compressed = file.peek(2)[:2] == _GZIP_MAGIC
            if compressed:
                with gzip.open(file) as unpacked:
                    yield unpacked  # type: ignore[misc]
            else:
                yield file
    except FileNotFoundError:
        raise DataFormatError(path, "no such file") from None
    except IsADirectoryError:
        raise DataFormatError(path, "is a folder, expected a file") from None
    except PermissionError:
        raise DataFormatError(path, "permission denied") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataFormatError(path, f"damaged or truncated gzip file ({error})") from None


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the whole content, unpacked when gzipped."""
    with open_binary(path) as file:
        return file.read()


@contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write to a temporary file beside `path` and move it there at the end; gzip for names ending in .gz.

    When the body raises, `path` is left as it was.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise DataFormatError(path, f"cannot write: no folder {target.parent}")
    if target.is_dir():
        raise DataFormatError(path, "cannot write: is a folder")
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except PermissionError:
        raise DataFormatError(path, "cannot write: permission denied") from None
    try:
        with os.fdopen(handle, "wb") as file:
            if target.suffix == ".gz":
                # No time stamp inside: the same content gives the same bytes.
                with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                    yield packed  # type: ignore[misc]
            else:
                yield file
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
