"""Stored results: the outcome of each step of a study, with all that is needed to reproduce it."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Self

from rankmax._io.files import atomic_writer, make_folder
from rankmax._version import __version__
from rankmax.errors import DataFormatError

_PACKAGES = ("numpy", "scipy", "numba")


def current_versions() -> dict[str, str]:
    """Return the versions that a result may depend on: of rankmax, Python and the numerical packages.

    Examples
    --------
    >>> sorted(current_versions())
    ['numba', 'numpy', 'python', 'rankmax', 'scipy']
    """
    return {
        "rankmax": __version__,
        "python": platform.python_version(),
        **{package: version(package) for package in _PACKAGES},
    }


@dataclass(frozen=True)
class StoredStep:
    """Result of one step.

    Attributes
    ----------
    value : object
        Result as JSON.
    seconds, cpu_seconds : float
        Wall-clock time and processor time.
    """

    value: Any
    seconds: float
    cpu_seconds: float


@dataclass(eq=False)
class StoredStudy:
    """The completed steps of a study.

    Attributes
    ----------
    study : str
    settings : dict
        All settings that determine the results.
    versions : dict of str to str
        Versions of packages when the study began.
    steps : dict of str to StoredStep

    Examples
    --------
    >>> stored = StoredStudy("growth", {"seed": 7})
    >>> stored.get("first", lambda: [0.5]), stored.get("first", lambda: "not asked again")
    ([0.5], [0.5])
    """

    study: str
    settings: dict[str, Any]
    versions: dict[str, str] = field(default_factory=current_versions)
    steps: dict[str, StoredStep] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, Any]:
        """Result of each step."""
        return {name: step.value for name, step in self.steps.items()}

    @property
    def seconds(self) -> float:
        """Wall-clock time of all steps."""
        return sum(step.seconds for step in self.steps.values())

    @property
    def cpu_seconds(self) -> float:
        """Processor time of all steps."""
        return sum(step.cpu_seconds for step in self.steps.values())

    def get(self, name: str, compute: Callable[[], Any]) -> Any:
        """Return the result of a step, computing it if it is not stored.

        Parameters
        ----------
        name : str
        compute : callable
        """
        if name not in self.steps:
            wall, processor = time.perf_counter(), time.process_time()
            value = compute()
            spent = time.perf_counter() - wall, time.process_time() - processor
            self.steps[name] = StoredStep(value, *(round(seconds, 2) for seconds in spent))
        return self.steps[name].value

    def save(self, path: Path) -> None:
        """Write a JSON file atomically.

        Parameters
        ----------
        path : Path
        """
        import msgspec

        make_folder(path.parent, parents=True)
        with atomic_writer(path) as file:
            file.write(msgspec.json.format(msgspec.json.encode(asdict(self)), indent=0) + b"\n")

    @classmethod
    def load(cls, path: Path | Traversable) -> Self:
        """Read a file written by :meth:`save`.

        Parameters
        ----------
        path : Path or Traversable
        """
        import msgspec

        class _File(msgspec.Struct):
            study: str
            settings: dict[str, Any]
            versions: dict[str, str]
            steps: dict[str, StoredStep]

        try:
            found = msgspec.json.decode(path.read_bytes(), type=_File)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise DataFormatError(str(path), f"not the results of a study ({error}); delete the file") from None
        return cls(found.study, found.settings, found.versions, found.steps)
