"""The papers' features as the papers write them, from the words of every document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import log

from oracles.retrieval import Collection, Expression, ordered, term, window

Definition = Callable[[Collection, Sequence[str], int], float]


def over_shared_terms(summand: Callable[[Collection, Sequence[str], int, Expression], float]) -> Definition:
    def summed(c: Collection, query: Sequence[str], d: int) -> float:
        shared = {t for t in query if c.tf(term(t), d)}
        return sum(summand(c, query, d, term(t)) for t in shared)

    return summed


def share(c: Collection, d: int, t: Expression) -> float:
    return c.tf(t, d) / c.length(d)


NALLAPATI = [
    over_shared_terms(lambda c, q, d, t: log(c.tf(t, d))),
    over_shared_terms(lambda c, q, d, t: log(1 + share(c, d, t))),
    over_shared_terms(lambda c, q, d, t: log(c.n_documents / c.df(t))),
    over_shared_terms(lambda c, q, d, t: log(c.n_occurrences / c.cf(t))),
    over_shared_terms(lambda c, q, d, t: log(1 + share(c, d, t) * c.n_documents / c.df(t))),
    over_shared_terms(lambda c, q, d, t: log(1 + share(c, d, t) * c.n_occurrences / c.cf(t))),
]
"""Metzler & Croft (2007), Table 1, in its order."""

GEY = [
    over_shared_terms(lambda c, q, d, t: log(t(q))),
    over_shared_terms(lambda c, q, d, t: log(t(q) / len(q))),
    over_shared_terms(lambda c, q, d, t: log(c.tf(t, d))),
    over_shared_terms(lambda c, q, d, t: log(share(c, d, t))),
    over_shared_terms(lambda c, q, d, t: log(c.n_documents / c.df(t))),
    over_shared_terms(lambda c, q, d, t: log(c.cf(t) / c.n_occurrences)),
]
"""Metzler & Croft (2007), section 3, in its order."""


def smoothed(c: Collection, expressions: Sequence[Expression], d: int, mu: float) -> float:
    """Table 5's sum of log[(1 - alpha) tf / |D| + alpha cf / |C|], over the expressions that occur somewhere."""
    alpha = mu / (c.length(d) + mu)
    total = 0.0
    for e in expressions:
        in_document = c.tf(e, d) / c.length(d) if c.length(d) else 0.0
        if c.cf(e):
            total += log((1 - alpha) * in_document + alpha * c.cf(e) / c.n_occurrences)
    return total


def phrases(query: Sequence[str]) -> list[Expression]:
    """Every contiguous subset of two or more query terms."""
    n = len(query)
    return [ordered(query[i:j], 1) for i in range(n) for j in range(i + 2, n + 1)]


def windows(query: Sequence[str], width: int, per_term: bool) -> list[Expression]:
    """Every subset of two or more query terms."""
    chosen = [c for size in range(2, len(query) + 1) for c in combinations(query, size)]
    return [window(terms, width * len(terms) if per_term else width) for terms in chosen]


def count(c: Collection, expressions: Sequence[Expression], d: int) -> float:
    return float(sum(c.tf(e, d) for e in expressions))
