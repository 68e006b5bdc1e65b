"""A shard in memory, on any machine of a backend."""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I64
from rankmax._io.remote import local_copy
from rankmax.backends.training_data import Part
from rankmax.data.dataset import RankingDataset
from rankmax.errors import DataFormatError, IncompatibleError
from rankmax.formats.registry import read_dataset
from rankmax.formats.shards import require_hash
from rankmax.line_search.query_subset import Part as QueryPart
from rankmax.metrics.metric import Metric
from rankmax.preprocessing.binning import Binning
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged


@dataclass(frozen=True)
class Source:
    """Source of a part of the data.

    Attributes
    ----------
    file : str
        Path or URL of a data file.
    normalization : Normalization
        Normalization within queries.
    mapped : bool
        Whether features stay on disk.
    hash : str
        Hash of the file's bytes, compared whenever it is read; empty where it is unknown.
    binning : Binning, optional
        Replaces features by indicators, before they are normalized.
    """

    file: str
    normalization: Normalization
    mapped: bool = False
    hash: str = ""
    binning: Binning | None = None

    def read(self) -> RankingDataset:
        """Read the data, bin and normalize it."""
        path = local_copy(self.file)
        try:
            require_hash(path, self.hash)
            data = self._map(path) if self.mapped else read_dataset(path)
            return self.normalization.apply(data if self.binning is None else self.binning.apply(data))
        except DataFormatError as error:
            raise DataFormatError(self.file, error.reason, line=error.line) from None

    def _map(self, path: str) -> RankingDataset:
        from rankmax.formats.npz import read_npz

        if not path.endswith(".npz"):
            raise IncompatibleError(
                f"{self.file} cannot stay on disk, as a memory limit requires; write shards as .npz "
                "(rankmax data shard)"
            )
        if self.normalization != Unchanged():
            raise IncompatibleError(
                f"the normalization {self.normalization.name!r} needs features in memory; train without a memory "
                "limit, or normalize the data before it is split into shards"
            )
        return read_npz(path, mapped=True)


BYTES_OF_A_DOCUMENT = 96
"""Approximate bytes held per document besides its features: levels, positions by query and class, gains, scores."""


class Partition:
    """The data of a shard; only its source is sent to another process, which reads the data itself.

    Parameters
    ----------
    source : Source
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.data = source.read()
        if self.data.is_sparse:
            raise IncompatibleError(f"{source.file} has sparse features; backends need dense or binned ones")

    def __reduce__(self) -> tuple[Callable[[Source], Partition], tuple[Source]]:
        return Partition, (self.source,)

    def __sizeof__(self) -> int:
        return self.bytes_of_features + BYTES_OF_A_DOCUMENT * self.data.n_documents

    @property
    def bytes_of_features(self) -> int:
        """Bytes of all features."""
        return int(self.data.features.nbytes)  # type: ignore[union-attr]  # never sparse

    def with_levels(self, levels: F64) -> RankingDataset:
        """Return the data with the levels of all partitions, so that a level is the same grade everywhere.

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
        """Release the memory of mapped features; they are read again when needed."""
        if (mapping := _mapping_of(self.data.features)) is not None:
            mapping.madvise(mmap.MADV_DONTNEED)


class Derived:
    """An object derived from a partition; it is created again in a process that it is sent to.

    Parameters
    ----------
    partition : Part
        A partition, or data in this process, which is never read ahead or given back.
    others
        Other arguments that it is derived from.
    """

    def __init__(self, partition: Part, *others: Any) -> None:
        self._partition: Any = partition
        self._others = others

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._partition, *self._others)

    def __sizeof__(self) -> int:
        return int(self._partition.__sizeof__())

    def read_ahead(self) -> None:
        """Have mapped features read while other work is done."""
        self._partition.read_ahead()

    def give_back(self) -> None:
        """Give memory back that can be filled again."""
        self._partition.give_back()


class HeldPart(Derived, QueryPart):
    """A partition with a metric and query weights.

    Parameters
    ----------
    partition : Partition
    metric : Metric
    levels : array of float64
        Levels of all partitions, so that a level is the same grade everywhere.
    query_weights : array of float64, shape (n_queries,), optional
    """

    def __init__(self, partition: Partition, metric: Metric, levels: F64, query_weights: F64 | None = None) -> None:
        Derived.__init__(self, partition, metric, levels, query_weights)
        QueryPart.__init__(self, partition.with_levels(levels), metric, query_weights)

    def give_back(self) -> None:
        """Give memory back that can be filled again."""
        super().give_back()
        for made in self._kept.values():
            if hasattr(made, "give_back"):
                made.give_back()


@dataclass(frozen=True, eq=False)
class Description:
    """Metadata of a partition for the driver.

    Attributes
    ----------
    n_queries, n_documents : int
    feature_names : tuple of str
    bytes_of_features : int
    levels : array of float64
    query_hashes : array of uint64, shape (n_queries,)
        Hashes of the query ids.
    """

    n_queries: int
    n_documents: int
    feature_names: tuple[str, ...]
    bytes_of_features: int
    levels: F64
    query_hashes: NDArray[np.uint64]


def describe(partition: Partition) -> Description:
    """Return the metadata of a partition.

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
    """Return the memory map that an array is a view of, None where it is in memory."""
    while features is not None and not isinstance(features, mmap.mmap):
        features = getattr(features, "base", None)
    return features
