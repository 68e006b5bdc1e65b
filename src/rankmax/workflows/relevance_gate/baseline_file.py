r"""Baseline files: values by query, as text that a version control system compares line by line.

The first lines name the format, the metrics, the system and how equal scores were ordered; then follow a line of column
names, and a line for each query in the order of its id::

    # rankmax baseline 1
    # system bm25
    # ties trec-eval
    query	judgments	nDCG@10	AP	latency_ms	top
    q1	5e0a1c3f	0.61	0.25	12.5	d7 d2 d9

`judgments` is a hash of the query's judgments; `top` are the ids of its top documents.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankmax._io.files import open_binary, read_bytes, write_bytes
from rankmax.errors import DataFormatError, IncompatibleError, not_utf8, some_of
from rankmax.formats.parsing.json_line import shortened
from rankmax.metrics.metric import Metric
from rankmax.workflows.relevance_gate.gate_systems import GateSystem

VERSION = 1
"""Version of the format."""
_MAGIC = "# rankmax baseline "
_LATENCY, _TOP = "latency_ms", "top"
_FIRST = ("query", "judgments")


@dataclass(frozen=True)
class BaselineFile:
    """Content of a baseline file.

    Attributes
    ----------
    path : str
    system : str
        Name of the system that was measured.
    ties : str
        Order of documents with equal scores.
    metrics : tuple of str
    digests : dict of str to str
        Hash of each query's judgments, by query.
    values : dict of str to tuple of float
        Values in the order of the metrics, by query.
    latencies : dict of str to float
        Empty where the system carried none.
    top : dict of str to tuple of str
        Top documents by query.
    lines : dict of str to int
        Line of each query in the file.
    """

    path: str
    system: str
    ties: str
    metrics: tuple[str, ...]
    digests: dict[str, str]
    values: dict[str, tuple[float, ...]]
    latencies: dict[str, float]
    top: dict[str, tuple[str, ...]]
    lines: dict[str, int]

    def as_system(
        self,
        query_ids: Sequence[str],
        digests: Sequence[str],
        metrics: Sequence[Metric],
        ties: str,
        grades: Mapping[str, Mapping[str, float]],
    ) -> GateSystem:
        """Return the stored values of these queries and metrics, or raise where they are of something else.

        Parameters
        ----------
        query_ids : sequence of str
        digests : sequence of str
            Hashes of the queries' judgments.
        metrics : sequence of Metric
        ties : str
        grades : mapping of str to mapping of str to float
            Judgments of the top documents.
        """
        names = [metric.name for metric in metrics]
        update = "rankmax check --update-baseline writes it again"
        missing = [name for name in names if name not in self.metrics]
        if missing:
            raise IncompatibleError(
                f"{self.path} is a baseline of {', '.join(self.metrics)}, not of {', '.join(missing)}; {update}"
            )
        if not set(query_ids) & set(self.values):
            raise IncompatibleError(
                f"{self.path} has no query in common with the judgments: it is the baseline of another collection"
            )
        lacking = [query for query in query_ids if query not in self.values]
        extra = sorted(set(self.values) - set(query_ids))
        if lacking:
            raise IncompatibleError(f"{self.path} lacks {_counted(lacking)} of the judgments; {update}")
        if extra:
            raise IncompatibleError(f"{self.path} has {_counted(extra)} that the judgments lack; {update}")
        changed = [q for q, digest in zip(query_ids, digests, strict=True) if self.digests[q] != digest]
        if changed:
            raise IncompatibleError(
                f"{self.path} was measured with other judgments of {_counted(changed)}: values would differ for that "
                f"reason alone; measure the baseline's run again with these judgments, or {update}"
            )
        if self.ties != ties:
            raise IncompatibleError(f"{self.path} orders equal scores by {self.ties}, not by {ties}; {update}")
        places = [self.metrics.index(name) for name in names]
        values = np.array([[self.values[query][place] for query in query_ids] for place in places])
        nothing: Mapping[str, float] = {}
        return GateSystem(
            self.system,
            self.path,
            tuple(query_ids),
            values,
            tuple(self.top[query] for query in query_ids) if self.top else None,
            np.array([self.latencies[query] for query in query_ids]) if self.latencies else None,
            tuple(
                tuple(grades.get(query, nothing).get(document, math.nan) for document in self.top[query])
                for query in query_ids
            )
            if self.top
            else None,
        )


def is_baseline(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a baseline, of whatever version.

    Parameters
    ----------
    path : path
    """
    with open_binary(path) as file:
        return file.read(len(_MAGIC)) == _MAGIC.encode()


def write_baseline(
    path: str | os.PathLike[str], system: GateSystem, digests: Sequence[str], metrics: Sequence[Metric], ties: str
) -> None:
    """Write a baseline file, which appears complete or not at all.

    Parameters
    ----------
    path : path
    system : GateSystem
    digests : sequence of str
        Hashes of the queries' judgments.
    metrics : sequence of Metric
    ties : str
    """
    columns = [*_FIRST, *(metric.name for metric in metrics)]
    columns += [_LATENCY] if system.latencies is not None else []
    columns += [_TOP] if system.top is not None else []
    lines = [f"{_MAGIC}{VERSION}", f"# system {_line(system.name)}", f"# ties {ties}", "\t".join(columns)]
    for q in sorted(range(len(system.query_ids)), key=system.query_ids.__getitem__):
        cells = [system.query_ids[q], digests[q], *map(repr, system.values[:, q].tolist())]
        cells += [repr(float(system.latencies[q]))] if system.latencies is not None else []
        cells += [" ".join(system.top[q])] if system.top is not None else []
        lines.append("\t".join(cells))
    write_bytes(path, "".join(f"{line}\n" for line in lines).encode())


def read_baseline(path: str | os.PathLike[str]) -> BaselineFile:
    """Read a baseline file.

    Parameters
    ----------
    path : path
    """
    try:
        lines = read_bytes(path).decode().splitlines()
    except UnicodeDecodeError as error:
        raise DataFormatError(path, not_utf8(error)) from None
    version = lines[0].removeprefix(_MAGIC).strip() if lines and lines[0].startswith(_MAGIC) else None
    if version is None:
        raise DataFormatError(path, f"not a baseline: the first line has to be {_MAGIC + str(VERSION)!r}", line=1)
    if version != str(VERSION):
        raise DataFormatError(
            path,
            f"a baseline of format version {shortened(version)!r}, and this rankmax reads version {VERSION}; "
            "write it again with rankmax check --update-baseline, or use the rankmax that wrote it",
            line=1,
        )
    facts: dict[str, str] = {}
    number = 1
    while number < len(lines) and lines[number].startswith("# "):
        key, _, value = lines[number][2:].partition(" ")
        facts[key] = value
        number += 1
    columns = lines[number].split("\t") if number < len(lines) else []
    if tuple(columns[:2]) != _FIRST or not {"system", "ties"} <= set(facts):
        raise DataFormatError(path, "not a complete baseline: expected system, ties and column names", line=number + 1)
    metrics = tuple(name for name in columns[2:] if name not in (_LATENCY, _TOP))
    return _with_rows(
        BaselineFile(os.fspath(path), facts["system"], facts["ties"], metrics, {}, {}, {}, {}, {}),
        columns,
        lines,
        number + 1,
    )


def _with_rows(read: BaselineFile, columns: list[str], lines: list[str], first: int) -> BaselineFile:
    for number, line in enumerate(lines[first:], first + 1):
        cells = dict(zip(columns, line.split("\t"), strict=False))
        query = cells.get("query", "")
        try:
            if len(cells) != len(columns) or line.count("\t") != len(columns) - 1:
                raise ValueError(f"expected {len(columns)} columns, found {line.count(chr(9)) + 1}")
            if query in read.values:
                raise ValueError(f"query {shortened(query)!r} occurs twice, first in line {read.lines[query]}")
            read.values[query] = tuple(_number(cells[name]) for name in read.metrics)
            if _LATENCY in cells:
                read.latencies[query] = _number(cells[_LATENCY])
        except ValueError as error:
            raise DataFormatError(read.path, str(error), line=number) from None
        read.digests[query] = cells["judgments"]
        read.lines[query] = number
        if _TOP in cells:
            read.top[query] = tuple(cells[_TOP].split())
    if not read.values:
        raise DataFormatError(read.path, "a baseline without queries")
    return read


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.inf
    if math.isinf(number):
        raise ValueError(f"{shortened(text)!r} is not a number")
    return number


def _line(name: str) -> str:
    return " ".join(name.split()) or "unnamed"


def _counted(queries: Sequence[str]) -> str:
    return f"{len(queries)} {'query' if len(queries) == 1 else 'queries'} ({some_of(queries)})"
