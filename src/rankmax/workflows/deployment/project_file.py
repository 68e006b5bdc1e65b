"""Project file, `rankmax.toml`: an engine, its retrievers, and the files of a tuning."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from rankmax._io.files import read_bytes
from rankmax.data.runs import Run
from rankmax.engines.connectors.engine import Connection, Engine, Fusion
from rankmax.engines.connectors.query_placeholders import Template
from rankmax.engines.connectors.registry import ENGINES
from rankmax.engines.export_target import AnyModel
from rankmax.errors import DataFormatError, IncompatibleError, RankmaxError, UnknownNameError
from rankmax.formats.topics import read_topics
from rankmax.formats.trec import read_run
from rankmax.metrics.registry import parse_metric
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.models.linear_model import LinearModel
from rankmax.models.model_files import AnyKind, load_any_model
from rankmax.models.query_weights_model import QueryWeightsModel
from rankmax.models.ranking_model import require_runs
from rankmax.models.varying_model import VaryingModel

NAME = "rankmax.toml"
"""Usual name of a project file."""

_FILE_NAME = re.compile(r"[^\W_][\w.+-]{0,99}")  # retrievers name files, columns and TREC tags
_Positive = Annotated[int, Meta(ge=1)]


class VectorSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Source of query vectors.

    Attributes
    ----------
    file : str, optional
        npz with arrays ids and vectors, or JSON lines with id and vector.
    command : list of str, optional
        Command that reads JSON lines with id and text, and prints JSON lines with id and vector.
    """

    file: str | None = None
    command: Annotated[list[str], Meta(min_length=1)] | None = None


class Retriever(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A retriever of the engine.

    Attributes
    ----------
    template : dict or str
        Body of its search as a table or JSON text, or a SELECT statement.
    vector : VectorSource, optional
        Source of query vectors, where the template asks for them.
    """

    template: dict[str, Any] | str
    vector: VectorSource | None = None


class Requests(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on requests.

    Attributes
    ----------
    parallel : int
        Number of requests at a time.
    per_second : float, optional
        Largest rate; without limit by default.
    timeout : float
        Time limit of a request, in seconds.
    retries : int
        Number of repetitions of a request that failed for a reason that may pass.
    """

    parallel: Annotated[int, Meta(ge=1, le=256)] = 4
    per_second: Annotated[float, Meta(gt=0)] | None = None
    timeout: Annotated[float, Meta(gt=0)] = 30.0
    retries: Annotated[int, Meta(ge=0)] = 5


class _Content(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    engine: str
    address: str
    topics: str
    retrievers: dict[str, Retriever]
    index: str | None = None
    qrels: str | None = None
    metric: str = "nDCG@10"
    depth: _Positive = 100
    runs: str = "runs"
    model: str = "model.json"
    name: str = "rankmax"
    requests: Requests = Requests()
    check: dict[str, Any] = {}  # rules of `rankmax check`, which reads them itself


class ProjectFile:
    """A project: an engine, its retrievers, topics, qrels and results.

    Parameters
    ----------
    path : str or path-like
        The TOML file; relative paths in it are relative to its folder.
    """

    def __init__(self, path: str | os.PathLike[str] = NAME) -> None:
        self.path = os.fspath(path)
        self._folder = Path(path).parent
        if not os.path.exists(path):
            raise DataFormatError(path, "no such file; rankmax init ENGINE writes one")
        try:
            content = tomllib.loads(read_bytes(path).decode())
            self._content = msgspec.convert(content, _Content)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
            raise DataFormatError(path, f"not a project file (TOML; rankmax init ENGINE writes one): {error}") from None
        if self._content.engine not in ENGINES:
            known = ", ".join(ENGINES)
            raise self._error("engine", f"unknown engine {self._content.engine!r}; known are {known}")
        if self.engine_class.needs_index and not self._content.index:
            raise self._error("index", f"{self._content.engine} needs the name of an index")
        if not self._content.name.isprintable() or not self._content.name.strip():
            raise self._error("name", "expected one line of printable characters")
        try:
            parse_metric(self._content.metric)
        except RankmaxError as error:
            raise self._error("metric", str(error)) from None
        self._check_retrievers()

    @property
    def engine_class(self) -> type[Engine]:
        """Class of the engine's connection."""
        return ENGINES.load(self._content.engine)

    @property
    def engine_name(self) -> str:
        """Name of the engine."""
        return self._content.engine

    @property
    def name(self) -> str:
        """Name of the fusion in the engine."""
        return self._content.name

    @property
    def depth(self) -> int:
        """Number of documents of each retriever."""
        return self._content.depth

    @property
    def metric(self) -> str:
        """Name of the metric to maximize."""
        return self._content.metric

    @property
    def requests(self) -> Requests:
        """Limits on requests."""
        return self._content.requests

    @property
    def retrievers(self) -> Mapping[str, Retriever]:
        """Retrievers by name."""
        return self._content.retrievers

    @cached_property
    def templates(self) -> dict[str, Template]:
        """Templates of the retrievers, in the form that the engine uses."""
        return {name: self.engine_class.checked(one.template) for name, one in self.retrievers.items()}

    @property
    def connection(self) -> Connection:
        """Where the engine is."""
        is_url = self.engine_class.needs_index
        address = self._content.address if is_url else str(self.file(self._content.address))
        return Connection(address, self._content.index, self._content.requests.timeout)

    @property
    def model_path(self) -> str:
        """File of the tuned model."""
        return str(self.file(self._content.model))

    @property
    def runs_folder(self) -> Path:
        """Folder of the collected runs."""
        return self.file(self._content.runs)

    def file(self, name: str) -> Path:
        """Return a path of the project.

        Parameters
        ----------
        name : str
            Relative to the folder of the project file.
        """
        return self._folder / name

    def collecting_into(self, folder: str, retriever: str) -> ProjectFile:
        """Return the project with one of its retrievers, and another folder for collected runs.

        Parameters
        ----------
        folder : str
            Relative to the folder of the project file.
        retriever : str
        """
        if retriever not in self.retrievers:
            raise UnknownNameError("retriever", retriever, self.retrievers)
        other = copy(self)
        chosen = {retriever: self.retrievers[retriever]}
        other._content = msgspec.structs.replace(self._content, runs=folder, retrievers=chosen)
        other.__dict__.pop("templates", None)
        return other

    def run_path(self, retriever: str) -> Path:
        """Return the file of a retriever's run.

        Parameters
        ----------
        retriever : str
        """
        return self.runs_folder / f"{retriever}.run"

    def connect(self) -> Engine:
        """Return a connection to the engine."""
        return self.engine_class(self.connection)

    @property
    def topics_path(self) -> str:
        """File of the queries."""
        return str(self.file(self._content.topics))

    def topics(self) -> dict[str, str]:
        """Return the text of each query."""
        return read_topics(self.topics_path)

    @property
    def qrels(self) -> str:
        """File of the judgments."""
        if self._content.qrels is None:
            raise self._error("qrels", "tuning and confirming need judgments; give the path of a file")
        return str(self.file(self._content.qrels))

    def run_paths(self) -> dict[str, str]:
        """Return the files of the collected runs by retriever; all must be there."""
        missing = [name for name in self.retrievers if not self.run_path(name).is_file()]
        if missing:
            raise IncompatibleError(
                f"{missing[0]} is not collected, or not completely: there is no {self.run_path(missing[0])}; "
                f"run rankmax collect {self.path}"
            )
        return {name: str(self.run_path(name)) for name in self.retrievers}

    def runs(self) -> dict[str, Run]:
        """Read the collected runs; all must be there."""
        return {name: read_run(path) for name, path in self.run_paths().items()}

    def model(self) -> AnyKind:
        """Read the project's model file."""
        if not os.path.exists(self.model_path):
            raise DataFormatError(self.model_path, f"no such file; rankmax tune {self.path} writes it")
        return load_any_model(self.model_path)

    def fusion(self, model: AnyModel | None = None) -> Fusion:
        """Return the fusion of a model, by default that of the project's model file.

        Parameters
        ----------
        model : LinearModel or ExpectedGainModel, optional
        """
        loaded = self.model() if model is None else model
        if isinstance(loaded, VaryingModel | QueryWeightsModel):
            raise IncompatibleError(
                "the model's weights depend on the query, which no engine does by itself; rankmax export --to "
                "client-python or client-javascript writes a function for the application, of weights by auto"
            )
        if not isinstance(loaded, LinearModel | ExpectedGainModel):
            raise IncompatibleError("the model has no weights of retrievers: give one that rankmax tune has written")
        require_runs(loaded, self.retrievers)
        parameters = {**loaded.provenance.parameters, "depth": self.depth}
        at_depth = msgspec.structs.replace(loaded.provenance, parameters=parameters)
        model_of_depth: AnyModel = _replaced(loaded, provenance=at_depth)
        return Fusion(self.name, model_of_depth, self.templates, self.depth)

    def _check_retrievers(self) -> None:
        if not self.retrievers:
            raise self._error("retrievers", "there are none; give a table [retrievers.NAME] for each")
        seen: dict[str, str] = {}
        for name, retriever in self.retrievers.items():
            key = f"retrievers.{name!r}" if not _FILE_NAME.fullmatch(name) else f"retrievers.{name}"
            if not _FILE_NAME.fullmatch(name):
                raise self._error(key, "a retriever names a file: expected letters, digits and any of _ . + -")
            if seen.setdefault(name.casefold(), name) != name:
                raise self._error(key, f"names must differ by more than case, and there is {seen[name.casefold()]}")
            try:
                asked = self.engine_class.placeholders(self.engine_class.checked(retriever.template))
            except RankmaxError as error:
                raise self._error(f"{key}.template", str(error)) from None
            if not asked & {"query", "vector"}:
                mark = "$query or $vector" if not self.engine_class.needs_index else "{query} or {vector}"
                raise self._error(f"{key}.template", f"has neither {mark}: it would find the same for every query")
            source = retriever.vector
            if source is not None and (source.file is None) == (source.command is None):
                raise self._error(f"{key}.vector", "give either file or command")
            if ("vector" in asked) != (source is not None):
                said = (
                    "the template asks for a vector: give vector" if source is None else "the template uses no vector"
                )
                raise self._error(f"{key}.vector", said)

    def _error(self, key: str, reason: str) -> DataFormatError:
        return DataFormatError(self.path, f"{key}: {reason}")


def _replaced(model: AnyModel, **changes: Any) -> AnyModel:
    from dataclasses import replace

    return replace(model, **changes)


def is_project(source: object) -> bool:
    """Return whether something is the path of a project file.

    Parameters
    ----------
    source : object

    Examples
    --------
    >>> is_project("rankmax.toml"), is_project("bm25.run"), is_project(["rankmax.toml"])
    (True, False, False)
    """
    return isinstance(source, str | os.PathLike) and os.fspath(source).endswith(".toml")
