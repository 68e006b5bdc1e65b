"""Propensities: how likely users look at each position of a page of results."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64
from rankmax.data.click_log import ClickLog
from rankmax.errors import InvalidDataError, InvalidParameterError

_ITERATIONS = 5000
_CONVERGED = 1e-6  # largest change of a propensity, or a relevance, in a step
_LEAST_CLICKS = 0.5  # of a position: without any, its propensity is small, not 0


def power_propensities(eta: float, n_positions: int) -> F64:
    """Return 1 / rank^eta.

    Parameters
    ----------
    eta : float
        0 for users who look at all positions; 1 is usual.
    n_positions : int

    Examples
    --------
    >>> power_propensities(1, 4)
    array([1.        , 0.5       , 0.33333333, 0.25      ])
    """
    if not 0 <= eta <= 10:
        raise InvalidParameterError(f"eta is {eta:g}; expected a number from 0 to 10, such as 1")
    return np.arange(1.0, n_positions + 1.0) ** -float(eta)


def randomized_propensities(log: ClickLog) -> F64:
    """Return the click-through rate of each position relative to the first, for results that were shuffled.

    If documents are at random positions, all positions have equally relevant documents; only the propensity differs.

    Parameters
    ----------
    log : ClickLog
        Clicks on shuffled results; of other results, the estimate is wrong.

    Examples
    --------
    >>> rows = [("q1", d, k, c, n) for d in "ab" for k in (1, 2) for c, n in [(True, 12 // k), (False, 100 - 12 // k)]]
    >>> randomized_propensities(ClickLog.from_rows(rows))
    array([1. , 0.5])
    """
    require_not_clicked(log)
    n = log.n_positions
    shown = np.bincount(log.positions - 1, log.shown, n)
    clicks = np.bincount(log.positions - 1, log.clicks, n)
    if not clicks.all():
        raise InvalidDataError(f"no clicks at position {1 + int(np.argmin(clicks > 0))}: its propensity is unknown")
    rates: F64 = clicks / shown
    relative: F64 = rates / rates[0]
    return relative


def estimated_propensities(log: ClickLog) -> F64:
    r"""Return the propensities of a position-based model, relative to the first position, estimated from the clicks.

    The model has a propensity for each position and a relevance for each document of a query; a document that is shown
    n times at position k is expected to get :math:`n \theta_k \gamma_{qd}` clicks. The propensities maximize the
    Poisson likelihood of the numbers of clicks: with them, the gains by inverse propensities predict the clicks at each
    position. However few clicks each document has, they converge to the true ones with many documents, unlike those
    of the binomial likelihood, which overrates low positions when there are many relevances to fit. Propensities are
    known up to a factor, and only if documents were shown at several positions: otherwise those lower down may be less
    relevant, or less looked at.

    Parameters
    ----------
    log : ClickLog

    Examples
    --------
    >>> rows = [("q1", d, k, c, n) for d in "ab" for k in (1, 2) for c, n in [(True, 12 // k), (False, 100 - 12 // k)]]
    >>> estimated_propensities(ClickLog.from_rows(rows)).round(6)
    array([1. , 0.5])

    References
    ----------
    Wang et al. 2018, *Position bias estimation for unbiased learning to rank in personal search* (the model); Hausman,
    Hall & Griliches 1984, *Econometric models for count data*, section 2 (Poisson models with many effects).
    """
    require_not_clicked(log)
    _check_linked(log)
    k, pair, n = log.positions - 1, log.pairs, log.shown
    size, n_pairs = log.n_positions, log.n_documents
    clicks = np.maximum(np.bincount(k, log.clicks, size), _LEAST_CLICKS)
    of_pair = np.bincount(pair, log.clicks, n_pairs)
    theta = power_propensities(0.5, size)
    seen = np.bincount(k, n, size) > 0
    for _ in range(_ITERATIONS):
        gains = of_pair / np.bincount(pair, n * theta[k], n_pairs)
        last, theta = theta, clicks / np.where(seen, np.bincount(k, n * gains[pair], size), 1.0)
        theta = theta / theta[0]
        if np.abs(theta - last)[seen].max() < _CONVERGED:
            break
    filled: F64 = theta[np.maximum.accumulate(np.where(seen, np.arange(size), 0))]  # nothing was shown at others
    return filled


def position_log_likelihoods(log: ClickLog, propensities: F64) -> F64:
    """Return the log likelihood of the clicks of each search by a position-based model, with the best relevances.

    Parameters
    ----------
    log : ClickLog
        With the clicks of each search.
    propensities : array, shape (n_positions,)

    Examples
    --------
    >>> rows = [("s1", "q", "a", 1, True, 1), ("s2", "q", "a", 1, False, 1)]
    >>> position_log_likelihoods(ClickLog.from_searches(rows), np.ones(1)).round(3)
    array([-0.693, -0.693])
    """
    searches = log.searches
    assert searches is not None
    theta = propensities[: log.n_positions] / propensities.max()
    gamma = _relevances(log, theta)
    click = theta[searches.positions - 1] * gamma[searches.pairs]
    logs = np.log(np.maximum(np.where(searches.clicked, click, 1 - click), 1e-300))
    return np.add.reduceat(logs, searches.offsets[:-1])


def _relevances(log: ClickLog, theta: F64) -> F64:
    """Return the relevances of a position-based model with given propensities, by expectation maximization."""
    k, pair, n, c = log.positions - 1, log.pairs, log.shown, log.clicks
    shown = np.bincount(pair, n, log.n_documents)
    gamma = np.full(log.n_documents, 0.5)
    for _ in range(_ITERATIONS):
        looked, relevant = theta[k], gamma[pair]
        no_click = np.maximum(1 - looked * relevant, 1e-300)
        last, gamma = gamma, np.bincount(pair, c + (n - c) * relevant * (1 - looked) / no_click, shown.size) / shown
        if np.abs(gamma - last).max() < _CONVERGED:
            break
    return gamma


def require_not_clicked(log: ClickLog) -> None:
    """Raise if every document that was shown was clicked: a log of clicks alone does not tell what was looked at."""
    if (log.clicks >= log.shown).all():
        raise InvalidDataError(
            "the log has clicks only, so that propensities cannot be estimated: add documents that were shown and not "
            "clicked (clicked 0), or give propensities (--propensities FILE, or 1/rank^1)"
        )


def _check_linked(log: ClickLog) -> None:
    """Raise unless documents that were clicked and shown at several positions link every position to the first."""
    clicked = np.bincount(log.pairs, log.clicks, log.n_documents) > 0
    group = np.arange(log.n_positions)
    used = clicked[log.pairs]
    order = np.argsort(log.pairs[used], kind="stable")
    pairs, positions = log.pairs[used][order], log.positions[used][order] - 1
    for a, b in zip(positions[:-1][pairs[1:] == pairs[:-1]], positions[1:][pairs[1:] == pairs[:-1]], strict=True):
        group[group == group[a]] = group[b]
    apart = np.flatnonzero((group != group[0]) & (np.bincount(log.positions - 1, log.shown, log.n_positions) > 0))
    if apart.size:
        raise InvalidDataError(
            f"no clicked document was shown both at position {apart[0] + 1} and at one linked to the first, so that "
            "propensities cannot be told from relevance: give them (--propensities FILE, or 1/rank^1)"
        )
