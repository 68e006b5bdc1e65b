"""Folders that appear complete or not at all: built out of sight, by one process at a time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rankmax.errors import CannotWriteError, DataFormatError
from rankmax.files import check_target_folder, writing
from rankmax.locked import lock

_LOCK = "lock"


@contextmanager
def building_folder(
    target: str | os.PathLike[str], *, noun: str = "index", replaces: str | None = None
) -> Iterator[Path]:
    """Give an empty folder that becomes `target` when the body ends, and vanishes when it fails.

    The folder stands beside the target and holds a file that is locked while its builder lives. What a crash left
    behind is not locked, and the next builder clears it away.

    Parameters
    ----------
    target : str or path-like
        Must not exist, or be empty, unless it may be replaced.
    noun : str
        What errors call it.
    replaces : str, optional
        Put it in the place of a folder that has a file of this name.

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
            if place.exists():  # else restoring it was not possible, and this is all there is
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
            if lock(file) and not os.path.lexists(place):
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
        if not lock(file) or not _is_at(file.fileno(), path):
            raise DataFormatError(target, "is being built by another process; wait for it, or choose another place")
        for left in building.iterdir():
            if left != path:
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        yield


def _is_at(number: int, path: Path) -> bool:
    """Return whether an open file is still the one at its path: its folder may have been put in place meanwhile."""
    try:
        return os.path.samestat(os.fstat(number), path.stat())
    except OSError:
        return False


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
