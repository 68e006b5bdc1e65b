"""A data set that lies with an engine, of which the driver knows what it must."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rankmax.arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.data.exact_sums import rounded
from rankmax.data.normalise import Normalisation, Unchanged
from rankmax.data.segments import QuerySegments
from rankmax.data.shards import Shards
from rankmax.data.splits import concatenate
from rankmax.data.spread import largest_from_first, spread_of, squares_within_queries
from rankmax.engines.base import Engine
from rankmax.engines.partition import BYTES_OF_A_DOCUMENT, Partition, Source, describe, selected
from rankmax.errors import InvalidDataError
from rankmax.metrics.base import Metric
from rankmax.metrics.evaluate import evaluate_metrics
from rankmax.metrics.ties import TiePolicy


class Scorer(Protocol):
    """A model: a score for each document."""

    def scores(self, data: RankingDataset, /) -> F64:
        """Return the score of each document."""


class EngineDataset:
    """Shards, each read where the engine keeps it.

    Parameters
    ----------
    engine : Engine
    shards : Shards
    normalisation : Normalisation, optional
        Applied within queries when a shard is read.

    Attributes
    ----------
    partitions : Held
    n_queries, n_documents : int
        Over all shards.
    feature_names : tuple of str
    levels : array of float64
        NaN, then all grades, ascending.
    """

    def __init__(self, engine: Engine, shards: Shards, normalisation: Normalisation | None = None) -> None:
        self.engine = engine
        self.shards = shards
        self.normalisation = normalisation or Unchanged()
        mapped = engine.maps_features
        sources = [Source(shard.file, self.normalisation, mapped, shard.hash) for shard in shards.files]
        self.partitions = engine.read(Partition, sources, [shard.n_documents or 1 for shard in shards.files])
        described = engine.map(describe, self.partitions)
        self.documents_by_part: tuple[int, ...] = tuple(part.n_documents for part in described)
        self.queries_by_part: tuple[int, ...] = tuple(part.n_queries for part in described)
        self.n_documents, self.n_queries = sum(self.documents_by_part), sum(self.queries_by_part)
        engine.require_room(BYTES_OF_A_DOCUMENT * self.n_documents, max(part.bytes_of_features for part in described))
        self.feature_names: tuple[str, ...] = described[0].feature_names
        for part, shard in zip(described, shards.files, strict=True):
            if part.feature_names != self.feature_names:
                raise InvalidDataError(f"{shard.file} has other features than {shards.files[0].file}")
        hashes = np.concatenate([part.query_hashes for part in described])
        if np.unique(hashes).size < hashes.size:
            raise InvalidDataError("a query is in more than one shard; cut data between queries (rankmax data shard)")
        self.levels = np.concatenate([[np.nan], np.unique(np.concatenate([part.levels[1:] for part in described]))])

    @classmethod
    def kept(cls, engine: Engine, shards: Shards, normalisation: Normalisation) -> EngineDataset:
        """Return shards as data that an engine has, or reads now and keeps until it is closed.

        Parameters
        ----------
        engine : Engine
        shards : Shards
        normalisation : Normalisation
        """
        key = (shards, normalisation)
        if key not in engine.kept:
            engine.kept[key] = cls(engine, shards, normalisation)
        data: EngineDataset = engine.kept[key]
        return data

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.feature_names)

    def by_part(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Cut a number for each query into those of each partition.

        Parameters
        ----------
        values : array, shape (n_queries,)
        """
        return np.split(values, np.cumsum(self.queries_by_part)[:-1])

    @cached_property
    def feature_spread(self) -> F64:
        """Each feature's standard deviation within queries."""
        largest = np.max(self.engine.map(_largest, self.partitions, combine=np.maximum), axis=0)
        squares = np.sum(self.engine.map(_squares, self.partitions, largest, combine=np.add), axis=0)
        return spread_of(largest, squares, self.n_documents)

    @cached_property
    def query_ids(self) -> tuple[str, ...]:
        """Identifier of each query, brought here."""
        return tuple(chain.from_iterable(self.engine.map(_query_ids, self.partitions)))

    def score_deviation(self, weights: F64) -> float:
        """Return the standard deviation of linear scores within queries.

        Parameters
        ----------
        weights : array of float64, shape (n_features,)
        """
        squares = np.sum(self.engine.map(_score_squares, self.partitions, weights, combine=np.add), axis=0)
        return float(np.sqrt(rounded(squares) / max(self.n_documents, 1)))

    def values(self, model: Scorer, metrics: Sequence[Metric], *, ties: TiePolicy = TiePolicy.DOCUMENT_ORDER) -> F64:
        """Return the value of each metric for each query, ranked by a model, shape (n_metrics, n_queries).

        Parameters
        ----------
        model : Scorer
            Where the data is normalised already, one that does it in the same way, and is told not to.
        metrics : sequence of Metric
        ties : TiePolicy
        """
        if self.normalisation != Unchanged():
            model = replace(model, normalisation=Unchanged())  # type: ignore[type-var]
        return np.hstack(self.engine.map(_values, self.partitions, model, tuple(metrics), ties, self.levels))

    def sample(self, queries: I64) -> RankingDataset:
        """Return the data of some queries, brought here.

        Parameters
        ----------
        queries : array of int64
            Their numbers over all shards, ascending.
        """
        ends = np.cumsum(self.queries_by_part)
        pieces = np.split(queries, np.searchsorted(queries, ends[:-1]))
        own = [piece - first for piece, first in zip(pieces, ends - self.queries_by_part, strict=True)]
        return concatenate(self.engine.map(selected, self.partitions, each=own))


def _largest(partition: Partition) -> F64:
    return largest_from_first(partition.data)


def _squares(partition: Partition, largest: F64) -> I64:
    return squares_within_queries(partition.data, largest)


def _query_ids(partition: Partition) -> tuple[str, ...]:
    return partition.data.query_ids


def _score_squares(partition: Partition, weights: F64) -> I64:
    data = partition.data
    return QuerySegments(data.query_offsets).squares(data.scores(weights))


def _values(partition: Partition, model: Scorer, metrics: Sequence[Metric], ties: TiePolicy, levels: F64) -> F64:
    data = partition.with_levels(levels)
    return evaluate_metrics(metrics, model.scores(data), data.judgments, ties=ties)
