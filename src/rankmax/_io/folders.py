"""Folders that appear atomically: built under another name, by one process at a time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rankmax._io.files import check_target_folder, writing
from rankmax._io.locked_files import is_at, lock
from rankmax.errors import CannotWriteError, DataFormatError

_LOCK = "lock"


@contextmanager
def building_folder(
    target: str | os.PathLike[str], *, noun: str = "index", replaces: str | None = None
) -> Iterator[Path]:
    """Yield an empty folder that becomes `target` when the body ends, and is removed when it fails.

    The folder is beside the target and holds a file that is locked while its builder lives. Leftovers of a crash are
    not locked, and the next builder removes them.

    Parameters
    ----------
    target : str or path-like
        Folder to create; it must not exist, or be empty, unless it may be replaced.
    noun : str
        Name for the folder's kind in errors.
    replaces : str, optional
        Replace an existing folder that has a file of this name.

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
    restore_replaced(place)
    if place.exists() and not _is_empty(place):
        if replaces is None:
            raise DataFormatError(target, "exists already; choose another place, or replace it explicitly")
        if not (place / replaces).is_file():
            raise DataFormatError(target, f"is no {noun}, so it is not replaced")
    check_target_folder(target)
    building = _beside(place, "building")
    with _claimed(building, target):
        try:
            if place.exists():  # otherwise restoring it was not possible, and this is the only copy
                shutil.rmtree(_beside(place, "replaced"), ignore_errors=True)
            yield building
            _put_in_place(building, place, noun, replace=replaces is not None)
        except BaseException:
            shutil.rmtree(building, ignore_errors=True)
            raise


def restore_replaced(target: str | os.PathLike[str]) -> None:
    """Put a folder back that a builder had moved aside when it was killed, before the new one was in its place.

    Parameters
    ----------
    target : str or path-like
        Where it was; left alone if something is there, or a builder is at work.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, ".index.replaced").mkdir()
    ...     restore_replaced(f"{folder}/index")
    ...     os.listdir(folder)
    ['index']
    """
    place = Path(os.path.abspath(target))
    replaced = _beside(place, "replaced")
    if os.path.lexists(place) or not os.path.isdir(replaced):
        return
    with suppress(OSError):  # where nothing can be written, it stays as it is
        file = open(_beside(place, "building") / _LOCK, "ab")  # noqa: SIM115 - closed below
        with file:
            if lock(file) is not False and not os.path.lexists(place):
                replaced.rename(place)
        return
    with suppress(OSError):  # no builder left anything
        if not _beside(place, "building").exists():
            replaced.rename(place)


@contextmanager
def _claimed(building: Path, target: str | os.PathLike[str]) -> Iterator[None]:
    """Make the folder, or take over one that a crash left, and hold its lock."""
    path = building / _LOCK
    with writing(target):
        building.mkdir(exist_ok=True)
        file = open(path, "ab")  # noqa: SIM115 - closed below
    with file:
        if lock(file) is False or not is_at(file.fileno(), path):
            raise DataFormatError(target, "is being built by another process; wait for it, or choose another place")
        for left in building.iterdir():
            if left != path:
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        yield


def _put_in_place(building: Path, place: Path, noun: str, *, replace: bool) -> None:
    """Rename the folder, locked until it is in place: else another builder would take it for left behind."""
    replaced = _beside(place, "replaced")
    try:
        if replace and place.exists():
            place.rename(replaced)
        building.rename(place)
    except OSError as error:
        if replaced.exists() and not place.exists():
            replaced.rename(place)
        raise CannotWriteError(place, f"the {noun} cannot be put in place: {error.strerror}") from None
    (place / _LOCK).unlink()
    shutil.rmtree(replaced, ignore_errors=True)


def _beside(place: Path, state: str) -> Path:
    return place.with_name(f".{place.name}.{state}")


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())
