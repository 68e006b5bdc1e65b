"""Runs and judgments among the files of a project, told by their first line."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Literal, TypeAlias

from rankmax._io.files import GZIP_MAGIC

TrecKind: TypeAlias = Literal["run", "qrels"]

_FIRST = 4096  # bytes that hold the first line
_OTHERS = (".json", ".npz", ".parquet", ".csv", ".tsv", ".jsonl", ".toml", ".md", ".html")


def trec_kind_of_file(path: Path) -> TrecKind | None:
    """Return whether a file holds a run or judgments in TREC's format, by its first line; None for anything else.

    Parameters
    ----------
    path : Path
    """
    if path.name.lower().removesuffix(".gz").endswith(_OTHERS):
        return None
    try:
        with open(path, "rb") as file:
            start = file.read(_FIRST)
        if start.startswith(GZIP_MAGIC):
            with gzip.open(path) as unpacked:
                start = unpacked.read(_FIRST)
    except (OSError, EOFError, zlib.error):
        return None
    return trec_kind(start)


def trec_kind(start: bytes) -> TrecKind | None:
    r"""Return whether text begins like a run or like judgments in TREC's format; None for anything else.

    Parameters
    ----------
    start : bytes
        The beginning of the text, with its first line.

    Examples
    --------
    >>> trec_kind(b"19335 Q0 8412684 1 17.2 bm25\n"), trec_kind(b"19335 0 1017759 2\n"), trec_kind(b"2 qid:1 1:0.5\n")
    ('run', 'qrels', None)
    """
    lines = start.split(b"\n")
    first = next((line for line in lines if line.strip()), b"").split()
    if len(first) < 4 or not (first[1] == b"Q0" or first[1].isdigit()):
        return None
    if len(first) == 6 and first[3].lstrip(b"-").isdigit() and _is_number(first[4]):
        return "run"
    return "qrels" if len(first) == 4 and _is_number(first[3]) else None


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
