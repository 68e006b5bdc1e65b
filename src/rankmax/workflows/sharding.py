"""Splitting of data files into shards."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidParameterError, counted
from rankmax.formats.registry import read_dataset
from rankmax.formats.shards import Shards, write_shards

_SUFFIXES = {"npz": ".npz", "parquet": ".parquet", "letor": ".txt"}


def shard_files(
    sources: Sequence[str | os.PathLike[str]],
    n_shards: int,
    folder: str | os.PathLike[str],
    *,
    format: str = "npz",  # noqa: A002
    callback: Callable[[], None] = lambda: None,
) -> Shards:
    """Write the queries of data files as shards, with one file in memory at a time.

    Parameters
    ----------
    sources : sequence of paths
        Data files in any format, with the same features and different queries.
    n_shards : int
        Number of shards, at least one per file; a large file is split into more shards than a small one.
    folder : path
        Folder to create; it must not exist, or be empty.
    format : str
        "npz", "parquet" or "letor".
    callback : callable, optional
        Called after each file.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax import write_dataset
    >>> from rankmax.data import planted_linear
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_dataset(planted_linear(10, 5, 2, seed=1).data, f"{folder}/all.txt")
    ...     len(shard_files([f"{folder}/all.txt"], 3, f"{folder}/shards").files)
    3
    """
    if n_shards < len(sources):
        given = counted(n_shards, "shard", "shards")
        raise InvalidParameterError(f"{given} for {len(sources)} files; each file needs at least one shard")
    shares = _shares([os.path.getsize(source) for source in sources], n_shards)

    def parts() -> Iterator[tuple[RankingDataset, int]]:
        for source, share in zip(sources, shares, strict=True):
            data = read_dataset(source)
            yield data, min(share, data.n_queries)
            callback()

    return write_shards(parts(), folder, suffix=_SUFFIXES[format])


def _shares(sizes: Sequence[int], n_shards: int) -> list[int]:
    """Return the number of shards of each file: one each, then one more wherever shards are largest."""
    shares = [1] * len(sizes)
    for _ in range(n_shards - len(sizes)):
        largest = max(range(len(sizes)), key=lambda i: sizes[i] / shares[i])
        shares[largest] += 1
    return shares
