"""The section `[check]` of a project file, with or without a search engine."""

from __future__ import annotations

import os
import tomllib
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from rankmax._io.files import read_bytes
from rankmax.errors import DataFormatError, IncompatibleError
from rankmax.formats.named_files import split_name
from rankmax.workflows.deployment.project_file import ProjectFile

ENGINE = "engine"
"""A candidate of this name is the fusion that the project's engine has; ``engine:NAME`` is one of its retrievers."""

_OWN = ("baseline", "candidate", "runs")


class _Files(msgspec.Struct, frozen=True):
    qrels: str | None = None
    topics: str | None = None
    check: dict[str, Any] = {}


class _Systems(msgspec.Struct, frozen=True):
    baseline: str | None = None
    candidate: str | list[str] | dict[str, str] | None = None
    runs: list[str] | dict[str, str] = []


class CheckFile:
    """A project file, as `rankmax check` reads it.

    Parameters
    ----------
    path : str or path-like
        TOML with a section ``[check]``: baseline, candidate, runs and rules. It may be a complete project, with an
        engine; else only ``qrels``, ``topics`` and ``[check]`` are allowed. Paths are relative to its folder.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._folder = Path(path).parent
        if not os.path.exists(path):
            reason = "no such file; give qrels, baseline and candidate, or a project file with a section [check]"
            raise DataFormatError(path, reason)
        try:
            content = tomllib.loads(read_bytes(path).decode())
            self._has_engine = "engine" in content
            if not self._has_engine:
                unknown = sorted(set(content) - set(_Files.__struct_fields__))
                if unknown:
                    raise msgspec.ValidationError(f"without an engine, there is no {unknown[0]!r}")
            self._files = msgspec.convert(content, _Files)
            self._systems = msgspec.convert({k: v for k, v in self._files.check.items() if k in _OWN}, _Systems)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
            raise DataFormatError(path, f"not a project file (TOML with a section [check]): {error}") from None
        if not self._files.check:
            raise DataFormatError(path, "there is no section [check], which names baseline, candidate and metrics")

    @property
    def rules(self) -> dict[str, Any]:
        """Rules, as plain values."""
        return {key: value for key, value in self._files.check.items() if key not in _OWN}

    @property
    def qrels(self) -> str | None:
        """File of the judgments."""
        return self._path(self._files.qrels)

    @property
    def topics(self) -> str | None:
        """File of the queries."""
        return self._path(self._files.topics)

    @property
    def baseline(self) -> str | None:
        """File of the baseline."""
        return self._path(self._systems.baseline)

    @property
    def candidate(self) -> Any:
        """Candidates: a path, a list of paths, or paths by name; or what the engine is asked for."""
        given = self._systems.candidate
        if isinstance(given, dict):
            return {name: self._located(path) for name, path in given.items()}
        return [self._located(path) for path in given] if isinstance(given, list) else self._path(given)

    @property
    def runs(self) -> Any:
        """Runs that models fuse: those of ``[check]``, or the collected ones of the project."""
        given = self._systems.runs
        if isinstance(given, dict) and given:
            return {name: self._located(path) for name, path in given.items()}
        if given:
            return [self._located(path) for path in given]
        return self.project.run_paths() if self._has_engine else None

    @cached_property
    def project(self) -> ProjectFile:
        """The project, with its engine."""
        if not self._has_engine:
            raise IncompatibleError(f"{self.path} names no engine, which a candidate {ENGINE!r} is asked for")
        return ProjectFile(self.path)

    def _path(self, given: str | None) -> str | None:
        return None if given is None else self._located(given)

    def _located(self, given: str) -> str:
        if given == ENGINE or given.startswith(f"{ENGINE}:"):
            return given
        name, path = split_name(given)
        joined = str(self._folder / path)
        return joined if name is None else f"{name}={joined}"
