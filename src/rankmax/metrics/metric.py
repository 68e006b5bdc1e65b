r"""Base classes of metrics: small value objects that turn judgments into tables.

With *r* the rank of a document (1 is best) and *c* the number of relevant documents above it, nearly every rank
metric has the form

.. math:: value(q) = offset_q + norm_q \sum_i gain[level_i] \, discount[r_i] \, prefix[c_i]
          \quad \text{over documents with } r_i \le cutoff_q,

so a metric *is* its tables, and one kernel evaluates them all (:class:`TabularMetric`). The cascade metric ERR has
its own form (:class:`CascadeMetric`). Metrics of neither form see the ranked levels (:class:`RankedListMetric`).
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, ClassVar, Literal, Self, TypeAlias, TypeVar

import numpy as np

from rankmax._arrays import F64, I64, Bool, for_kernels
from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.metrics.metric_parameters import format_value, plain
from rankmax.metrics.ties import TiePolicy

CutoffRule: TypeAlias = Literal["optional", "required", "never"]
"""Whether a metric may, must or cannot have a cutoff."""

_MOST_RANKS = np.iinfo(np.int64).max  # the most that an array of ranks can hold


class NoRelevant(StrEnum):
    """Value of a query without relevant documents."""

    ZERO = "zero"
    """0, as in trec_eval and LETOR's scripts."""
    ONE = "one"
    """1: nothing could have been missed."""
    SKIP = "skip"
    """Left out: its value is NaN, and means skip it."""

    @property
    def value_of_query(self) -> float:
        """Value assigned to such a query."""
        return {NoRelevant.ZERO: 0.0, NoRelevant.ONE: 1.0, NoRelevant.SKIP: np.nan}[self]


@dataclass(frozen=True, slots=True)
class MetricTables:
    """Tables that define a tabular metric for the kernel.

    Attributes
    ----------
    gain : array, shape (n_levels,)
        Gains by level. A document is *relevant* to this metric when its gain is positive.
    discount : array
        Discounts by rank, rank 1 first, covering every rank up to the largest `cutoff`.
    prefix : array
        Factors by number of relevant documents above; the last entry holds for all larger numbers.
    norm, offset : arrays, shape (n_queries,)
        Factor and summand of each query's sum.
    cutoff : array of int64, shape (n_queries,)
        Number of ranks that count; documents ranked lower contribute nothing.
    """

    gain: F64
    discount: F64
    prefix: F64
    norm: F64
    offset: F64
    cutoff: I64


@dataclass(frozen=True, slots=True)
class CascadeTables:
    r"""Tables that define a cascade metric for the kernel.

    .. math:: value(q) = offset_q + norm_q \sum_r discount[r] \, stop[level_r] \prod_{s<r} (1 - stop[level_s])

    Attributes
    ----------
    stop : array, shape (n_levels,)
        Probability, by level, that the user is satisfied and reads no further.
    discount : array
        Discounts by rank, rank 1 first.
    norm, offset : arrays, shape (n_queries,)
        Factor and summand of each query's sum.
    cutoff : array of int64, shape (n_queries,)
        Number of ranks that count.
    """

    stop: F64
    discount: F64
    norm: F64
    offset: F64
    cutoff: I64


class _MetricType(ABCMeta):
    """Lets ``nDCG @ 10`` stand for ``nDCG() @ 10``."""

    def __matmul__(cls: type[_M], cutoff: int) -> _M:  # type: ignore[misc]
        return cls(cutoff=cutoff)


_M = TypeVar("_M", bound="Metric")


@dataclass(frozen=True, kw_only=True)
class Metric(metaclass=_MetricType):
    """Base of all metrics: a frozen set of parameters with a canonical name.

    Subclasses are frozen dataclasses. Their fields are the parameters that the name shows and the parser reads,
    except fields with ``repr=False``.

    Parameters
    ----------
    cutoff : int, optional
        Number of ranks that count; None: all.
    no_relevant : NoRelevant
        Value of a query without relevant documents.
    """

    symbol: ClassVar[str]
    """Name in ir-measures' spelling, without parameters and cutoff."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names that the parser accepts."""
    cutoff_rule: ClassVar[CutoffRule] = "optional"
    value_range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    """Smallest and largest possible value."""

    cutoff: int | None = None
    no_relevant: NoRelevant = NoRelevant.ZERO

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, plain(getattr(self, field.name)))
        if self.cutoff is not None:
            self._check_cutoff(self.cutoff)
        try:
            object.__setattr__(self, "no_relevant", NoRelevant(self.no_relevant))
        except ValueError:
            raise UnknownNameError("value of no_relevant:", str(self.no_relevant), NoRelevant) from None

    def __matmul__(self, cutoff: int) -> Self:
        return replace(self, cutoff=cutoff)

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """Canonical name: parameters that differ from their defaults, then the cutoff; ``parse(name) == self``."""
        shown = [
            f"{field.name}={format_value(getattr(self, field.name))}"
            for field in sorted(fields(self), key=lambda field: field.name == "no_relevant")
            if field.repr and field.name != "cutoff" and getattr(self, field.name) != field.default
        ]
        parameters = f"({','.join(shown)})" if shown else ""
        return f"{self.stem}{parameters}{'' if self.cutoff is None else f'@{self.cutoff}'}"

    @property
    def stem(self) -> str:
        """First part of the name, without parameters and cutoff."""
        return self.symbol

    @classmethod
    def translate_parameters(cls, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return parameters in this class's terms; classes that accept other customary spellings override it."""
        return parameters

    def require_cutoff(self) -> None:
        """Raise if the metric needs a cutoff and has none."""
        if self.cutoff_rule == "required" and self.cutoff is None:
            raise InvalidParameterError(f"{self.name} needs a cutoff, for instance {self @ 10}")

    def _check_cutoff(self, cutoff: object) -> None:
        if isinstance(cutoff, bool) or not isinstance(cutoff, int) or not 1 <= cutoff <= _MOST_RANKS:
            raise InvalidParameterError(
                f"{self.symbol}@{cutoff}: a cutoff must be a positive whole number"
                + (" (leave it out for no cutoff)" if self.cutoff_rule == "optional" else "")
            )
        if self.cutoff_rule == "never":
            raise InvalidParameterError(
                f"{self.symbol}@{cutoff}: {self.symbol} takes no cutoff, it sees the whole ranking"
            )

    @abstractmethod
    def relevant_levels(self, judgments: Judgments) -> Bool:
        """Return which levels count as relevant, shape (n_levels,)."""

    def has_relevant(self, judgments: Judgments) -> Bool:
        """Return, for each query, whether any judged document is relevant, whether it is a candidate or not."""
        return judgments.count(self.relevant_levels(judgments)) > 0

    def cutoffs(self, judgments: Judgments) -> I64:
        """Return, for each query, how many ranks this metric considers."""
        documents = judgments.documents_by_query
        return documents if self.cutoff is None else np.minimum(documents, self.cutoff)

    def per_query(self, scores: F64, judgments: Judgments, *, ties: TiePolicy = TiePolicy.DOCUMENT_ORDER) -> F64:
        """Return the value for each query when its documents are ranked by `scores`, best first."""
        from rankmax.metrics.evaluator import evaluate_metrics

        values: F64 = evaluate_metrics([self], scores, judgments, ties=ties)[0]
        return values


class TabularMetric(Metric):
    """A metric defined by tables: evaluated by the shared kernel and by the exact line search."""

    @abstractmethod
    def build_tables(self, judgments: Judgments) -> MetricTables:
        """Return the tables; :meth:`tables` replaces the rows of queries without relevant documents."""

    def tables(self, judgments: Judgments) -> MetricTables:
        """Return the tables, with `no_relevant` applied."""
        self.require_cutoff()
        tables = self.build_tables(judgments)
        norm, offset = _apply_no_relevant(self, judgments, tables.norm, tables.offset)
        return replace(tables, norm=norm, offset=offset)


class CascadeMetric(Metric):
    """A metric of the cascade form, such as ERR."""

    @abstractmethod
    def build_cascade(self, judgments: Judgments) -> CascadeTables:
        """Return the tables; :meth:`cascade` replaces the rows of queries without relevant documents."""

    def cascade(self, judgments: Judgments) -> CascadeTables:
        """Return the tables, with `no_relevant` applied."""
        self.require_cutoff()
        tables = self.build_cascade(judgments)
        norm, offset = _apply_no_relevant(self, judgments, tables.norm, tables.offset)
        return replace(tables, norm=norm, offset=offset)


class RankedListMetric(Metric):
    """A metric that needs the ranked list itself rather than tables."""

    @abstractmethod
    def value_of_ranking(self, ranked_levels: I64, judgments: Judgments) -> F64:
        """Return the value for each query.

        Parameters
        ----------
        ranked_levels : array of int64, shape (n_documents,)
            The levels of each query's documents from best to worst score, at the query's offsets.
        judgments : Judgments
        """

    def ranked_values(self, ranked_levels: I64, judgments: Judgments) -> F64:
        """Return the value for each query, with `no_relevant` applied."""
        self.require_cutoff()
        values = self.value_of_ranking(ranked_levels, judgments)
        return np.where(self.has_relevant(judgments), values, self.no_relevant.value_of_query)


def check_scores(scores: F64, judgments: Judgments) -> F64:
    """Return the scores as contiguous float64, or raise an error saying what is wrong with them."""
    checked = for_kernels(scores)
    if checked.shape != (judgments.n_documents,):
        raise InvalidDataError(f"scores have shape {checked.shape}; expected ({judgments.n_documents},)")
    if np.isnan(checked).any():
        raise InvalidDataError(f"scores[{int(np.flatnonzero(np.isnan(checked))[0])}] is NaN and has no rank")
    return checked


def ranks(judgments: Judgments, cutoff: int | None) -> F64:
    """Return 1, 2, ... up to the longest list or the cutoff, as the argument of a discount."""
    longest = int(judgments.documents_by_query.max(initial=0))
    return np.arange(1, (longest if cutoff is None else min(longest, cutoff)) + 1, dtype=np.float64)


def reciprocal(counts: I64 | F64) -> F64:
    """Return 1/x, and 0 where x is 0."""
    values = np.asarray(counts, np.float64)
    inverse: F64 = np.divide(1.0, values, out=np.zeros_like(values), where=values != 0)
    return inverse


def _apply_no_relevant(metric: Metric, judgments: Judgments, norm: F64, offset: F64) -> tuple[F64, F64]:
    relevant = metric.has_relevant(judgments)
    return np.where(relevant, norm, 0.0), np.where(relevant, offset, metric.no_relevant.value_of_query)
