"""The folder an index is built in: invisible until complete, and for one builder at a time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from rankmax.errors import DataFormatError
from rankmax.retrieval.format import META

_LOCK = "lock"


@contextmanager
def building_folder(target: str | os.PathLike[str], *, replace: bool = False) -> Iterator[Path]:
    """Give an empty folder that becomes `target` when the body ends, and vanishes when it fails.

    The folder stands beside the target and holds a file that is locked while its builder lives. What a crash left
    behind is not locked, and the next builder clears it away.

    Parameters
    ----------
    target : str or path-like
    replace : bool, default False
        Put it in the place of an index that is there already.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with building_folder(f"{folder}/index") as building:
    ...         _ = (building / "meta.json").write_text("{}")
    ...     os.listdir(f"{folder}/index")
    ['meta.json']
    """
    place = Path(os.path.abspath(target))
    if place.exists() and not replace:
        raise DataFormatError(target, "exists already; choose another place, or replace it explicitly")
    if place.exists() and not (place / META).is_file():
        raise DataFormatError(target, "is no index, so it is not replaced")
    if not place.parent.is_dir():
        raise DataFormatError(target, f"cannot write: no folder {place.parent}")
    building = place.with_name(f".{place.name}.building")
    with _claimed(building, target):
        try:
            yield building
            _put_in_place(building, place, replace=replace)
        except BaseException:
            shutil.rmtree(building, ignore_errors=True)
            raise


@contextmanager
def _claimed(building: Path, target: str | os.PathLike[str]) -> Iterator[None]:
    """Make the folder, or take over one that a crash left, and hold its lock."""
    lock = building / _LOCK
    try:
        building.mkdir(exist_ok=True)
        file = open(lock, "ab")  # noqa: SIM115 - closed below
    except OSError as error:
        raise DataFormatError(target, f"cannot write: {error.strerror}") from None
    with file:
        if not _locked(file, lock):
            raise DataFormatError(target, "is being built by another process; wait for it, or choose another place")
        for left in building.iterdir():
            if left != lock:
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        yield


def _locked(file: IO[bytes], path: Path) -> bool:
    """Lock a file, which must still be the one at its path: its folder may have been put in place meanwhile."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False


def _put_in_place(building: Path, place: Path, *, replace: bool) -> None:
    """Rename the folder, locked until it is in place: else another builder would take it for left behind."""
    replaced = place.with_name(f".{place.name}.replaced")
    try:
        if replace and place.exists():
            shutil.rmtree(replaced, ignore_errors=True)
            place.rename(replaced)
        building.rename(place)
    except OSError as error:
        if replaced.exists() and not place.exists():
            replaced.rename(place)
        raise DataFormatError(place, f"cannot put the index in place: {error.strerror}") from None
    (place / _LOCK).unlink()
    shutil.rmtree(replaced, ignore_errors=True)
