"""Reading and writing files safely: gzip by content, clear errors, never a half-written file."""

from __future__ import annotations

import gzip
import os
import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from rankmax.errors import DataFormatError

GZIP_MAGIC = b"\x1f\x8b"
"""First bytes of a gzip file."""


@contextmanager
def open_binary(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for reading, through gzip when its first bytes say so.

    What goes wrong while reading (no such file, a folder, a truncated gzip) becomes a DataFormatError.

    Parameters
    ----------
    path : str or path-like

    Examples
    --------
    >>> with open_binary("no-such.run") as file:
    ...     file.read()
    Traceback (most recent call last):
    rankmax.errors.DataFormatError: no-such.run: no such file
    """
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below; errors of the caller's block must not land here
    except FileNotFoundError:
        raise DataFormatError(path, "no such file") from None
    except IsADirectoryError:
        raise DataFormatError(path, "is a folder, expected a file") from None
    except (OSError, ValueError) as error:
        raise DataFormatError(path, f"cannot read: {_reason(error)}") from None
    with file:
        try:
            if file.peek(2)[:2] == GZIP_MAGIC:
                with gzip.open(file) as unpacked:
                    yield unpacked  # type: ignore[misc]
            else:
                yield file
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise DataFormatError(path, f"damaged or truncated gzip file ({error})") from None


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the whole content, unpacked when gzipped.

    Parameters
    ----------
    path : str or path-like

    Examples
    --------
    >>> read_bytes("no-such.run")
    Traceback (most recent call last):
    rankmax.errors.DataFormatError: no-such.run: no such file
    """
    with open_binary(path) as file:
        return file.read()


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return the file that writing to `path` would replace, or raise where there can be none.

    Parameters
    ----------
    path : str or path-like

    Examples
    --------
    >>> check_target("/no/such/folder/model.json")
    Traceback (most recent call last):
    rankmax.errors.DataFormatError: /no/such/folder/model.json: cannot write: no folder /no/such/folder
    """
    if "\0" in os.fspath(path):
        raise DataFormatError(path, "cannot write: a file name has no null byte")
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise DataFormatError(path, f"cannot write: no folder {Path(path).parent}")
    if target.is_dir():
        raise DataFormatError(path, "cannot write: is a folder")
    return target


@contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write to a temporary file beside `path` and move it there at the end; gzip for names ending in .gz.

    When the body raises, `path` is left as it was. A symbolic link keeps pointing where it did, and a device or a
    pipe (such as /dev/stdout), which nothing can replace, is written to directly.

    Parameters
    ----------
    path : str or path-like

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_writer(f"{folder}/notes.txt.gz") as file:
    ...         _ = file.write(b"done")
    ...     read_bytes(f"{folder}/notes.txt.gz")
    b'done'
    """
    target = check_target(path)
    direct = target.exists() and not target.is_file()
    written = target if direct else target.with_name(f".{target.name[:200]}.{secrets.token_hex(8)}")
    try:
        file = open(written, "wb" if direct else "xb")  # noqa: SIM115 - closed below, as in open_binary
    except OSError as error:
        raise DataFormatError(path, f"cannot write: {_reason(error)}") from None
    try:
        with file:
            if Path(path).suffix == ".gz":
                # No time stamp inside: the same content gives the same bytes.
                with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                    yield packed  # type: ignore[misc]
            else:
                yield file
        if not direct:
            os.replace(written, target)
    except BaseException:
        if not direct:
            written.unlink(missing_ok=True)
        raise


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
