"""A distributed data set: shards held by a backend, with their metadata in the driver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I64
from rankmax.backends.backend import Backend, Held
from rankmax.backends.binned_shards import BinnedShards
from rankmax.backends.partition import BYTES_OF_A_DOCUMENT, Partition, Source, describe, selected
from rankmax.backends.training_data import Scorer, TrainingData
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_spread import largest_from_first, spread_of, squares_within_queries
from rankmax.data.splits import concatenate
from rankmax.errors import InvalidDataError
from rankmax.formats.shards import Shards
from rankmax.line_search.objective import Objective
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric
from rankmax.metrics.ties import TiePolicy
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.spaces.parameter_space import ParameterSpace

_T = TypeVar("_T")


class DistributedDataset(TrainingData):
    """A data set whose shards are read and held by a backend.

    Parameters
    ----------
    backend : Backend
    shards : Shards
    normalization : Normalization, optional
        Normalization within queries, applied when a shard is read.

    Attributes
    ----------
    partitions : Held
    n_queries, n_documents : int
        Numbers over all shards.
    feature_names : tuple of str
    levels : array of float64
        NaN, then all grades in ascending order.
    """

    def __init__(self, backend: Backend, shards: Shards, normalization: Normalization | None = None) -> None:
        self._backend = backend
        self.shards = shards
        self.normalization = normalization or Unchanged()
        mapped = backend.maps_features
        binning = shards.binning if isinstance(shards, BinnedShards) else None
        sources = [Source(shard.file, self.normalization, mapped, shard.hash, binning) for shard in shards.files]
        self.partitions = backend.read(Partition, sources, [shard.n_documents or 1 for shard in shards.files])
        described = backend.map(describe, self.partitions)
        self.documents_by_part: tuple[int, ...] = tuple(part.n_documents for part in described)
        self.queries_by_part: tuple[int, ...] = tuple(part.n_queries for part in described)
        self.n_documents, self.n_queries = sum(self.documents_by_part), sum(self.queries_by_part)
        sizes = [part.bytes_of_features for part in described]
        codes = 0 if binning is None else sum(sizes)  # which do not stay on disk
        backend.require_room(BYTES_OF_A_DOCUMENT * self.n_documents + codes, max(sizes))
        self.feature_names: tuple[str, ...] = described[0].feature_names
        for part, shard in zip(described, shards.files, strict=True):
            if part.feature_names != self.feature_names:
                raise InvalidDataError(f"{shard.file} has other features than {shards.files[0].file}")
        hashes = np.concatenate([part.query_hashes for part in described])
        if np.unique(hashes).size < hashes.size:
            raise InvalidDataError("a query is in more than one shard; split data between queries (rankmax data shard)")
        self.levels = np.concatenate([[np.nan], np.unique(np.concatenate([part.levels[1:] for part in described]))])

    @classmethod
    def kept(cls, backend: Backend, shards: Shards, normalization: Normalization) -> DistributedDataset:
        """Return the data set of some shards, which the backend reads once and holds until it is closed.

        Parameters
        ----------
        backend : Backend
        shards : Shards
        normalization : Normalization
        """
        key = (shards, normalization)
        if key not in backend.kept:
            backend.kept[key] = cls(backend, shards, normalization)
        data: DistributedDataset = backend.kept[key]
        return data

    @property
    def source(self) -> Shards:
        """The shards."""
        return self.shards

    @property
    def backend(self) -> Backend:
        """The backend that keeps the parts."""
        return self._backend

    @property
    def content_hash(self) -> str:
        """Hash of the shards' content."""
        return self.shards.content_hash

    def hold(self, function: Callable[..., Any], *shared: Any, each: Sequence[Any] | None = None) -> Held:
        """Make an object of each part, and keep it where the part is."""
        return self._backend.hold(function, self.partitions, *shared, each=each)

    def map(
        self,
        function: Callable[..., _T],
        held: Held | None = None,
        *shared: Any,
        combine: Callable[[_T, _T], _T] | None = None,
    ) -> list[_T]:
        """Call a function with each part, or with what is held of it."""
        return self._backend.map(function, self.partitions if held is None else held, *shared, combine=combine)

    def objective(self, metric: Metric, query_weights: F64) -> Objective:
        """Return the metric as a function of linear weights."""
        from rankmax.backends.distributed_objective import DistributedObjective  # which is made of this class

        return DistributedObjective(self, metric, query_weights=query_weights)

    def prepared(self, space: ParameterSpace) -> DistributedDataset:
        """Return the data itself; :func:`require_local` is for spaces that add features."""
        return self

    def by_part(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Split per-query numbers by partition.

        Parameters
        ----------
        values : array, shape (n_queries,)
        """
        return np.split(values, np.cumsum(self.queries_by_part)[:-1])

    @cached_property
    def feature_spread(self) -> F64:
        """Standard deviation of each feature within queries."""
        largest = np.max(self.backend.map(_largest, self.partitions, combine=np.maximum), axis=0)
        squares = np.sum(self.backend.map(_squares, self.partitions, largest, combine=np.add), axis=0)
        return spread_of(largest, squares, self.n_documents)

    @cached_property
    def query_ids(self) -> tuple[str, ...]:
        """Id of each query, collected from all shards."""
        return tuple(chain.from_iterable(self.backend.map(_query_ids, self.partitions)))

    def values(
        self,
        model: Scorer,
        metrics: Sequence[Metric],
        *,
        ties: TiePolicy = TiePolicy.DOCUMENT_ORDER,
        queries: I64 | None = None,
    ) -> F64:
        """Return the value of each metric for each query; the parts are normalized already."""
        if self.normalization != Unchanged():
            model = replace(model, normalization=Unchanged())  # type: ignore[type-var]
        values = np.hstack(self.map(_values, None, model, tuple(metrics), ties, self.levels))
        return values if queries is None else values[:, queries]

    def select(self, queries: I64) -> RankingDataset:
        """Return the normalized data of some queries, brought to this process."""
        ends = np.cumsum(self.queries_by_part)
        pieces = np.split(queries, np.searchsorted(queries, ends[:-1]))
        own = [piece - first for piece, first in zip(pieces, ends - self.queries_by_part, strict=True)]
        return concatenate(self.backend.map(selected, self.partitions, each=own))


def _largest(partition: Partition) -> F64:
    return largest_from_first(partition.data)


def _squares(partition: Partition, largest: F64) -> I64:
    return squares_within_queries(partition.data, largest)


def _query_ids(partition: Partition) -> tuple[str, ...]:
    return partition.data.query_ids


def _values(partition: Partition, model: Scorer, metrics: Sequence[Metric], ties: TiePolicy, levels: F64) -> F64:
    data = partition.with_levels(levels)
    return evaluate_metrics(metrics, model.scores(data), data.judgments, ties=ties)
