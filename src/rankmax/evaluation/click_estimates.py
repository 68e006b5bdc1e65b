"""Relevance estimated from clicks: counterfactual gains, and clicks over expected clicks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankmax._arrays import F64, readonly
from rankmax._result_views import Block, Facts, ResultView
from rankmax.data.click_log import ClickLog
from rankmax.data.runs import Qrels
from rankmax.errors import InvalidDataError, InvalidParameterError, counted
from rankmax.evaluation.click_cascade import Cascade

LEAST_EXPECTED = 1.0
"""Expected clicks that a document needs to be judged by clicks over expected clicks, by default."""
_HIGHEST_GRADE = 3
_ROUNDING = 1e-9
CLIP = 0.01
"""Propensities below this count as this, by default."""


@dataclass(frozen=True, eq=False, repr=False)
class ClickGains(ResultView):
    """Gains of documents that make DCG an unbiased estimate from clicks.

    Attributes
    ----------
    qrels : Qrels
        Estimated probability that a document is clicked by someone who looks at it; it may exceed 1.
    propensities : array, shape (n_positions,)
        How likely users look at each position: of a cascade, the mean over what was shown there.
    clip : float
        Least propensity; 0 for a cascade.
    n_sessions, n_clicks, n_clipped : float
        Numbers of sessions, of clicks, and of clicks on documents whose propensity was clipped.
    cascade : Cascade, optional
        The model of the users, if it is not position-based.
    """

    qrels: Qrels
    propensities: F64
    clip: float
    n_sessions: float
    n_clicks: float
    n_clipped: float
    cascade: Cascade | None = None

    def __str__(self) -> str:
        """Return a sentence."""
        if self.cascade is None:
            clipped = counted(round(self.n_clipped), "click has", "clicks have")
            users = f"propensities {_listed(self.propensities)}; {clipped} one below {self.clip:g}, which is clipped"
        else:
            users = (
                f"users go on with probability {self.cascade.otherwise:.2g}, after a click at each position "
                f"{_listed(self.cascade.after_click)}; they look at {_listed(self.propensities)}"
            )
        clicks, sessions = counted(round(self.n_clicks), "click", "clicks"), round(self.n_sessions)
        queries = counted(self.qrels.n_queries, "query", "queries")
        return f"{clicks} in {counted(sessions, 'session', 'sessions')} of {queries}; {users}"

    @property
    def blocks(self) -> list[Block]:
        """The sentence, and the propensities."""
        return [str(self), Facts({f"{k}": f"{one:.4f}" for k, one in enumerate(self.propensities, 1)})]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which can be written as JSON."""
        return {
            "propensities": self.propensities.tolist(),
            "clip": self.clip,
            "sessions": self.n_sessions,
            "clicks": self.n_clicks,
            "clipped_clicks": self.n_clipped,
            **({} if self.cascade is None else {"cascade": self.cascade.to_dict()}),
        }


def click_gains(log: ClickLog, propensities: F64, *, clip: float = CLIP) -> ClickGains:
    r"""Estimate the gain of each document by inverse propensities.

    A click on a document that users look at with probability p counts 1/p. For a document shown :math:`n_k` of N times
    at position k,

    .. math:: g_{qd} = \frac{\text{clicks}_{qd}}{N_q \max(p_{qd}, \text{clip})}, \qquad
              p_{qd} = \frac{1}{N_q} \sum_k n_k \theta_k

    which has the expectation :math:`\gamma_{qd}` of a position-based model, unless it is clipped. So for any ranking
    :math:`\sum_d g_{qd} D(r_d)` is an unbiased estimate of its DCG, and a sum of gains by rank as any DCG. Documents
    that were never shown have gain 0.

    Parameters
    ----------
    log : ClickLog
    propensities : array, shape (n_positions,)
        Probability that a position is looked at, relative to the first.
    clip : float, default 0.01
        Least propensity: more clipping means less variance and more bias.

    Examples
    --------
    >>> log = ClickLog.from_rows([("q1", "d1", 1, True, 3), ("q1", "d1", 1, False, 7), ("q1", "d2", 2, True, 2),
    ...                           ("q1", "d2", 2, False, 8)])
    >>> click_gains(log, np.array([1.0, 0.5])).qrels.to_dict()
    {'q1': {'d1': 0.3, 'd2': 0.4}}

    References
    ----------
    Joachims, Swaminathan & Schnabel 2017, *Unbiased learning-to-rank with biased feedback*; Oosterhuis & de Rijke
    2020, *Policy-aware unbiased learning to rank for top-k rankings* (the mean propensity over positions).
    """
    if not 0 <= clip <= 1:
        raise InvalidParameterError(f"clip is {clip:g}; expected a number from 0 to 1, such as {CLIP}")
    if propensities.size < log.n_positions:
        raise InvalidDataError(
            f"propensities of {propensities.size} positions; documents were shown down to position {log.n_positions}"
        )
    if not np.isfinite(propensities).all() or (propensities <= 0).any():
        raise InvalidDataError("a propensity is not a positive number: such a position tells nothing, so leave it out")
    looks = np.bincount(log.pairs, log.shown * propensities[log.positions - 1], log.n_documents)
    return _gains(log, looks.astype(np.float64), readonly(np.array(propensities, np.float64)), clip)


def cascade_gains(log: ClickLog, cascade: Cascade) -> ClickGains:
    r"""Estimate the gain of each document if users look from the top and may stop.

    A document's clicks are divided by the number of times that it was looked at, expected given the clicks of each
    search:

    .. math:: g_{qd} = \frac{\text{clicks}_{qd}}{\sum_s P(d \text{ was looked at in } s \mid \text{clicks in } s)}

    With the true model the expectation of the numerator is :math:`\gamma_{qd}` times that of the denominator, for any
    number of searches and in whatever order they showed documents. With the fitted one this is the maximum of
    the likelihood, so that it converges to :math:`\gamma_{qd}`. No clipping is needed: whoever clicks looks, so that
    no gain exceeds 1.

    Parameters
    ----------
    log : ClickLog
    cascade : Cascade
        As :func:`~rankmax.evaluation.click_cascade.fit_cascade` fits it to the log.

    Examples
    --------
    >>> from rankmax.evaluation.click_cascade import fit_cascade
    >>> rows = [("s1", "q", "a", 1, True, 3), ("s1", "q", "b", 2, False, 3), ("s2", "q", "b", 1, False, 4),
    ...         ("s2", "q", "a", 2, True, 4), ("s3", "q", "a", 1, False, 3), ("s3", "q", "b", 2, True, 3)]
    >>> log = ClickLog.from_searches(rows)
    >>> cascade_gains(log, fit_cascade(log, (np.zeros(2), 1.0))).qrels.to_dict()
    {'q': {'a': 0.7, 'b': 0.42857142857142855}}
    """
    return replace(_gains(log, cascade.looks, cascade.looks_by_position, 0.0), cascade=cascade)


def _gains(log: ClickLog, looks: F64, propensities: F64, clip: float) -> ClickGains:
    """Return clicks of documents over the number of times that they were looked at."""
    sessions = log.sessions[log.query_of_document]
    clicks = np.bincount(log.pairs, log.clicks, log.n_documents)
    gains = clicks / np.maximum(looks, np.maximum(sessions * clip, 1e-300))
    return ClickGains(
        Qrels(log.query_ids, log.query_offsets, log.document_ids, readonly(gains)),
        propensities,
        clip,
        float(log.sessions.sum()),
        float(clicks.sum()),
        float(clicks[looks < sessions * clip].sum()),
    )


def _listed(numbers: F64) -> str:
    return f"{', '.join(f'{one:.2g}' for one in numbers[:5])}{', ...' if numbers.size > 5 else ''}"


def clicks_over_expected(log: ClickLog) -> Qrels:
    """Return clicks over expected clicks (COEC): the clicks of a document, by those of average documents in its places.

    Parameters
    ----------
    log : ClickLog

    Examples
    --------
    >>> log = ClickLog.from_rows([("q1", "d1", 1, True, 6), ("q1", "d1", 1, False, 4),
    ...                           ("q2", "d2", 1, True, 2), ("q2", "d2", 1, False, 8)])
    >>> clicks_over_expected(log).to_dict()
    {'q1': {'d1': 1.5}, 'q2': {'d2': 0.5}}
    """
    clicks, expected = _clicks_and_expected(log)
    ratios = np.divide(clicks, expected, out=np.zeros_like(clicks), where=expected > 0)
    return Qrels(log.query_ids, log.query_offsets, log.document_ids, readonly(ratios))


def click_grades(log: ClickLog, *, least: float = LEAST_EXPECTED) -> Qrels:
    """Return judgments by clicks over expected clicks: grade 1 from 1 on, 2 from 2 on, 3 from 3 on, and else 0.

    A document clicked as often as average documents in its places gets grade 1. This is a heuristic, without the
    guarantees of :func:`click_gains`; but it gives whole grades, which any metric and any tool can take.

    Parameters
    ----------
    log : ClickLog
    least : float, default 1
        Least number of expected clicks; documents that were shown too little stay unjudged.

    Examples
    --------
    >>> log = ClickLog.from_rows([("q1", "d1", 1, True, 6), ("q1", "d1", 1, False, 4), ("q1", "d3", 2, True, 1),
    ...                           ("q2", "d2", 1, True, 2), ("q2", "d2", 1, False, 8), ("q2", "d3", 2, False, 9)])
    >>> click_grades(log).to_dict()
    {'q1': {'d1': 1}, 'q2': {'d2': 0}}
    """
    clicks, expected = _clicks_and_expected(log)
    judged = expected >= least
    if not judged.any():
        raise InvalidDataError(f"no document has {least:g} expected clicks: these are too few clicks to judge by")
    grades = np.minimum(clicks / np.maximum(expected, 1e-300) + _ROUNDING, _HIGHEST_GRADE).astype(np.int64)
    found: dict[str, dict[str, int]] = {}
    for pair in np.flatnonzero(judged).tolist():
        query = log.query_ids[int(log.query_of_document[pair])]
        found.setdefault(query, {})[log.document_ids[pair]] = int(grades[pair])
    return Qrels.from_dict(found)


def _clicks_and_expected(log: ClickLog) -> tuple[F64, F64]:
    """Return the clicks of each document, and those of average documents in its places."""
    n = log.n_positions
    shown = np.bincount(log.positions - 1, log.shown, n)
    rates = np.bincount(log.positions - 1, log.clicks, n) / np.maximum(shown, 1e-300)
    expected: F64 = np.bincount(log.pairs, log.shown * rates[log.positions - 1], log.n_documents).astype(np.float64)
    clicks: F64 = np.bincount(log.pairs, log.clicks, log.n_documents).astype(np.float64)
    return clicks, expected
