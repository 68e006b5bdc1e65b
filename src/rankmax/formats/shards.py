"""Sharded data sets: several files with whole queries each, for distributed work or data beyond memory.

A folder of shards has the data files and a manifest::

    manifest.json = {"schema": "rankmax/shards/1", "feature_names": [...], "shards": [shard, ...]}
    shard         = {"file": name in the folder, "n_queries", "n_documents", "hash": of the file}
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from rankmax._io.files import read_bytes, write_bytes
from rankmax._io.folders import building_folder
from rankmax._io.remote import local_copy
from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import balanced_tasks
from rankmax.errors import DataFormatError, InvalidDataError, InvalidParameterError, counted
from rankmax.formats.registry import write_dataset

MANIFEST = "manifest.json"
_SCHEMA = "rankmax/shards/1"
_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]


class Shard(msgspec.Struct, frozen=True):
    """A file with some of the queries of a data set.

    Attributes
    ----------
    file : str
        Path or URL; in a manifest, a name in the same folder.
    n_queries, n_documents : int or None
        Numbers of queries and documents; None if not counted yet.
    hash : str
        Hash of the file's bytes; empty if unknown.
    """

    file: str
    n_queries: _Count | None = None
    n_documents: _Count | None = None
    hash: str = ""


class _Manifest(msgspec.Struct, frozen=True):
    schema: str
    feature_names: list[str]
    shards: list[Shard]


@dataclass(frozen=True)
class Shards:
    """The files of a sharded data set; queries keep the order of the files, and their order within them.

    Attributes
    ----------
    files : tuple of Shard

    Examples
    --------
    >>> Shards.at(["a.parquet", "b.parquet"]).files[1].file
    'b.parquet'
    """

    files: tuple[Shard, ...]

    @classmethod
    def at(cls, source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> Shards:
        """Find shards in a folder written by :func:`write_shards`, or in files named one by one.

        Parameters
        ----------
        source : path, URL, or a sequence of them
            The folder; or data files in any format, local or anywhere that fsspec reads (s3://, gs://, ...).
        """
        if not isinstance(source, str | os.PathLike):
            if not source:
                raise InvalidParameterError("no shards are named; name at least one file")
            return cls(tuple(Shard(os.fspath(path)) for path in source))
        folder = os.fspath(source).rstrip("/")
        if not is_sharded(folder):
            return cls((Shard(folder),))
        path = f"{folder}/{MANIFEST}"
        try:
            manifest = msgspec.json.decode(read_bytes(local_copy(path)), type=_Manifest)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise DataFormatError(path, f"not a manifest of shards: {error}") from None
        if manifest.schema != _SCHEMA:
            raise DataFormatError(path, f"schema is {manifest.schema!r}, expected {_SCHEMA!r}")
        if not manifest.shards:
            raise DataFormatError(path, "names no shards")
        for shard in manifest.shards:
            if not shard.file or shard.file in (".", "..") or set(shard.file) & set("/\\\0"):
                raise DataFormatError(path, f"{shard.file!r} is not the name of a file in the folder")
        return cls(tuple(msgspec.structs.replace(shard, file=f"{folder}/{shard.file}") for shard in manifest.shards))

    @property
    def content_hash(self) -> str:
        """Hash of the shards' content according to the manifest, or of their names if there is none."""
        digest = hashlib.blake2b(digest_size=16)
        for shard in self.files:
            digest.update((shard.hash or shard.file).encode() + b"\n")
        return f"blake2b:{digest.hexdigest()}"


def is_sharded(source: str | os.PathLike[str]) -> bool:
    """Return whether a path or URL names a folder of shards rather than a data file.

    Parameters
    ----------
    source : path or URL

    Examples
    --------
    >>> is_sharded("train.npz"), is_sharded("s3://bucket/train-shards")
    (False, True)
    """
    name = os.fspath(source)
    return not os.path.splitext(name)[1] if "://" in name else os.path.isdir(name)


def write_shards(
    parts: Iterable[tuple[RankingDataset, int]], folder: str | os.PathLike[str], *, suffix: str = ".npz"
) -> Shards:
    """Write data sets as shards, each cut between queries into shards of about equal numbers of documents.

    The folder appears complete or not at all.

    Parameters
    ----------
    parts : iterable of (RankingDataset, int)
        Data sets, one of which is in memory at a time, and the number of shards to cut each into.
    folder : path
        Folder to create; must not exist, or be empty.
    suffix : str
        Suffix of the files, which sets the format; features of ".npz" can be memory-mapped rather than read.

    Examples
    --------
    >>> import tempfile
    >>> data = RankingDataset.from_arrays([[0.5], [0.1], [0.3]], [1, 0, 1], qid=["a", "a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shards = write_shards([(data, 2)], f"{folder}/shards")
    ...     [shard.n_documents for shard in Shards.at(f"{folder}/shards").files]
    [2, 1]
    """
    names: tuple[str, ...] = ()
    shards: list[Shard] = []
    seen: set[str] = set()
    with building_folder(folder, noun="folder of shards") as hidden:
        for data, n_shards in parts:
            if not 1 <= n_shards <= data.n_queries:
                given, queries = counted(n_shards, "shard", "shards"), counted(data.n_queries, "query", "queries")
                raise InvalidParameterError(f"{given} for {queries}; a shard has at least one query")
            if shards and data.feature_names != names:
                raise InvalidDataError("the data sets have different features; shards need the same, in one order")
            if repeated := seen.intersection(data.query_ids):
                raise InvalidDataError(f"query {min(repeated)!r} is in two of the data sets; rename it in one")
            names = data.feature_names
            seen.update(data.query_ids)
            borders = balanced_tasks(data.judgments.documents_by_query, n_shards)
            for first, last in pairwise(borders):
                shard = data.select(np.arange(first, last))
                file = f"shard-{len(shards):05d}{suffix}"
                write_dataset(shard, hidden / file)
                shards.append(Shard(file, shard.n_queries, shard.n_documents, _hash_of(hidden / file)))
        if not shards:
            raise InvalidDataError("there is no data to cut into shards")
        manifest = _Manifest(_SCHEMA, list(names), shards)
        write_bytes(hidden / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1))
    return Shards.at(folder)


def require_hash(path: str | os.PathLike[str], expected: str) -> None:
    """Raise if a file does not have the hash stated in its manifest.

    Parameters
    ----------
    path : path
    expected : str
        Hash of a :class:`Shard`; empty if unknown.
    """
    if expected and (found := _hash_of(Path(path))) != expected:
        raise DataFormatError(
            path,
            f"damaged or changed: its hash is {found}, its manifest says {expected}; copy the shard again, or write "
            "all shards again (rankmax data shard)",
        )


def _hash_of(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            return f"blake2b:{hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()}"
    except OSError as error:
        raise DataFormatError(path, f"cannot read: {error.strerror}") from None
