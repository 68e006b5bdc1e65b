"""Estimates of the memory that a study needs, against what the machine has left."""

from __future__ import annotations

from pathlib import Path

from rankmax.errors import IncompatibleError

_MEMORY_INFO = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")


def available_memory(memory_info: Path = _MEMORY_INFO, group: Path = _GROUP) -> int | None:
    """Return the bytes that a process can still allocate, or None where the system does not tell.

    Parameters
    ----------
    memory_info : Path
        The kernel's table of memory.
    group : Path
        Folder of the control group, which may limit the process further.

    Examples
    --------
    >>> available_memory(Path("no-such-file"), Path("no-such-folder")) is None
    True
    """
    found = []
    if memory_info.is_file():
        lines = dict(line.split(":", 1) for line in memory_info.read_text().splitlines() if ":" in line)
        if "MemAvailable" in lines:
            found.append(1024 * int(lines["MemAvailable"].split()[0]))
    limit, used = group / "memory.max", group / "memory.current"
    if limit.is_file() and used.is_file() and (most := limit.read_text().strip()).isdecimal():
        found.append(int(most) - int(used.read_text()))
    return min(found, default=None)


def require_memory(needed: int, what: str, remedy: str, available: int | None = None) -> None:
    """Raise if more memory is needed than there is.

    Parameters
    ----------
    needed : int
        Bytes.
    what, remedy : str
        What needs it, and how to need less.
    available : int, optional
        Bytes; by default :func:`available_memory`.

    Examples
    --------
    >>> require_memory(3 * 10**9, "combining runs", "use fewer", available=2 * 10**9)
    Traceback (most recent call last):
    rankmax.errors.IncompatibleError: combining runs needs about 3.0 GB of memory, and 2.0 GB are free; use fewer
    """
    free = available_memory() if available is None else available
    if free is not None and needed > free:
        raise IncompatibleError(
            f"{what} needs about {needed / 1e9:.1f} GB of memory, and {max(free, 0) / 1e9:.1f} GB are free; {remedy}"
        )
