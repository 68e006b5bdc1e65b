r"""Query-dependent weights: by group, or linear in a number.

Both are linear models in interaction features. With groups, system j has one feature for each group g,
:math:`x_j \cdot [q \in g]`; with a number t, scaled to [0, 1], it has two, :math:`(1 - t) x_j` and :math:`t x_j`, whose
weights are those at the lowest and at the highest t. Nonnegative weights of these are nonnegative for every query.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankmax._arrays import F64, I64, readonly
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.formats.parsing.numbers import finite_number
from rankmax.fusion.candidates import LearnedWeights
from rankmax.fusion.weight_search import weight_search
from rankmax.metrics.metric import Metric
from rankmax.preprocessing.feature_normalization import Normalization

_FEWEST_VALUES = 3  # distinct numbers for a linear dependence; with fewer, groups are equivalent
_FEWEST_QUERIES = 5  # in a group that gets weights of its own
OTHERS = "others"
"""Name of the group for all queries whose own group is too small."""


@dataclass(frozen=True, eq=False)
class QueryColumn:
    """A property of each query: a number or a group.

    Attributes
    ----------
    name : str
    numbers : array, shape (n_queries,), or None
        The number of each query; None for groups.
    groups : tuple of str
        The group of each query; empty for numbers.
    """

    name: str
    numbers: F64 | None
    groups: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, values: Sequence[str]) -> QueryColumn:
        """Return a column of numbers where all values are numbers and more than two differ, else of groups.

        Parameters
        ----------
        name : str
        values : sequence of str

        Examples
        --------
        >>> QueryColumn.of("length", ["2", "7", "3"]).numbers
        array([2., 7., 3.])
        >>> QueryColumn.of("kind", ["what", "who", "what", "how", "what", "what", "what"]).labels
        ('what', 'others')
        """
        try:
            numbers = np.array([finite_number(value) for value in values])
        except ValueError:
            numbers = None
        if numbers is not None and np.unique(numbers).size >= _FEWEST_VALUES:
            return cls(name, readonly(numbers))
        count = Counter(values)
        groups = tuple(value if count[value] >= _FEWEST_QUERIES else OTHERS for value in values)
        if len(set(groups)) < 2:
            raise InvalidDataError(
                f"{name!r} makes one group of all queries: no two values have at least {_FEWEST_QUERIES} queries each"
            )
        return cls(name, None, groups)

    @property
    def labels(self) -> tuple[str, ...]:
        """The groups by size, or the lowest and the highest number."""
        if self.numbers is not None:
            return f"{self.numbers.min():g}", f"{self.numbers.max():g}"
        return tuple(group for group, _ in Counter(self.groups).most_common())

    @cached_property
    def shares(self) -> F64:
        """Share of each label's weights in each query's, shape (n_labels, n_queries); a query's shares sum to 1."""
        if self.numbers is not None:
            low, high = self.numbers.min(), self.numbers.max()
            scaled = (self.numbers - low) / (high - low)
            return np.stack([1 - scaled, scaled])
        return np.array([[float(group == label) for group in self.groups] for label in self.labels])


@dataclass(frozen=True, eq=False)
class VaryingFusion:
    """Weighted sums with query-dependent weights.

    Attributes
    ----------
    normalization : Normalization
    weights_by_label : dict of str to array
        The weights of each group, or at the lowest and at the highest number.
    values : array, shape (n_metrics, n_queries)
        Metric values per query.
    """

    normalization: Normalization
    weights_by_label: dict[str, F64]
    values: F64


@dataclass(frozen=True, eq=False)
class Varying:
    """Learned query-dependent weights.

    Attributes
    ----------
    column : QueryColumn
    metrics : sequence of Metric

    Examples
    --------
    >>> from rankmax.preprocessing import Unchanged
    >>> from rankmax.fusion.decision import Prior
    >>> from rankmax.fusion.weight_search import LatticeSearch
    >>> from rankmax.metrics import AP
    >>> X, y, qid = [], [], []
    >>> for q in range(20):  # the first system is right for odd queries, the second for even ones
    ...     X += [[1 - q % 2, q % 2], [q % 2, 1 - q % 2]]
    ...     y += [0, 1]
    ...     qid += [q, q]
    >>> data = RankingDataset.from_arrays(np.array(X, float), y, qid=qid)
    >>> fixed = LearnedWeights("learned", "learned", Unchanged(), LatticeSearch(data, [AP()]), Prior(0.0, 1.0))
    >>> column = QueryColumn.of("parity", ["even", "odd"] * 10)
    >>> fusion = Varying(column, [AP()]).fit(np.arange(20), fixed)
    >>> print(fixed.fit([np.arange(20)])[0].values.mean(), fusion.values.mean())
    0.75 1.0
    """

    column: QueryColumn
    metrics: Sequence[Metric]

    @property
    def name(self) -> str:
        """Name of the row in the results table."""
        return f"by {self.column.name}"

    def fit(self, queries: I64, fixed: LearnedWeights) -> VaryingFusion:
        """Learn weights for each label.

        Parameters
        ----------
        queries : array of int64
        fixed : LearnedWeights
            Weights that are the same for all queries: supplies the normalization, and the weights where varying ones
            do no better.
        """
        return (self._by_number if self.column.numbers is not None else self._by_group)(queries, fixed)

    def _by_group(self, queries: I64, fixed: LearnedWeights) -> VaryingFusion:
        by_label, values = {}, np.empty((len(self.metrics), fixed.search.data.n_queries))
        for label, share in zip(self.column.labels, self.column.shares, strict=True):
            own = queries[share[queries] > 0]
            (fusion,) = fixed.fit([own if own.size > 1 else queries])
            by_label[label] = fusion.weights
            values[:, share > 0] = fusion.values[:, share > 0]
        return VaryingFusion(fixed.normalization, by_label, values)

    def _by_number(self, queries: I64, fixed: LearnedWeights) -> VaryingFusion:
        search = weight_search(interactions(fixed.search.data, self.column), self.metrics)
        weights = search.fit(queries, seed=fixed.seed)
        same = np.tile(fixed.search.fit(queries, seed=fixed.seed), 2) / 2
        both = search.values(np.stack([weights, same]))
        ranks_nothing = not all(half.any() for half in np.split(weights, 2))  # at one of the two numbers
        chosen = int(ranks_nothing or both[1, 0, queries].mean() > both[0, 0, queries].mean())
        low, high = np.split(weights if not chosen else same, 2)
        by_label = dict(zip(self.column.labels, (low, high), strict=True))
        return VaryingFusion(fixed.normalization, by_label, both[chosen])


def interactions(data: RankingDataset, column: QueryColumn) -> RankingDataset:
    """Return the data with each feature multiplied by each label's share in the query's weights.

    Parameters
    ----------
    data : RankingDataset
        Normalized, dense data.
    column : QueryColumn

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[2.0], [4.0], [6.0]], [1, 0, 1], qid=[1, 2, 3], feature_names=["bm25"])
    >>> both = interactions(data, QueryColumn.of("length", ["1", "3", "5"]))
    >>> both.feature_names
    ('bm25 at length 1', 'bm25 at length 5')
    >>> both.features
    array([[2., 0.],
           [2., 2.],
           [0., 6.]])
    """
    by_document = column.shares[:, data.judgments.query_of_document]
    blocks = [np.asarray(data.features) * share[:, None] for share in by_document]
    names = tuple(f"{name} at {column.name} {label}" for label in column.labels for name in data.feature_names)
    return replace(data, features=readonly(np.asfortranarray(np.hstack(blocks))), feature_names=names)
