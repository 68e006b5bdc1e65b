"""Weights that maximize one metric subject to a lower bound on another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64, I64, Bool
from rankmax._numerics.bootstrap_counts import counts_in_samples
from rankmax._numerics.tolerance import SAME_VALUE
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.formats.parsing.json_line import shortened
from rankmax.formats.parsing.numbers import finite_number
from rankmax.fusion.weight_search import LatticeSearch
from rankmax.metrics.metric import Metric
from rankmax.metrics.registry import parse_metric

_WRITTEN = re.compile(
    r"(?P<metric>.+?)\s*>=\s*(?:(?P<current>current)\s*(?P<change>[+-]\s*[0-9.][0-9.eE+-]*)?|(?P<least>[0-9.eE+-]+))"
)


@dataclass(frozen=True)
class Constraint:
    """A lower bound on the mean of a metric.

    Attributes
    ----------
    metric : Metric
    least : float
        The lower bound; for a relative constraint, the offset from the current fusion's value.
    relative : bool
        Whether the bound is relative to the current fusion; :meth:`resolved` makes it absolute, as use requires.

    Examples
    --------
    >>> str(Constraint.parsed("P@1 >= 0.62")), str(Constraint.parsed("AP>=current - 0.01"))
    ('P@1>=0.62', 'AP>=current-0.01')
    """

    metric: Metric
    least: float
    relative: bool = False

    @classmethod
    def parsed(cls, text: str) -> Constraint:
        """Read a constraint such as ``P@1>=0.62``, ``P@1>=current`` or ``AP>=current-0.01``.

        Parameters
        ----------
        text : str
        """
        match = _WRITTEN.fullmatch(text.strip())
        try:
            if match is None:
                raise ValueError
            relative = match["current"] is not None
            least = finite_number((match["change"] or "0").replace(" ", "") if relative else match["least"])
        except ValueError:
            raise InvalidParameterError(
                f"{shortened(text)!r} is not a constraint; expected METRIC>=NUMBER, as P@1>=0.62, or relative to the "
                "current fusion, as P@1>=current or AP>=current-0.01"
            ) from None
        return cls(parse_metric(match["metric"]), least, relative)

    def resolved(self, current: float) -> Constraint:
        """Return the equivalent absolute constraint.

        Parameters
        ----------
        current : float
            Mean of the metric for the current fusion, over the queries that the constraint applies to.

        Examples
        --------
        >>> str(Constraint.parsed("AP>=current-0.01").resolved(0.25)), str(Constraint.parsed("AP>=0.2").resolved(0.25))
        ('AP>=0.24', 'AP>=0.2')
        """
        return replace(self, least=current + self.least, relative=False) if self.relative else self

    def is_met_by(self, means: ArrayLike) -> Bool:
        """Return which metric means satisfy the constraint.

        Parameters
        ----------
        means : float or array

        Examples
        --------
        >>> Constraint.parsed("P@1>=0.62").is_met_by([0.62, 0.61])
        array([ True, False])
        """
        if self.relative:
            raise IncompatibleError(f"{self} is relative to a fusion that is not known here; resolve it first")
        return np.asarray(means) >= self.least - SAME_VALUE

    def __str__(self) -> str:
        """Return the constraint in the syntax that :meth:`parsed` reads."""
        if self.relative:
            return f"{self.metric}>=current{f'{self.least:+g}' if self.least else ''}"
        return f"{self.metric}>={self.least:g}"


class ConstrainedSearch(LatticeSearch):
    """The best lattice point at which a second metric is high enough, for up to six weights.

    The average of feasible points may be infeasible, so nothing is averaged. Where no point is feasible for a set of
    queries, the one with the highest second metric is taken.

    Parameters
    ----------
    data : RankingDataset
    metrics : sequence of Metric
    constraint : Constraint
        An absolute constraint whose metric is one of `metrics`.

    Attributes
    ----------
    constrained : int
        Index of the constrained metric in `metrics`.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> data = planted_linear(30, 10, 2, noise=2.0, seed=1).data
    >>> metrics = [parse_metric("AP"), parse_metric("P@1")]
    >>> free, bound = LatticeSearch(data, metrics), ConstrainedSearch(data, metrics, Constraint(metrics[1], 0.75))
    >>> queries = np.arange(30)
    >>> [bool(search.values(search.fit(queries)[None])[0, 1].mean() >= 0.75) for search in (free, bound)]
    [False, True]
    """

    def __init__(self, data: RankingDataset, metrics: Sequence[Metric], constraint: Constraint) -> None:
        super().__init__(data, metrics)
        self.constraint = constraint
        self.constrained = list(metrics).index(constraint.metric)
        self._second = self.tables[:, self.constrained]

    def fit(self, queries: I64, *, seed: int = 0) -> F64:
        """Return the best point that satisfies the constraint."""
        best: F64 = self._best(np.ones((1, queries.size)), queries)[0]
        return best

    def resampled(self, n_samples: int, *, seed: int = 0) -> F64:
        """Return the best points for bootstrap samples."""
        n_queries = self.data.n_queries
        return self._best(counts_in_samples(n_queries, n_samples, seed), np.arange(n_queries))

    def _best(self, counts: F64, queries: I64) -> F64:
        n = counts.sum(axis=1, keepdims=True)
        emphasized = counts if self._emphasis is None else counts * self._emphasis[queries]
        first, second = emphasized @ self.table[:, queries].T / n, counts @ self._second[:, queries].T / n
        met = self.constraint.is_met_by(second)
        judged = np.where(met.any(axis=1, keepdims=True), np.where(met, first, -np.inf), second)
        best: F64 = self.points[np.argmax(judged, axis=1)]
        return best


def trade_off(search: LatticeSearch, other: int, *seen: F64) -> F64:
    """Return the Pareto-optimal points: neither metric can be higher without the other being lower.

    Parameters
    ----------
    search : LatticeSearch
    other : int
        Index of the second metric; the first is the one that is maximized.
    *seen : arrays, shape (n_systems,)
        Further known weights, such as the best found between lattice points.

    Returns
    -------
    array, shape (n_points, 2 + n_systems)
        Means of both metrics over all queries, then the weights; sorted by the first metric, descending.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> data = planted_linear(30, 10, 2, noise=2.0, seed=1).data
    >>> curve = trade_off(LatticeSearch(data, [parse_metric("AP"), parse_metric("P@1")]), 1)
    >>> bool((np.diff(curve[:, 0]) < 0).all()), bool((np.diff(curve[:, 1]) > 0).all())
    (True, True)
    """
    points, tables = search.points, search.tables
    if seen:
        known = np.array(seen)
        points, tables = np.concatenate([points, known]), np.concatenate([tables, search.values(known)])
    means = tables.mean(axis=2)[:, [0, other]]
    order = np.lexsort((-means[:, 1], -means[:, 0]))
    highest = np.maximum.accumulate(means[order, 1])
    kept = order[means[order, 1] > np.concatenate([[-np.inf], highest[:-1]]) + SAME_VALUE]
    return np.hstack([means[kept], points[kept]])
