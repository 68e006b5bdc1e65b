"""A shard in memory, on whatever machine an engine has put it."""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmax.arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.data.formats import read_dataset
from rankmax.data.normalise import Normalisation, Unchanged
from rankmax.data.remote import local_copy
from rankmax.data.shards import require_hash
from rankmax.errors import DataFormatError, IncompatibleError
from rankmax.lines.part import Part
from rankmax.metrics.base import Metric


@dataclass(frozen=True)
class Source:
    """Where a part of the data comes from.

    Attributes
    ----------
    file : str
        Path or URL of a data file.
    normalisation : Normalisation
        Applied within queries.
    mapped : bool
        Whether features stay on disk.
    hash : str
        Of the file's bytes, compared whenever it is read; empty where nobody knows it.
    """

    file: str
    normalisation: Normalisation
    mapped: bool = False
    hash: str = ""

    def read(self) -> RankingDataset:
        """Read and normalise the data."""
        path = local_copy(self.file)
        try:
            require_hash(path, self.hash)
            if self.mapped:
                return self._map(path)
            return self.normalisation.apply(read_dataset(path))
        except DataFormatError as error:
            raise DataFormatError(self.file, error.reason, line=error.line) from None

    def _map(self, path: str) -> RankingDataset:
        from rankmax.data.npz import read_npz

        if not path.endswith(".npz"):
            raise IncompatibleError(
                f"{self.file} cannot stay on disk, as a limit of memory asks for; write shards as .npz "
                "(rankmax data shard)"
            )
        if self.normalisation != Unchanged():
            raise IncompatibleError(
                f"the normalisation {self.normalisation.name!r} needs features in memory; train without a limit of "
                "memory, or normalise the data before it is cut into shards"
            )
        return read_npz(path, mapped=True)


BYTES_OF_A_DOCUMENT = 96
"""What is held of a document besides its features, about: levels, places by query and class, gains, scores."""


class Partition:
    """The data of a shard. Sent to another process, it is its source, from which the data is read there.

    Parameters
    ----------
    source : Source
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.data = source.read()
        if self.data.is_sparse:
            raise IncompatibleError(f"{source.file} has sparse features; engines take dense ones")

    def __reduce__(self) -> tuple[Callable[[Source], Partition], tuple[Source]]:
        return Partition, (self.source,)

    def __sizeof__(self) -> int:
        return self.bytes_of_features + BYTES_OF_A_DOCUMENT * self.data.n_documents

    @property
    def bytes_of_features(self) -> int:
        """Bytes of all features."""
        return self.data.n_documents * self.data.n_features * int(self.data.features.dtype.itemsize)

    def with_levels(self, levels: F64) -> RankingDataset:
        """Return the data with the grades of all partitions, so that a level is the same grade everywhere.

        Parameters
        ----------
        levels : array of float64
        """
        return replace(self.data, judgments=self.data.judgments.with_levels(levels))

    def read_ahead(self) -> None:
        """Have mapped features read while other work is done."""
        if (mapping := _mapping_of(self.data.features)) is not None:
            mapping.madvise(mmap.MADV_WILLNEED)

    def give_back(self) -> None:
        """Give memory of mapped features back; they are read again when they are needed."""
        if (mapping := _mapping_of(self.data.features)) is not None:
            mapping.madvise(mmap.MADV_DONTNEED)


class Derived:
    """What is made of a partition. Sent to another process, it is made anew there.

    Parameters
    ----------
    partition : Partition
    others
        What else it is made of.
    """

    def __init__(self, partition: Partition, *others: Any) -> None:
        self._partition = partition
        self._others = others

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._partition, *self._others)

    def __sizeof__(self) -> int:
        return self._partition.__sizeof__()

    def read_ahead(self) -> None:
        """Have mapped features read while other work is done."""
        self._partition.read_ahead()

    def give_back(self) -> None:
        """Give memory back that can be filled again."""
        self._partition.give_back()


class HeldPart(Derived, Part):
    """A partition with a metric and weights of queries.

    Parameters
    ----------
    partition : Partition
    metric : Metric
    levels : array of float64
        Of all partitions, so that a level is the same grade everywhere.
    query_weights : array of float64, shape (n_queries,), optional
    """

    def __init__(self, partition: Partition, metric: Metric, levels: F64, query_weights: F64 | None = None) -> None:
        Derived.__init__(self, partition, metric, levels, query_weights)
        Part.__init__(self, partition.with_levels(levels), metric, query_weights)

    def give_back(self) -> None:
        """Give memory back that can be filled again."""
        super().give_back()
        for made in self._kept.values():
            if hasattr(made, "give_back"):
                made.give_back()


@dataclass(frozen=True, eq=False)
class Description:
    """What the driver has to know of a partition.

    Attributes
    ----------
    n_queries, n_documents : int
    feature_names : tuple of str
    bytes_of_features : int
    levels : array of float64
    query_hashes : array of uint64, shape (n_queries,)
        Of the queries' ids.
    """

    n_queries: int
    n_documents: int
    feature_names: tuple[str, ...]
    bytes_of_features: int
    levels: F64
    query_hashes: NDArray[np.uint64]


def describe(partition: Partition) -> Description:
    """Return what the driver has to know.

    Parameters
    ----------
    partition : Partition
    """
    data = partition.data
    hashes = [hashlib.blake2b(query.encode(), digest_size=8).digest() for query in data.query_ids]
    return Description(
        data.n_queries,
        data.n_documents,
        data.feature_names,
        partition.bytes_of_features,
        data.judgments.levels,
        np.frombuffer(b"".join(hashes), np.uint64),
    )


def selected(partition: Partition, queries: I64) -> RankingDataset:
    """Return the data of some queries of a partition.

    Parameters
    ----------
    partition : Partition
    queries : array of int64
    """
    return partition.data.select(queries)


def _mapping_of(features: Any) -> mmap.mmap | None:
    """Return the map of a file that an array is a view of, None where it is in memory."""
    while features is not None and not isinstance(features, mmap.mmap):
        features = getattr(features, "base", None)
    return features
