"""Results on disk: what each step of a study found, with all that is needed to find it again."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Self

from rankmax._version import __version__
from rankmax.errors import DataFormatError
from rankmax.files import atomic_writer, make_folder

_PACKAGES = ("numpy", "scipy", "numba")


def current_versions() -> dict[str, str]:
    """Return what a result may depend on: versions of rankmax, Python and the packages that compute.

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
    """What one step found.

    Attributes
    ----------
    value : object
        As JSON has it.
    seconds, cpu_seconds : float
        What it took, by the clock and of the processor.
    """

    value: Any
    seconds: float
    cpu_seconds: float


@dataclass(eq=False)
class StoredStudy:
    """The steps of a study that are done.

    Attributes
    ----------
    study : str
    settings : dict
        All that decides what the steps find.
    versions : dict of str to str
        Of packages, when the study began.
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
        """What each step found."""
        return {name: step.value for name, step in self.steps.items()}

    @property
    def seconds(self) -> float:
        """What all steps took by the clock."""
        return sum(step.seconds for step in self.steps.values())

    @property
    def cpu_seconds(self) -> float:
        """What all steps took of the processor."""
        return sum(step.cpu_seconds for step in self.steps.values())

    def get(self, name: str, compute: Callable[[], Any]) -> Any:
        """Return what a step found, or let it find it.

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
        """Write a JSON file, whole or not at all.

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
        """Read what :meth:`save` wrote.

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
