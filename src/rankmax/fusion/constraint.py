"""Weights that maximise one metric and keep another from falling."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from rankmax.arrays import F64, I64, Bool
from rankmax.data.dataset import RankingDataset
from rankmax.data.json_lines import shortened
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.fusion.search import LatticeSearch, bootstrap_counts
from rankmax.metrics.base import Metric
from rankmax.metrics.parse import parse

_SAME = 1e-9
_WRITTEN = re.compile(
    r"(?P<metric>.+?)\s*>=\s*(?:(?P<current>current)\s*(?P<change>[+-]\s*[0-9.][0-9.eE+-]*)?|(?P<least>[0-9.eE+-]+))"
)


@dataclass(frozen=True)
class Constraint:
    """The least that the mean of a metric may be.

    Attributes
    ----------
    metric : Metric
    least : float
        Where the constraint is relative, what is added to the value of the current fusion.
    relative : bool
        Whether it is relative to the current fusion; :meth:`resolved` makes it absolute, which it has to be for use.

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
            least = float((match["change"] or "0").replace(" ", "")) if relative else float(match["least"])
        except ValueError:
            raise InvalidParameterError(
                f"constraint {shortened(text)!r} is none; expected METRIC>=NUMBER, as P@1>=0.62, or relative to the "
                "current fusion, as P@1>=current or AP>=current-0.01"
            ) from None
        return cls(parse(match["metric"]), least, relative)

    def resolved(self, current: float) -> Constraint:
        """Return the constraint as an absolute one.

        Parameters
        ----------
        current : float
            Mean of the metric for the current fusion, over the queries that the constraint is for.

        Examples
        --------
        >>> str(Constraint.parsed("AP>=current-0.01").resolved(0.25)), str(Constraint.parsed("AP>=0.2").resolved(0.25))
        ('AP>=0.24', 'AP>=0.2')
        """
        return replace(self, least=current + self.least, relative=False) if self.relative else self

    def is_met_by(self, means: ArrayLike) -> Bool:
        """Return which means of the metric are high enough.

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
        return np.asarray(means) >= self.least - _SAME

    def __str__(self) -> str:
        """Return the constraint as it is given."""
        if self.relative:
            return f"{self.metric}>=current{f'{self.least:+g}' if self.least else ''}"
        return f"{self.metric}>={self.least:g}"


class ConstrainedSearch(LatticeSearch):
    """The best of the points at which a second metric is high enough, for up to six weights.

    Averages of such points need not be such points, so nothing is averaged. Where no point is good enough for some
    queries, the one with the highest second metric is taken.

    Parameters
    ----------
    data : RankingDataset
    metrics : sequence of Metric
    constraint : Constraint
        Its metric is among the metrics.

    Attributes
    ----------
    constrained : int
        Which of the metrics that is.

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> data = planted_linear(30, 10, 2, noise=2.0, seed=1).data
    >>> metrics = [parse("AP"), parse("P@1")]
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
        """Return the best point that meets the constraint."""
        best: F64 = self._best(np.ones((1, queries.size)), queries)[0]
        return best

    def resampled(self, n_samples: int, *, seed: int = 0) -> F64:
        """Return the best points for bootstrap samples."""
        n_queries = self.data.n_queries
        return self._best(bootstrap_counts(n_queries, n_samples, seed), np.arange(n_queries))

    def _best(self, counts: F64, queries: I64) -> F64:
        n = counts.sum(axis=1, keepdims=True)
        first, second = (counts @ table[:, queries].T / n for table in (self.table, self._second))
        met = self.constraint.is_met_by(second)
        judged = np.where(met.any(axis=1, keepdims=True), np.where(met, first, -np.inf), second)
        best: F64 = self.points[np.argmax(judged, axis=1)]
        return best


def trade_off(search: LatticeSearch, other: int) -> F64:
    """Return the points at which neither of two metrics can be higher without the other being lower.

    Parameters
    ----------
    search : LatticeSearch
    other : int
        Which of its metrics is the second; the first is the one to maximise.

    Returns
    -------
    array, shape (n_points, 2 + n_systems)
        Means of both metrics over all queries, by falling first, then the weights.

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> data = planted_linear(30, 10, 2, noise=2.0, seed=1).data
    >>> curve = trade_off(LatticeSearch(data, [parse("AP"), parse("P@1")]), 1)
    >>> bool((np.diff(curve[:, 0]) < 0).all()), bool((np.diff(curve[:, 1]) > 0).all())
    (True, True)
    """
    means = search.tables.mean(axis=2)[:, [0, other]]
    order = np.lexsort((-means[:, 1], -means[:, 0]))
    highest = np.maximum.accumulate(means[order, 1])
    kept = order[means[order, 1] > np.concatenate([[-np.inf], highest[:-1]]) + _SAME]
    return np.hstack([means[kept], search.points[kept]])
