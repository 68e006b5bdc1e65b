"""User-defined metrics: a function of the ranked grades, or tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from rankmax._arrays import F64, I64, Bool
from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.metrics.discounts import Discount, check_discount, discount_by_rank
from rankmax.metrics.gains import Gain, check_gain, gain_by_level
from rankmax.metrics.metric import MetricTables, NoRelevant, RankedListMetric, TabularMetric, ranks
from rankmax.metrics.metric_parameters import check_number, check_table


@dataclass(frozen=True, kw_only=True)
class FunctionMetric(RankedListMetric):
    """A metric computed by a function of one query's ranked grades; made by :func:`from_function`.

    It works wherever a metric does, but optimizers are slow with it, because every ranking is scored from scratch. Its
    name is for display only: the parser does not know it.

    Parameters
    ----------
    function : callable
        Takes the grades of a query's documents, best first, as a float64 array (0 for unjudged documents) and returns
        a number. A numba function runs in a compiled loop.
    label : str
        Name for display.
    rel : float, optional
        Lowest grade that counts as relevant; `no_relevant` then applies to queries without a relevant document. None:
        the function decides about every query that has a document.
    cutoff : int, optional
        Number of grades passed to the function; None: all.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([0, 2, 1], [0, 3])
    >>> best = FunctionMetric(function=lambda grades: grades.max(), label="best")
    >>> (best @ 1).per_query(np.array([3.0, 2.0, 1.0]), judgments), (best @ 1).name
    (array([0.]), 'best@1')
    """

    symbol: ClassVar[str] = "Function"
    value_range: ClassVar[tuple[float, float]] = (-np.inf, np.inf)

    function: Callable[[F64], float] = field(repr=False)
    label: str = field(repr=False)
    rel: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function):
            raise InvalidParameterError(f"a metric's function must be callable, not {self.function!r}")
        if self.rel is not None:
            check_number(self.symbol, "rel", self.rel, "a number, the lowest grade that is relevant")

    @property
    def stem(self) -> str:
        """First part of the name, without the cutoff."""
        return self.label

    def relevant_levels(self, judgments: Judgments) -> Bool:
        """Return which grades reach `rel`; without it, all."""
        if self.rel is None:
            return np.ones(judgments.n_levels, np.bool_)
        return judgments.levels >= self.rel

    def has_relevant(self, judgments: Judgments) -> Bool:
        """Return, for each query, whether the function is called for it."""
        if self.rel is None:
            return judgments.documents_by_query > 0
        return super().has_relevant(judgments)

    def value_of_ranking(self, ranked_levels: I64, judgments: Judgments) -> F64:
        """Return the function's value for each query; a query without documents has value 0."""
        grades = np.nan_to_num(judgments.levels)[ranked_levels]
        filled = np.flatnonzero(judgments.documents_by_query)
        starts = judgments.query_offsets[filled]
        stops = starts + self.cutoffs(judgments)[filled]
        values = np.zeros(judgments.n_queries)
        values[filled] = self._apply(grades, starts, stops)
        return values

    def _apply(self, grades: F64, starts: I64, stops: I64) -> F64:
        if _is_compiled(self.function):
            from rankmax._kernels.metrics.user_function import apply_compiled

            return apply_compiled(self.function, grades, starts, stops)
        # Each query gets a copy: the function may sort or overwrite its argument.
        results = (self.function(grades[a:b].copy()) for a, b in zip(starts, stops, strict=True))
        return np.fromiter(map(self._number, results), np.float64, starts.size)

    def _number(self, result: object) -> float:
        try:
            return float(result)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise InvalidDataError(
                f"the metric {self.name!r} must return one number per query; it returned {result!r}"
            ) from None


@dataclass(frozen=True, kw_only=True)
class TableMetric(TabularMetric):
    r"""A metric given by its tables: sum of gain[grade] discount[rank] prefix[number of relevant documents above].

    .. math:: \sum_i gain[grade_i] \, discount[r_i] \, prefix[c_i]

    A document is relevant when its gain is positive.

    Parameters
    ----------
    gain : {"linear", "exp2"} or sequence of float
        Gains of the grades 0, 1, 2, ...
    discount : {"log2", "jk"} or sequence of float
        Discounts of the ranks 1, 2, ...; documents ranked below the table's end count nothing.
    prefix : sequence of float
        Factors for 0, 1, 2, ... relevant documents above; the last entry holds for all larger numbers.
    cutoff : int, optional
        Number of ranks that count; by default all.
    no_relevant : NoRelevant
        Value of a query without relevant documents; by default 0.

    Examples
    --------
    >>> judgments = Judgments.from_grades([0, 2, 1], [0, 3])
    >>> first = TableMetric(gain=[0, 1, 2], discount=[1, 0.5, 0.25], prefix=[1, 0])
    >>> first.per_query(np.array([3.0, 2.0, 1.0]), judgments), first.name
    (array([1.]), 'Tables(gain=[0,1,2],discount=[1,0.5,0.25],prefix=[1,0])')
    """

    symbol: ClassVar[str] = "Tables"
    value_range: ClassVar[tuple[float, float]] = (0.0, np.inf)

    gain: Gain = "linear"
    discount: Discount = "log2"
    prefix: tuple[float, ...] = (1,)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_gain(self.symbol, self.gain)
        check_discount(self.symbol, self.discount)
        if not isinstance(self.prefix, tuple):
            raise InvalidParameterError(f"{self.symbol}: prefix={self.prefix!r} must be a table, such as [1, 0]")
        check_table(self.symbol, "prefix", self.prefix)

    def relevant_levels(self, judgments: Judgments) -> Bool:
        """Return which levels have a positive gain."""
        return gain_by_level(self.gain, judgments) > 0

    def build_tables(self, judgments: Judgments) -> MetricTables:
        """Return the tables."""
        return MetricTables(
            gain=gain_by_level(self.gain, judgments),
            discount=discount_by_rank(self.discount, ranks(judgments, self.cutoff)),
            prefix=np.array(self.prefix, np.float64),
            norm=np.ones(judgments.n_queries),
            offset=np.zeros(judgments.n_queries),
            cutoff=self.cutoffs(judgments),
        )


def from_function(
    function: Callable[[F64], float],
    *,
    name: str | None = None,
    rel: float | None = None,
    cutoff: int | None = None,
    no_relevant: NoRelevant = NoRelevant.ZERO,
) -> FunctionMetric:
    """Return a metric from any function of one query's ranked grades, compiled by numba or not.

    Parameters
    ----------
    function : callable
        Takes the grades of a query's documents, best first, as a float64 array (0 for unjudged documents) and returns
        a number.
    name : str, optional
        Name of the metric; by default the function's own name.
    rel, cutoff, no_relevant
        As in :class:`FunctionMetric`.

    Examples
    --------
    >>> judgments = Judgments.from_grades([0, 2, 1], [0, 3])
    >>> def top(grades):
    ...     return grades[0]
    >>> metric = from_function(top)
    >>> metric.name, metric.per_query(np.array([1.0, 2.0, 3.0]), judgments)
    ('top', array([1.]))
    """
    label = getattr(function, "__name__", "<unnamed>") if name is None else name
    if not label or label.startswith("<"):
        raise InvalidParameterError("this function has no name of its own; give one: from_function(..., name='mine')")
    return FunctionMetric(function=function, label=label, rel=rel, cutoff=cutoff, no_relevant=no_relevant)


def from_tables(
    *,
    gain: str | Sequence[float] = "linear",
    discount: str | Sequence[float] = "log2",
    prefix: Sequence[float] = (1,),
    cutoff: int | None = None,
    no_relevant: NoRelevant = NoRelevant.ZERO,
) -> TableMetric:
    """Return a metric from its tables, ready for the exact line search.

    Parameters
    ----------
    gain, discount, prefix, cutoff, no_relevant
        As in :class:`TableMetric`.

    Examples
    --------
    >>> judgments = Judgments.from_grades([0, 2, 1], [0, 3])
    >>> from_tables(gain=[0, 1, 1], discount=[1, 1]).per_query(np.array([3.0, 2.0, 1.0]), judgments)
    array([1.])
    """
    tables: dict[str, Any] = {"gain": gain, "discount": discount, "prefix": prefix}
    return TableMetric(**tables, cutoff=cutoff, no_relevant=no_relevant)


def _is_compiled(function: object) -> bool:
    """Return whether numba compiled this function, without importing numba to find out."""
    return any(base.__module__.startswith("numba.") for base in type(function).__mro__)
