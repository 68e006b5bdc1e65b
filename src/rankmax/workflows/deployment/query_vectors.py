"""Vectors of queries, from a file or a command."""

from __future__ import annotations

import math
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np

from rankmax._io.files import open_binary
from rankmax.errors import DataFormatError, InvalidDataError, some_of
from rankmax.workflows.deployment.project_file import VectorSource

_MOST_SHOWN = 500  # characters of what a command says


class _Line(msgspec.Struct):
    id: str | int
    vector: list[float]


def query_vectors(source: VectorSource, topics: Mapping[str, str], folder: Path) -> dict[str, list[float]]:
    """Return the vector of each query.

    Parameters
    ----------
    source : VectorSource
    topics : mapping of str to str
        Text of each query.
    folder : Path
        The project's folder: files are relative to it, and commands run in it.
    """
    if source.file is not None:
        path = folder / source.file
        origin = str(path)
        found = _of_npz(path) if path.suffix == ".npz" else _of_lines(origin, _read(path))
    else:
        command = list(source.command or ())
        origin = f"the command {command[0]!r}"
        found = _of_lines(origin, _printed(command, topics, folder))
    missing = [query for query in topics if query not in found]
    if missing:
        raise InvalidDataError(f"{origin} has no vector for {len(missing)} queries: {some_of(missing)}")
    sizes = sorted({len(found[query]) for query in topics})
    if len(sizes) > 1 or sizes[0] == 0:
        raise InvalidDataError(f"{origin} has vectors of {' and '.join(map(str, sizes))} numbers; expected one length")
    wrong = next((query for query in topics if not all(map(math.isfinite, found[query]))), None)
    if wrong is not None:
        raise InvalidDataError(f"{origin}: the vector of {wrong!r} has a number that is not finite")
    return found


def _read(path: Path) -> bytes:
    with open_binary(path) as file:
        return file.read()


def _of_npz(path: Path) -> dict[str, list[float]]:
    with open_binary(path) as file:
        try:
            archive = np.load(file, allow_pickle=False)
            ids, vectors = archive["ids"], archive["vectors"]
            if ids.ndim != 1 or vectors.ndim != 2 or len(ids) != len(vectors):
                raise ValueError(f"ids have shape {ids.shape} and vectors {vectors.shape}")
            rows = np.asarray(vectors, np.float64).tolist()
        except (KeyError, ValueError, OSError) as error:
            raise DataFormatError(path, f"expected arrays ids and vectors: {error}") from None
    names = [str(one) for one in ids.tolist()]
    _check_unique(os.fspath(path), names)
    return dict(zip(names, rows, strict=True))


def _of_lines(origin: str, content: bytes) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            one = msgspec.json.decode(line, type=_Line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DataFormatError(origin, f"expected JSON lines with id and vector: {error}", line=number) from None
        if str(one.id) in found:
            raise DataFormatError(origin, f"query {str(one.id)!r} occurs twice", line=number)
        found[str(one.id)] = one.vector
    return found


def _check_unique(origin: str, names: list[str]) -> None:
    twice = (
        next((name for place, name in enumerate(names) if name in names[:place]), None)
        if (len(set(names)) < len(names))
        else None
    )
    if twice is not None:
        raise DataFormatError(origin, f"query {twice!r} occurs twice")


def _printed(command: list[str], topics: Mapping[str, str], folder: Path) -> bytes:
    asked = b"".join(msgspec.json.encode({"id": query, "text": text}) + b"\n" for query, text in topics.items())
    try:
        done = subprocess.run(command, input=asked, cwd=folder, capture_output=True, check=False)
    except (OSError, ValueError) as error:
        raise InvalidDataError(f"the command {command[0]!r} cannot be run: {error}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()[-_MOST_SHOWN:]
        raise InvalidDataError(f"the command {command[0]!r} ended with status {done.returncode}: {said}")
    return done.stdout
