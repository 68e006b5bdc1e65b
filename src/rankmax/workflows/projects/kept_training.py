"""Kept trainings: files of a project with the progress of a training, beside the model that came out of it."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import msgspec

from rankmax._io.files import atomic_writer
from rankmax.errors import DataFormatError

_FORMAT = "rankmax-training"
_VERSION = 1


class _Step(Protocol):
    """Progress of one ascent."""

    @property
    def ascent(self) -> str: ...
    @property
    def n_lines(self) -> int: ...
    @property
    def value(self) -> float: ...


class KeptTraining(msgspec.Struct, frozen=True):
    """Progress of a training.

    Attributes
    ----------
    metric : str
    data : str
        Name of the training data.
    model_hash : str
        Of the model's file: to a model that has replaced it under the same name, the training does not belong.
    steps : tuple of (str, int, float)
        Name of the ascent, number of its line searches so far, and best value so far, in the order in which they came.
    """

    metric: str
    data: str
    model_hash: str
    steps: tuple[tuple[str, int, float], ...]
    format: str = _FORMAT
    version: int = _VERSION


def keep_training(path: Path, steps: Sequence[_Step], *, metric: str, data: str, model: bytes) -> None:
    """Write the progress of a training.

    Parameters
    ----------
    path : Path
    steps : sequence of steps
    metric, data : str
    model : bytes
        Content of the model's file.
    """
    told = tuple((step.ascent, step.n_lines, step.value) for step in steps)
    with atomic_writer(path) as file:
        file.write(msgspec.json.encode(KeptTraining(metric, data, sha256(model).hexdigest(), told)))


def read_kept_training(path: Path, model: Path) -> KeptTraining | None:
    """Read the progress of the training that a model came out of; None if it is that of another model.

    Parameters
    ----------
    path, model : Path
    """
    try:
        found = msgspec.json.decode(path.read_bytes(), type=KeptTraining)
        content = model.read_bytes()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OSError) as error:
        raise DataFormatError(path, f"not a kept training: {error}") from None
    if (found.format, found.version) != (_FORMAT, _VERSION):
        raise DataFormatError(path, f"not a training as this version keeps it ({_FORMAT}, version {_VERSION})")
    return found if found.model_hash == sha256(content).hexdigest() else None
