"""Reading and writing files safely: gzip by content, clear errors, never a half-written file.

All writing goes through this module, so that a full disk or a folder without permission is an error with the file's
name.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from rankmax._io.temporary_files import temporary_beside
from rankmax.errors import CannotWriteError, DataFormatError

GZIP_MAGIC = b"\x1f\x8b"
"""First bytes of a gzip file."""


@contextmanager
def open_binary(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for reading, through gzip when its first bytes say so.

    Errors while reading (no such file, a folder, a truncated gzip) become a DataFormatError.

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
    """Return the whole content of a file, decompressed when gzipped.

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


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn operating system errors on writing into an error that names the file.

    A broken pipe is left to the caller: it is not a fault, as its reader has stopped on purpose.

    Parameters
    ----------
    path : str or path-like
        File to name in the error.

    Examples
    --------
    >>> import errno
    >>> with writing("model.json"):
    ...     raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    Traceback (most recent call last):
    rankmax.errors.CannotWriteError: model.json: cannot write: No space left on device
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotWriteError(path, _reason(error)) from None


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return the file that writing to `path` would replace, or raise where it cannot be written.

    Parameters
    ----------
    path : str or path-like

    Examples
    --------
    >>> check_target("/no/such/folder/model.json")
    Traceback (most recent call last):
    rankmax.errors.CannotWriteError: /no/such/folder/model.json: cannot write: no folder /no/such/folder
    """
    if "\0" in os.fspath(path):
        raise CannotWriteError(path, "a file name has no null byte")
    target = Path(os.path.realpath(path))
    with writing(path):
        _require_folder(path, target.parent)
        kind = target.stat().st_mode if os.path.lexists(target) else None
    if kind is not None and stat.S_ISDIR(kind):
        raise CannotWriteError(path, "is a folder")
    replaced = kind is None or stat.S_ISREG(kind)
    if replaced and not os.access(target.parent, os.W_OK | os.X_OK):
        raise CannotWriteError(path, f"no permission to write in {Path(path).parent}")
    if kind is not None and not os.access(target, os.W_OK):
        raise CannotWriteError(path, "no permission to change it")
    return target


def check_target_folder(path: str | os.PathLike[str], *, parents: bool = False) -> None:
    """Raise where a folder can neither be created nor, if it exists, be written to.

    Parameters
    ----------
    path : str or path-like
    parents : bool, default False
        Whether parent folders are created, too.

    Examples
    --------
    >>> check_target_folder("/no/such/folder/shards")
    Traceback (most recent call last):
    rankmax.errors.CannotWriteError: /no/such/folder/shards: cannot write: no folder /no/such/folder
    """
    if "\0" in os.fspath(path):
        raise CannotWriteError(path, "a folder name has no null byte")
    target = Path(os.path.realpath(path))
    with writing(path):
        while parents and not os.path.lexists(target) and target.parent != target:
            target = target.parent
        if os.path.lexists(target):
            if not stat.S_ISDIR(target.stat().st_mode):
                raise CannotWriteError(path, f"{'it' if target == Path(os.path.realpath(path)) else target} is a file")
        else:
            target = target.parent
            _require_folder(path, target)
    if not os.access(target, os.W_OK | os.X_OK):
        raise CannotWriteError(path, f"no permission to write in {target}")


def open_new(path: str | os.PathLike[str]) -> io.FileIO:
    """Open a new file to be written piece by piece, in a folder that is still being built.

    Parameters
    ----------
    path : str or path-like
        Path that does not exist yet.
    """
    with writing(path):
        return open(path, "xb", buffering=0)


def make_folder(path: str | os.PathLike[str], *, parents: bool = False) -> None:
    """Create a folder; with `parents` also those above it, and an existing one is accepted.

    Parameters
    ----------
    path : str or path-like
    parents : bool, default False
    """
    with writing(path):
        Path(path).mkdir(parents=parents, exist_ok=parents)


@contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write to a temporary file beside `path` and move it into place at the end; gzip for names ending in .gz.

    When the body raises, `path` stays unchanged; leftovers of a killed writer are removed. A symbolic link keeps its
    target, and a device or a pipe (such as /dev/stdout), which cannot be replaced, is written to directly. A full disk
    becomes a CannotWriteError; errors that name another file pass through.

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
    with ExitStack() as stack:
        with writing(path):
            file, written = (
                (open(target, "wb"), None)  # noqa: SIM115 - closed below, as in open_binary
                if direct
                else stack.enter_context(temporary_beside(target))
            )
        try:
            with file:
                if Path(path).suffix == ".gz":
                    # No time stamp inside: the same content gives the same bytes.
                    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                        yield packed  # type: ignore[misc]
                else:
                    yield file
            if written is not None:
                with writing(path):
                    os.replace(written, target)
        except OSError as error:
            # Writing to an open file fails without a name; an error with one comes from elsewhere in the body.
            if error.filename is None:
                with writing(path):
                    raise
            raise


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a whole file atomically.

    Parameters
    ----------
    path : str or path-like
    content : bytes
    """
    with atomic_writer(path) as file:
        file.write(content)


def _require_folder(path: str | os.PathLike[str], folder: Path) -> None:
    if not folder.is_dir():
        raise CannotWriteError(path, f"no folder {Path(path).parent}")


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
