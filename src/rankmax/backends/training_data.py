"""Data to learn from behind one interface, whether it is in this process or distributed over a backend."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I64
from rankmax._numerics.exact_sums import rounded
from rankmax.backends.backend import Backend, Call, Held
from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_spread import spread_within_queries
from rankmax.data.query_segments import QuerySegments
from rankmax.errors import IncompatibleError
from rankmax.formats.shards import Shards
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.line_search.objective import Objective
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric
from rankmax.metrics.ties import TiePolicy
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.spaces.parameter_space import ParameterSpace

_T = TypeVar("_T")


class Scorer(Protocol):
    """A model: a score for each document."""

    def scores(self, data: RankingDataset, /) -> F64:
        """Return the score of each document."""


class Part(Protocol):
    """The normalized documents of some whole queries."""

    @property
    def data(self) -> RankingDataset:
        """The documents."""

    def with_levels(self, levels: F64) -> RankingDataset:
        """Return the documents with the grades of all parts, so that a level is the same grade everywhere."""


class TrainingData(ABC):
    """Normalized documents, in one part in this process or in several that a backend keeps.

    What is computed over parts has the same bits however the data is cut: sums over queries are exact.

    Attributes
    ----------
    feature_names : tuple of str
    n_queries, n_documents : int
    levels : array of float64
        NaN, then all grades, ascending.
    """

    feature_names: tuple[str, ...]
    n_queries: int
    n_documents: int
    levels: F64

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.feature_names)

    @property
    @abstractmethod
    def source(self) -> RankingDataset | Shards:
        """What a learner's ``fit_dataset`` takes."""

    @property
    @abstractmethod
    def backend(self) -> Backend | None:
        """The backend that keeps the parts, if they are distributed."""

    @property
    @abstractmethod
    def content_hash(self) -> str:
        """Hash of the data as it was given, before normalization."""

    @property
    @abstractmethod
    def query_ids(self) -> Sequence[str]:
        """Identifier of each query."""

    @property
    @abstractmethod
    def feature_spread(self) -> F64:
        """Each feature's standard deviation within queries."""

    @abstractmethod
    def hold(self, function: Callable[..., Any], *shared: Any, each: Sequence[Any] | None = None) -> Held:
        """Make an object of each :class:`Part`, and keep it where the part is.

        Parameters
        ----------
        function : callable
            Of a part, `shared`, and the part's own of `each`; defined at the top level of a module.
        shared
            The same for all parts.
        each : sequence, optional
            One for each part; see :meth:`by_part`.
        """

    @abstractmethod
    def map(
        self,
        function: Callable[..., _T],
        held: Held | None = None,
        *shared: Any,
        combine: Callable[[_T, _T], _T] | None = None,
    ) -> list[_T]:
        """Call a function with each part, or with what is held of it; return the results.

        Parameters
        ----------
        function : callable
            Of the part or what is held of it, and `shared`.
        held : Held, optional
            From :meth:`hold`.
        shared
            The same for all parts.
        combine : callable, optional
            Makes one of two results, in any order: fewer results than parts may then be returned.
        """

    @abstractmethod
    def by_part(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Cut a number for each query into those of each part.

        Parameters
        ----------
        values : array, shape (n_queries,)
        """

    @abstractmethod
    def select(self, queries: I64) -> RankingDataset:
        """Return the data of some queries as it was given, brought to this process.

        Parameters
        ----------
        queries : array of int64
            Their numbers, ascending.
        """

    @abstractmethod
    def objective(self, metric: Metric, query_weights: F64) -> Objective:
        """Return the metric as a function of linear weights.

        Parameters
        ----------
        metric : Metric
        query_weights : array of float64, shape (n_queries,)
        """

    @abstractmethod
    def prepared(self, space: ParameterSpace) -> TrainingData:
        """Return the data whose features the weights of a space are for.

        Parameters
        ----------
        space : ParameterSpace
        """

    @abstractmethod
    def values(
        self,
        model: Scorer,
        metrics: Sequence[Metric],
        *,
        ties: TiePolicy = TiePolicy.DOCUMENT_ORDER,
        queries: I64 | None = None,
    ) -> F64:
        """Return the value of each metric for each query, ranked by a model, shape (n_metrics, n_queries).

        Parameters
        ----------
        model : Scorer
            With the normalization of the data.
        metrics : sequence of Metric
        ties : TiePolicy
        queries : array of int64, optional
            Only of these queries.
        """

    def score_deviation(self, weights: F64) -> float:
        """Return the standard deviation of linear scores within queries.

        Parameters
        ----------
        weights : array of float64, shape (n_features,)
        """
        squares = np.sum(self.map(_score_squares, None, weights, combine=np.add), axis=0)
        return float(np.sqrt(rounded(squares) / max(self.n_documents, 1)))


class LocalData(TrainingData):
    """A data set in this process: one part.

    Parameters
    ----------
    given : RankingDataset
    normalization : Normalization
        Applied within queries.

    Examples
    --------
    >>> from rankmax.preprocessing import MinMax
    >>> data = LocalData(RankingDataset.from_arrays([[1.0], [3.0]], [0, 1], qid=[7, 7]), MinMax())
    >>> data.data.column(0), data.score_deviation(np.array([1.0]))
    (array([0., 1.]), 0.5)
    """

    def __init__(self, given: RankingDataset, normalization: Normalization) -> None:
        self.given = given
        self.normalization = normalization
        self.data = normalization.apply(given)
        self.feature_names = given.feature_names
        self.n_queries, self.n_documents = given.n_queries, given.n_documents
        self.levels = given.judgments.levels

    def __reduce__(self) -> tuple[Any, ...]:
        return LocalData, (self.given, self.normalization)  # normalizing again takes less time than sending both

    @property
    def source(self) -> RankingDataset:
        """The data set as it was given."""
        return self.given

    @property
    def backend(self) -> None:
        """None: the data is in this process."""
        return None

    @cached_property
    def content_hash(self) -> str:
        """Hash of the data set as it was given."""
        return data_hash(self.given)

    @property
    def query_ids(self) -> Sequence[str]:
        """Identifier of each query."""
        return self.data.query_ids

    @cached_property
    def feature_spread(self) -> F64:
        """Each feature's standard deviation within queries."""
        return spread_within_queries(self.data)

    def with_levels(self, levels: F64) -> RankingDataset:
        """Return the documents, whose grades are all that there are."""
        return self.data

    def hold(self, function: Callable[..., Any], *shared: Any, each: Sequence[Any] | None = None) -> Held:
        """Make an object of the only part."""
        return Call(function, shared).on([self], each)

    def map(
        self,
        function: Callable[..., _T],
        held: Held | None = None,
        *shared: Any,
        combine: Callable[[_T, _T], _T] | None = None,
    ) -> list[_T]:
        """Call a function with the only part, or with what is held of it."""
        return Call(function, shared).on([self] if held is None else held, None)

    def by_part(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the numbers of the only part: all."""
        return [values]

    def select(self, queries: I64) -> RankingDataset:
        """Return the data of some queries as it was given."""
        return self.given.select(queries)

    def objective(self, metric: Metric, query_weights: F64) -> LinearObjective:
        """Return the metric as a function of linear weights."""
        return LinearObjective(self.data, metric, query_weights=query_weights)

    def prepared(self, space: ParameterSpace) -> LocalData:
        """Return the data with the features that a space adds."""
        changed = space.prepare(self.data)
        return self if changed is self.data else _Prepared(changed)

    def values(
        self,
        model: Scorer,
        metrics: Sequence[Metric],
        *,
        ties: TiePolicy = TiePolicy.DOCUMENT_ORDER,
        queries: I64 | None = None,
    ) -> F64:
        """Return the value of each metric for each query; the model normalizes the data as it was given."""
        data = self.given if queries is None else self.given.select(queries)
        return evaluate_metrics(metrics, model.scores(data), data.judgments, ties=ties)


class _Prepared(LocalData):
    """Normalized data with the features that a space adds."""

    def __init__(self, data: RankingDataset) -> None:
        from rankmax.preprocessing.feature_normalization import Unchanged

        super().__init__(data, Unchanged())

    def __reduce__(self) -> tuple[Any, ...]:
        return _Prepared, (self.given,)


def require_local(data: RankingDataset | Shards, reason: str) -> None:
    """Raise where data is not in this process.

    Parameters
    ----------
    data : RankingDataset or Shards
    reason : str
        Why it must be, and what to do.
    """
    if isinstance(data, Shards):
        raise IncompatibleError(reason)


def _score_squares(part: Part, weights: F64) -> I64:
    data = part.data
    return QuerySegments(data.query_offsets).squares(data.scores(weights))
