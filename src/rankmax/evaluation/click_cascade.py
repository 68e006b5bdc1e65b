r"""Users who look from the top and may stop: a cascade model of clicks, fitted by expectation maximization.

The user looks at the first document of a search. She clicks a document d that she looks at with probability
:math:`\gamma_{qd}`, and goes on to the next one with probability :math:`\lambda_k` after a click at position k, with
probability :math:`\alpha` otherwise. With :math:`\alpha = 1` this is the dependent click model, and with
:math:`\lambda = 0`, too, the cascade model.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankmax._arrays import F64, I64, Bool, readonly
from rankmax.data.click_log import ClickLog
from rankmax.data.click_searches import Searches
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.evaluation.click_propensities import require_not_clicked

_ITERATIONS = 2000
_CONVERGED = 1e-6  # largest change of a probability in a step
_LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class Cascade:
    """A cascade model of the clicks in a log.

    Attributes
    ----------
    after_click : array, shape (n_positions,)
        Probability of going on to the next document after a click, by position.
    otherwise : float
        Probability of going on without a click.
    looks : array, shape (n_documents,)
        Expected number of times that each document was looked at, given the clicks in each search.
    looks_by_position : array, shape (n_positions,)
        Share of the documents shown at each position that were looked at.
    log_likelihoods : array, shape (n_searches,)
        Of the clicks in each search.
    """

    after_click: F64
    otherwise: float
    looks: F64
    looks_by_position: F64
    log_likelihoods: F64

    def to_dict(self) -> dict[str, Any]:
        """Return the probabilities as plain data, which can be written as JSON."""
        return {"after_click": self.after_click.tolist(), "otherwise": self.otherwise}


def fit_cascade(log: ClickLog, going_on: tuple[F64, float] | None = None) -> Cascade:
    r"""Fit a cascade model by maximum likelihood, with probabilities of going on that are given or estimated, too.

    The likelihood of a search's clicks sums over the places below the last click where the user may have stopped.
    Each step counts what is expected of looks and stops, given the clicks: a document was surely looked at if it is
    not below the last click. The share of clicks that another click follows, which is often taken for
    :math:`\lambda_k`, is only a lower bound, as users may go on and click nothing.

    Parameters
    ----------
    log : ClickLog
        With the clicks of each search.
    going_on : tuple of array and float, optional
        Probabilities of going on after a click, by position, and otherwise.

    Examples
    --------
    >>> rows = [("s1", "q", "a", 1, True, 3), ("s1", "q", "b", 2, False, 3), ("s2", "q", "b", 1, False, 4),
    ...         ("s2", "q", "a", 2, True, 4), ("s3", "q", "a", 1, False, 3), ("s3", "q", "b", 2, True, 3)]
    >>> fit_cascade(ClickLog.from_searches(rows), (np.zeros(2), 1.0)).looks
    array([10.,  7.])

    References
    ----------
    Guo, Liu & Wang 2009, *Efficient multiple-click models in web search* (the dependent click model); Guo et al. 2009,
    *Click chain model in web search* (stopping without a click); Vardasbi, de Rijke & Markov 2020, *Cascade
    model-based propensity estimation for counterfactual learning to rank*.
    """
    if log.searches is None:
        raise IncompatibleError(
            "a cascade depends on which clicks are of one search, which this table of clicks does not say: add a "
            "column search with the id of each search, or give UBI events"
        )
    require_not_clicked(log)
    if going_on is None:
        _require_movement(log)
        after_click, otherwise = np.full(log.n_positions, 0.5), 0.9
    else:
        after_click, otherwise = going_on
    cells = _Cells.of(log.searches)
    clicks = np.bincount(log.pairs, log.clicks, log.n_documents)
    shown = np.bincount(log.pairs, log.shown, log.n_documents)
    attractive = np.full(log.n_documents, 0.5)
    looks: F64 = np.zeros(log.n_documents)
    for _ in range(_ITERATIONS):
        looked = cells.looked(attractive[cells.pairs], np.where(cells.clicked, after_click[cells.places], otherwise))
        before, looks = looks, cells.total(cells.pairs, looked, log.n_documents)
        attractive = clicks / np.maximum(looks, _LEAST)
        change = np.abs(looks - before) / shown
        if going_on is None:
            last = np.append(after_click, otherwise)
            after_click, otherwise = cells.going_on(looked, after_click)
            change = np.append(change, np.append(after_click, otherwise) - last)
        if np.abs(change).max() < _CONVERGED:
            break
    shown_there = cells.total(cells.places, np.ones_like(looked), log.n_positions)
    by_position = cells.total(cells.places, looked, log.n_positions) / np.maximum(shown_there, _LEAST)
    going = np.where(cells.clicked, after_click[cells.places], otherwise)
    logs = cells.log_likelihoods(attractive[cells.pairs], going)
    return Cascade(readonly(after_click), otherwise, readonly(looks), readonly(by_position), readonly(logs))


@dataclass(frozen=True, eq=False)
class _Cells:
    """Rows of searches: the first of all searches, then their second ones, ...; searches by falling length.

    So the k-th rows of searches that have one are a slice, whose first ones belong to the searches of the next slice.
    """

    searches: I64  # of the first slice, in the order of the log
    starts: I64  # of the slices
    search: I64  # of each row
    pairs: I64
    places: I64  # position - 1
    clicked: Bool
    counts: F64
    sure: Bool  # not below the last click: surely looked at

    @classmethod
    def of(cls, searches: Searches) -> _Cells:
        lengths = np.diff(searches.offsets)
        order = np.argsort(-lengths, kind="stable")
        sizes = np.append(0, np.cumsum(np.searchsorted(-lengths[order], -np.arange(lengths.max()), side="left")))
        rank = np.arange(sizes[-1]) - np.repeat(sizes[:-1], np.diff(sizes))  # of the search in the order
        slice_of_cell = np.repeat(np.arange(lengths.max()), np.diff(sizes))
        search = order[rank]
        rows = searches.offsets[search] + slice_of_cell
        clicked = searches.clicked[rows]
        last = np.full(len(searches), -1)
        last[search[clicked]] = slice_of_cell[clicked]  # later slices come later
        return cls(
            order,
            sizes,
            search,
            searches.pairs[rows],
            searches.positions[rows] - 1,
            clicked,
            searches.counts[search],
            (slice_of_cell <= last[search]) | (slice_of_cell == 0),
        )

    @cached_property
    def slices(self) -> list[tuple[slice, slice]]:
        """Each slice but the last, without searches that end there, and the next one."""
        starts = self.starts.tolist()
        return [
            (slice(a, a + c - b), slice(b, c)) for a, b, c in zip(starts[:-2], starts[1:-1], starts[2:], strict=True)
        ]

    @cached_property
    def _with_next(self) -> tuple[I64, I64]:
        """Rows that have a next one in their search, and the next ones."""
        pairs = [(np.arange(a.start, a.stop), np.arange(b.start, b.stop)) for a, b in self.slices]
        return (
            np.concatenate([a for a, _ in pairs] or [np.empty(0, np.int64)]),
            np.concatenate([b for _, b in pairs] or [np.empty(0, np.int64)]),
        )

    def total(self, index: I64, values: F64, n: int) -> F64:
        """Return the sums of values over searches, by documents or places."""
        return np.bincount(index, self.counts * values, n).astype(np.float64)

    def quiet(self, attractive: F64, going_on: F64) -> F64:
        """Return the probability of no click from each row on, if it is looked at."""
        found: F64 = 1 - attractive
        for here, below in reversed(self.slices):
            found[here] *= 1 - going_on[here] + going_on[here] * found[below]
        return found

    def looked(self, attractive: F64, going_on: F64) -> F64:
        """Return the probability that each row was looked at, given the clicks of its search."""
        quiet = self.quiet(attractive, going_on)
        found = np.ones(len(quiet))
        for here, below in self.slices:
            on = going_on[here] * quiet[below]
            chance = found[here] * on / np.maximum(1 - going_on[here] + on, _LEAST)
            found[below] = np.where(self.sure[below], 1.0, chance)
        return found

    def going_on(self, looked: F64, after_click: F64) -> tuple[F64, float]:
        """Return the shares of those who went on, after clicks by position, and otherwise."""
        here, below = self._with_next
        counts, clicked, places = self.counts[here], self.clicked[here], self.places[here]
        n = len(after_click)
        clicks = np.bincount(places[clicked], counts[clicked], n)
        followed = np.bincount(places[clicked], (counts * looked[below])[clicked], n)
        passed = np.sum((counts * looked[here])[~clicked])
        otherwise = float(np.sum((counts * looked[below])[~clicked]) / passed) if passed > 0 else 1.0
        pooled = np.full(n, followed.sum() / clicks.sum()) if clicks.any() else after_click  # where none was clicked
        return np.divide(followed, clicks, out=pooled, where=clicks > 0), otherwise

    def log_likelihoods(self, attractive: F64, going_on: F64) -> F64:
        """Return the logarithm of the probability of the clicks of each search."""
        quiet = self.quiet(attractive, going_on)
        chance = np.where(self.sure, np.where(self.clicked, attractive, 1 - attractive), 1.0)
        chance[: self.starts[1]] = np.where(self._silent, quiet[: self.starts[1]], chance[: self.starts[1]])
        for here, below in self.slices:
            on = going_on[here]
            after = self.sure[here] & ~self._silent[: on.size]
            chance[here] *= np.where(after, np.where(self.sure[below], on, 1 - on + on * quiet[below]), 1.0)
        return np.bincount(self.search, np.log(np.maximum(chance, _LEAST)), len(self.searches)).astype(np.float64)

    @cached_property
    def _silent(self) -> Bool:
        """Which searches, in the order of the first slice, have no click."""
        found: Bool = np.bincount(self.search, self.clicked, len(self.searches))[self.searches] == 0
        return found


def _require_movement(log: ClickLog) -> None:
    """Raise unless a document that was clicked was shown at several positions.

    Otherwise those lower down may be less attractive, or less looked at.
    """
    n_positions = np.bincount(log.pairs, minlength=log.n_documents)
    if not (n_positions[np.bincount(log.pairs, log.clicks, log.n_documents) > 0] > 1).any():
        raise InvalidDataError(
            "no clicked document was shown at several positions, so that stopping cannot be told from relevance: give "
            "the probabilities of going on (--propensities FILE)"
        )
