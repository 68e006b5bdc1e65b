"""Fingerprints of files, to recognize the data that a result was measured on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path


def fingerprint(paths: Iterable[Path]) -> str:
    """Return a short hash of the names and sizes of files; their content is not read.

    Parameters
    ----------
    paths : iterable of Path

    Examples
    --------
    >>> fingerprint([])
    'e3b0c44298fc'
    """
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{path.name} {path.stat().st_size}\n".encode())
    return digest.hexdigest()[:12]


def content_fingerprint(paths: Iterable[Path]) -> str:
    """Return a short hash of the content of files, whatever their names and order.

    Parameters
    ----------
    paths : iterable of Path

    Examples
    --------
    >>> content_fingerprint([])
    'e3b0c44298fc'
    """
    digest = hashlib.sha256()
    for own in sorted(_hash_of(path) for path in paths):
        digest.update(own)
    return digest.hexdigest()[:12]


def _hash_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
