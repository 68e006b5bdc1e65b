"""Base class of surrogates: smooth losses of scores, averaged over queries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.judgments import UNJUDGED, Judgments
from rankmax.errors import InvalidDataError
from rankmax.metrics.gains import Gain, check_gain, gain_by_level
from rankmax.metrics.metric import check_scores
from rankmax.metrics.metric_parameters import plain


@dataclass(frozen=True, kw_only=True)
class Surrogate(ABC):
    r"""Base of smooth losses that replace a rank metric in training; smaller is better.

    The loss of scores s is a mean over queries,

    .. math:: L(s) = \frac{1}{\sum_{q \in Q} c_q} \sum_{q \in Q} c_q \, \ell(s_q, \psi(r_q)),

    where c are the weights of queries (1 unless given) and Q are the queries whose documents do not all have the same
    gain :math:`\psi`: the others say nothing about the order of their documents and are left out. Unjudged documents
    have gain 0.

    Subclasses are frozen dataclasses that define the loss of each query, :meth:`by_query`.

    Parameters
    ----------
    gain : str or tuple of float
        Gain :math:`\psi` of a grade r: ``"linear"`` for r, ``"exp2"`` for 2^r - 1, or a table by grade.

    Examples
    --------
    A user-defined loss: the sum of the distances by which the scores are below that of the best document.

    >>> @dataclass(frozen=True, kw_only=True)
    ... class LogShareOfTheBest(Surrogate):
    ...     def by_query(self, scores, gains, query_offsets):
    ...         values, gradient = np.full(query_offsets.size - 1, np.nan), np.zeros_like(scores)
    ...         for q in range(values.size):
    ...             span = slice(query_offsets[q], query_offsets[q + 1])
    ...             if np.ptp(gains[span]) > 0:
    ...                 shares = np.exp(scores[span]) / np.exp(scores[span]).sum()
    ...                 best = int(gains[span].argmax())
    ...                 values[q] = -np.log(shares[best])
    ...                 gradient[span] = shares - np.eye(shares.size)[best]
    ...         return values, gradient
    >>> judgments = Judgments.from_grades([0, 1, 2, 2, 2], query_offsets=[0, 3, 5])
    >>> LogShareOfTheBest().value_and_gradient(np.log([1.0, 2.0, 1.0, 1.0, 1.0]), judgments)
    (1.3862943611198906, array([ 0.25,  0.5 , -0.75,  0.  ,  0.  ]))
    """

    convex: ClassVar[bool] = False
    """Whether the loss is convex in the scores; a linear fit may then start at 0, and has one minimum."""

    gain: Gain = "linear"

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, plain(getattr(self, field.name)))
        check_gain(type(self).__name__, self.gain)

    @abstractmethod
    def by_query(self, scores: F64, gains: F64, query_offsets: I64) -> tuple[F64, F64]:
        """Return the loss of each query, NaN where all gains are equal, and its gradient by document.

        Parameters
        ----------
        scores, gains : arrays of float64, shape (n_documents,)
        query_offsets : array of int64, shape (n_queries + 1,)
        """

    def stages(self) -> tuple[Surrogate, ...]:
        """Return the losses to minimize in turn, each from the minimum of the one before; this one is the last.

        There is one stage, unless a subclass approaches its minima from a smoother loss.
        """
        return (self,)

    def variants(self) -> tuple[Surrogate, ...]:
        """Return the losses that validation queries select from when only the name is given; by default this one."""
        return (self,)

    def document_gains(self, judgments: Judgments) -> F64:
        """Return the gain of each document.

        Parameters
        ----------
        judgments : Judgments
        """
        return gain_by_level(self.gain, judgments)[judgments.document_levels]

    def value_and_gradient(
        self, scores: F64, judgments: Judgments, *, query_weights: F64 | None = None
    ) -> tuple[float, F64]:
        """Return the mean loss over queries and its gradient by document.

        Parameters
        ----------
        scores : array of float64, shape (n_documents,)
            Finite numbers.
        judgments : Judgments
        query_weights : array of float64, shape (n_queries,), optional
            Nonnegative weight of each query in the mean; by default equal.
        """
        values, gradient = self.by_query(
            finite_scores(scores, judgments), self.document_gains(judgments), judgments.query_offsets
        )
        weights = np.where(np.isnan(values), 0.0, 1.0 if query_weights is None else query_weights)
        total = float(weights.sum())
        require_something_to_learn(total, judged=bool((judgments.document_levels != UNJUDGED).any()))
        shares = weights / total
        mean = float((shares * np.where(np.isnan(values), 0.0, values)).sum())
        return mean, gradient * np.repeat(shares, judgments.documents_by_query)


def finite_scores(scores: F64, judgments: Judgments) -> F64:
    """Return the scores if a loss can be computed from them, or raise.

    Parameters
    ----------
    scores : array of float64, shape (n_documents,)
    judgments : Judgments

    Examples
    --------
    >>> finite_scores(np.array([np.inf]), Judgments.from_grades([1], [0, 1]))
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: scores[0] is inf; a loss needs finite scores
    """
    checked = check_scores(scores, judgments)
    if not np.isfinite(checked).all():
        worst = int(np.argmin(np.isfinite(checked)))
        raise InvalidDataError(f"scores[{worst}] is {checked[worst]}; a loss needs finite scores")
    return checked


def require_something_to_learn(total_weight: float, *, judged: bool) -> None:
    """Raise if no query has a loss.

    Parameters
    ----------
    total_weight : float
        Total weight of the queries that have a loss.
    judged : bool
        Whether any document is judged.

    Examples
    --------
    >>> require_something_to_learn(0.0, judged=True)
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: no query has documents of different gain; there is nothing to learn from
    """
    if total_weight == 0 and not judged:
        raise InvalidDataError("no document is judged; there is nothing to learn from")
    if total_weight == 0:
        raise InvalidDataError("no query has documents of different gain; there is nothing to learn from")
