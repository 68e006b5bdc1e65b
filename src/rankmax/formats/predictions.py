"""Prediction files of other programs: one score per line, in the order of the data file."""

from __future__ import annotations

import os

import numpy as np

from rankmax._arrays import F64
from rankmax._io.files import atomic_writer, read_bytes
from rankmax.errors import DataFormatError, counted


def read_scores(path: str | os.PathLike[str], *, n_documents: int) -> F64:
    """Read one score per document.

    If a line has several columns, the last one is the score (RankLib writes query, row and score).

    Parameters
    ----------
    path : path
        Prediction file, plain or gzip; blank lines are skipped.
    n_documents : int
        Required number of scores.
    """
    content = read_bytes(path)
    if b"\0" in content:
        raise DataFormatError(path, "binary file; expected text with one score per line")
    lines = [(number, line.split()) for number, line in enumerate(content.splitlines(), 1) if line.strip()]
    if len(lines) != n_documents:
        found, documents = counted(len(lines), "score", "scores"), counted(n_documents, "document", "documents")
        raise DataFormatError(path, f"{found} for {documents}; expected one per line")
    tokens = [columns[-1] for _, columns in lines]
    scores = _parse(tokens)
    finite = np.isfinite(scores)
    if not finite.all():
        worst = int(np.flatnonzero(~finite)[0])
        shown = tokens[worst].decode(errors="replace")
        raise DataFormatError(path, f"score {shown!r} is not a finite number", line=lines[worst][0])
    return scores


def write_scores(scores: F64, path: str | os.PathLike[str]) -> None:
    """Write one score per line, so that reading gives the same bits."""
    with atomic_writer(path) as file:
        file.write("".join(f"{score!r}\n" for score in scores.tolist()).encode())


def _parse(tokens: list[bytes]) -> F64:
    """Return the numbers, NaN for tokens that are not numbers."""
    if not tokens:
        return np.empty(0)
    try:
        if not any(b"_" in token for token in tokens):  # Python reads 1_000, no other program does
            return np.array(tokens, dtype="S").astype(np.float64)
    except ValueError:
        pass
    return np.array([_number(token) for token in tokens])


def _number(token: bytes) -> float:
    try:
        return float("nan" if b"_" in token else token)
    except ValueError:
        return float("nan")
