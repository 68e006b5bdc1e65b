"""Propensities: how likely users look at each position of a page of results."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64
from rankmax.data.click_log import ClickLog
from rankmax.errors import InvalidDataError, InvalidParameterError

_ITERATIONS = 5000
_CONVERGED = 1e-6  # largest change of a propensity in a step


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


def em_propensities(log: ClickLog) -> F64:
    r"""Return the propensities of a position-based model, relative to the first position, by expectation maximization.

    The model has a propensity for each position and a relevance for each document of a query; a document at position k
    is clicked with probability :math:`\theta_k \gamma_{qd}`. Propensities are known up to a factor, and only if
    documents were shown at several positions: otherwise those lower down may be less relevant, or less looked at.

    Parameters
    ----------
    log : ClickLog

    References
    ----------
    Wang et al. 2018, *Position bias estimation for unbiased learning to rank in personal search*.
    """
    require_not_clicked(log)
    _check_linked(log)
    theta = _fitted(log, None)[0]
    relative: F64 = theta / theta[0]
    return relative


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
    theta, gamma = _fitted(log, propensities[: log.n_positions] / propensities.max())
    click = theta[searches.positions - 1] * gamma[searches.pairs]
    logs = np.log(np.maximum(np.where(searches.clicked, click, 1 - click), 1e-300))
    return np.add.reduceat(logs, searches.offsets[:-1])


def _fitted(log: ClickLog, propensities: F64 | None) -> tuple[F64, F64]:
    """Return the propensities, which may be given, and the relevances of a position-based model."""
    k, pair, n, c = log.positions - 1, log.pairs, log.shown, log.clicks
    size, n_pairs = log.n_positions, log.n_documents
    shown, of_pair = np.bincount(k, n, size), np.bincount(pair, n, n_pairs)
    theta = power_propensities(0.5, size) if propensities is None else propensities
    gamma = np.full(n_pairs, 0.5)
    for _ in range(_ITERATIONS):
        looked, relevant = theta[k], gamma[pair]
        no_click = np.maximum(1 - looked * relevant, 1e-300)
        last = theta, gamma
        gamma = np.bincount(pair, c + (n - c) * relevant * (1 - looked) / no_click, n_pairs) / of_pair
        if propensities is None:
            theta = np.bincount(k, c + (n - c) * looked * (1 - relevant) / no_click, size) / np.maximum(shown, 1e-300)
            change = np.abs(theta / theta[0] - last[0] / last[0][0]).max()
        else:
            change = np.abs(gamma - last[1]).max()
        if change < _CONVERGED:
            break
    return theta, gamma


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
