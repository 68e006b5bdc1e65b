r"""What a metric is: a small value object that turns judgments into tables.

With *r* the rank of a document (1 is best) and *c* the number of relevant documents above it, nearly every rank
metric has the form

.. math:: value(q) = offset_q + norm_q \sum_i gain[level_i] \, discount[r_i] \, prefix[c_i]
          \quad \text{over documents with } r_i \le cutoff_q,

so a metric *is* its tables, and one kernel evaluates them all (:class:`TabularMetric`). The cascade metric ERR has
its own form (:class:`CascadeMetric`). Whatever fits neither sees the ranked levels (:class:`RankedListMetric`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import ClassVar, Self

import numpy as np

from rankmax.arrays import F64, I64, Bool
from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.metrics.ties import TiePolicy


class NoRelevant(StrEnum):
    """What a query with no relevant document counts as."""

    ZERO = "zero"
    """0, as in trec_eval and LETOR's scripts."""
    ONE = "one"
    """1: nothing could have been missed."""
    SKIP = "skip"
    """Not at all: its value is NaN, and means leave it out."""

    @property
    def value_of_query(self) -> float:
        """The number that stands for such a query."""
        return {NoRelevant.ZERO: 0.0, NoRelevant.ONE: 1.0, NoRelevant.SKIP: np.nan}[self]


@dataclass(frozen=True, slots=True)
class MetricTables:
    """All that a kernel sees of a tabular metric.

    Attributes
    ----------
    gain : array, shape (n_levels,)
        By level. A document is *relevant* to this metric when its gain is positive.
    discount : array
        By rank, rank 1 first. Covers every rank up to the largest `cutoff`.
    prefix : array
        By number of relevant documents above; its last entry holds for all larger numbers.
    norm, offset : arrays, shape (n_queries,)
    cutoff : array of int64, shape (n_queries,)
        Documents below this rank contribute nothing.
    """

    gain: F64
    discount: F64
    prefix: F64
    norm: F64
    offset: F64
    cutoff: I64


@dataclass(frozen=True, slots=True)
class CascadeTables:
    r"""All that a kernel sees of a cascade metric.

    .. math:: value(q) = offset_q + norm_q \sum_r discount[r] \, stop[level_r] \prod_{s<r} (1 - stop[level_s])

    Attributes
    ----------
    stop : array, shape (n_levels,)
        By level: the probability that the user is satisfied and reads no further.
    discount : array
        By rank, rank 1 first.
    norm, offset : arrays, shape (n_queries,)
    cutoff : array of int64, shape (n_queries,)
    """

    stop: F64
    discount: F64
    norm: F64
    offset: F64
    cutoff: I64


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):
    """Base of all metrics: a frozen set of parameters with a canonical name.

    Subclasses are frozen dataclasses; their fields are the parameters that the name shows and the parser reads.

    Parameters
    ----------
    cutoff : int, optional
        Look at this many ranks only; None: all.
    no_relevant : NoRelevant
        What a query with no relevant document counts as.
    """

    symbol: ClassVar[str]
    """Name in ir-measures' spelling, without parameters and cutoff."""

    cutoff: int | None = None
    no_relevant: NoRelevant = NoRelevant.ZERO

    def __post_init__(self) -> None:
        if self.cutoff is not None and (isinstance(self.cutoff, bool) or not _is_positive_integer(self.cutoff)):
            raise InvalidParameterError(
                f"{self.symbol}@{self.cutoff}: a cutoff is a whole number from 1 (leave it out for no cutoff)"
            )
        object.__setattr__(self, "no_relevant", NoRelevant(self.no_relevant))

    def __matmul__(self, cutoff: int) -> Self:
        return replace(self, cutoff=cutoff)

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """Canonical name: parameters that differ from their defaults, then the cutoff; ``parse(name) == self``."""
        shown = [
            f"{field.name}={_format_value(getattr(self, field.name))}"
            for field in fields(self)
            if field.name != "cutoff" and getattr(self, field.name) != field.default
        ]
        parameters = f"({','.join(shown)})" if shown else ""
        return f"{self.symbol}{parameters}{'' if self.cutoff is None else f'@{self.cutoff}'}"

    @abstractmethod
    def relevant_levels(self, judgments: Judgments) -> Bool:
        """Return which levels count as relevant, shape (n_levels,)."""

    def has_relevant(self, judgments: Judgments) -> Bool:
        """Return, by query, whether any judged document is relevant, candidate or not."""
        return judgments.count(self.relevant_levels(judgments)) > 0

    def cutoffs(self, judgments: Judgments) -> I64:
        """Return, by query, how many ranks this metric looks at."""
        documents = judgments.documents_by_query
        return documents if self.cutoff is None else np.minimum(documents, self.cutoff)

    def per_query(
        self, scores: F64, judgments: Judgments, *, ties: TiePolicy = TiePolicy.DOCUMENT_ORDER
    ) -> F64:
        """Return the value of each query when its documents are ranked by `scores`, best first."""
        from rankmax.metrics.evaluate import evaluate_metrics

        values: F64 = evaluate_metrics([self], scores, judgments, ties=ties)[0]
        return values


class TabularMetric(Metric):
    """A metric that is tables: evaluated by the shared kernel, and swept exactly along a line."""

    @abstractmethod
    def build_tables(self, judgments: Judgments) -> MetricTables:
        """Return the tables; rows of queries with no relevant document are replaced by :meth:`tables`."""

    def tables(self, judgments: Judgments) -> MetricTables:
        """Return the tables, with `no_relevant` applied."""
        tables = self.build_tables(judgments)
        norm, offset = _apply_no_relevant(self, judgments, tables.norm, tables.offset)
        return replace(tables, norm=norm, offset=offset)


class CascadeMetric(Metric):
    """A metric of the cascade form, as ERR."""

    @abstractmethod
    def build_cascade(self, judgments: Judgments) -> CascadeTables:
        """Return the tables; rows of queries with no relevant document are replaced by :meth:`cascade`."""

    def cascade(self, judgments: Judgments) -> CascadeTables:
        """Return the tables, with `no_relevant` applied."""
        tables = self.build_cascade(judgments)
        norm, offset = _apply_no_relevant(self, judgments, tables.norm, tables.offset)
        return replace(tables, norm=norm, offset=offset)


class RankedListMetric(Metric):
    """A metric that needs the ranked list itself."""

    @abstractmethod
    def value_of_ranking(self, ranked_levels: I64, judgments: Judgments) -> F64:
        """Return the value of each query.

        Parameters
        ----------
        ranked_levels : array of int64, shape (n_documents,)
            The levels of each query's documents from best to worst score, at the query's offsets.
        judgments : Judgments
        """

    def ranked_values(self, ranked_levels: I64, judgments: Judgments) -> F64:
        """Return the value of each query, with `no_relevant` applied."""
        values = self.value_of_ranking(ranked_levels, judgments)
        return np.where(self.has_relevant(judgments), values, self.no_relevant.value_of_query)


def check_scores(scores: F64, judgments: Judgments) -> F64:
    """Return the scores as contiguous float64, or say what is wrong with them."""
    checked = np.ascontiguousarray(scores, np.float64)
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
    return np.divide(1.0, values, out=np.zeros_like(values), where=values != 0)


def _apply_no_relevant(metric: Metric, judgments: Judgments, norm: F64, offset: F64) -> tuple[F64, F64]:
    relevant = metric.has_relevant(judgments)
    return np.where(relevant, norm, 0.0), np.where(relevant, offset, metric.no_relevant.value_of_query)


def _is_positive_integer(value: object) -> bool:
    return isinstance(value, int | np.integer) and int(value) > 0


def _format_value(value: object) -> str:
    if isinstance(value, StrEnum):
        return repr(value.value)
    if isinstance(value, tuple):
        return f"[{','.join(map(_format_value, value))}]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return repr(value)
