"""Facts about all queries that the sweep of some of them needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._numerics.exact_sums import digits_of, exact_sum, rounded
from rankmax.data.judgments import Judgments
from rankmax.errors import IncompatibleError
from rankmax.metrics.metric import CascadeMetric, CascadeTables, Metric, MetricTables, TabularMetric


@dataclass(frozen=True, eq=False)
class SweepFacts:
    """Facts about all queries, with which sweeps of parts of the data add up to the same bits as the whole.

    Attributes
    ----------
    weight, offset, norm : arrays of int64
        Digits (_numerics/digit_sums.py) of the sums over queries of their weights, of weighted offsets and of weighted
        sizes of norms.
    largest_gain, discount_sum, largest_prefix : float
    gains : array of float64
        Distinct gains of candidates, ascending.

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> judgments = Judgments.from_grades([1, 0, 0, 1], [0, 2, 4])
    >>> parts = [SweepFacts.of(RR(), judgments.select([q]), np.ones(1)) for q in range(2)]
    >>> SweepFacts.of_all(parts).total_weight
    2.0
    """

    weight: I64
    offset: I64
    norm: I64
    largest_gain: float
    discount_sum: float
    largest_prefix: float
    gains: F64

    @classmethod
    def of(cls, metric: Metric, judgments: Judgments, query_weights: F64) -> SweepFacts:
        """Compute the facts of some queries.

        Parameters
        ----------
        metric : TabularMetric or CascadeMetric
        judgments : Judgments
        query_weights : array of float64, shape (n_queries,)
        """
        gain, prefix, tables = sweep_tables(metric, judgments)
        counted = ~np.isnan(tables.offset)
        weights = np.where(counted, query_weights, 0.0)
        present = np.bincount(judgments.document_levels, minlength=judgments.n_levels) > 0
        return cls(
            weight=digits_of(weights),
            offset=digits_of(weights * np.where(counted, tables.offset, 0.0)),
            norm=digits_of(np.abs(weights) * np.where(counted, np.abs(tables.norm), 0.0)),
            largest_gain=float(np.abs(gain).max(initial=0.0)),
            discount_sum=exact_sum(np.abs(tables.discount)),
            largest_prefix=float(np.abs(prefix).max(initial=1.0)),
            gains=np.unique(gain[present]),
        )

    @classmethod
    def of_all(cls, parts: Sequence[SweepFacts]) -> SweepFacts:
        """Combine the facts of each part into those of all queries.

        Parameters
        ----------
        parts : sequence of SweepFacts
        """
        return cls(
            weight=np.sum([part.weight for part in parts], axis=0),
            offset=np.sum([part.offset for part in parts], axis=0),
            norm=np.sum([part.norm for part in parts], axis=0),
            largest_gain=max(part.largest_gain for part in parts),
            discount_sum=max(part.discount_sum for part in parts),
            largest_prefix=max(part.largest_prefix for part in parts),
            gains=np.unique(np.concatenate([part.gains for part in parts])),
        )

    @cached_property
    def total_weight(self) -> float:
        """Total weight of all queries."""
        return rounded(self.weight)

    @cached_property
    def mean_offset(self) -> float:
        """The weighted mean of the queries' offsets."""
        return rounded(self.offset) / self.total_weight

    @cached_property
    def units_in_one(self) -> float:
        """A power of two such that the largest possible sum stays far below 2^63."""
        largest = self.largest_gain * self.discount_sum * self.largest_prefix
        bound = rounded(self.norm) / self.total_weight * largest
        return float(2.0 ** min(52, 60 - math.ceil(math.log2(max(bound, 1.0)))))

    def value(self, units: I64 | F64 | int) -> F64:
        """Convert a sum over queries in units to the metric's value.

        Parameters
        ----------
        units : int or array
        """
        return np.asarray(units) / self.units_in_one + self.mean_offset


def sweep_tables(metric: Metric, judgments: Judgments) -> tuple[F64, F64, MetricTables | CascadeTables]:
    """Return a metric's gains by level, its prefix table, and all its tables.

    Parameters
    ----------
    metric : TabularMetric or CascadeMetric
    judgments : Judgments

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> sweep_tables(RR(), Judgments.from_grades([1, 0], [0, 2]))[1]
    array([1., 0.])
    """
    if isinstance(metric, TabularMetric):
        tables = metric.tables(judgments)
        return tables.gain, tables.prefix, tables
    if isinstance(metric, CascadeMetric):
        stops = metric.cascade(judgments)
        return stops.stop, np.ones(1), stops
    raise IncompatibleError(
        f"{metric} has no tables, so a line cannot be swept exactly; use a tabular metric "
        "(rankmax.metrics.from_tables makes one) or a line search that rescores"
    )
