"""Retrieval functions by their definitions, from the words of every document, one sum after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, log, sqrt

from oracles.windows import Words, count_ordered, count_unordered

Expression = Callable[[Words], int]
"""How often something occurs in the words of a field."""


@dataclass(frozen=True)
class Collection:
    """Documents as the words of each of the fields that are looked at; None stands for a word that is no term."""

    documents: Sequence[Sequence[Words]]

    @property
    def n_documents(self) -> int:
        return len(self.documents)

    @property
    def n_occurrences(self) -> int:
        return sum(self.length(d) for d in range(self.n_documents))

    @property
    def average_length(self) -> float:
        return self.n_occurrences / self.n_documents

    @property
    def vocabulary(self) -> set[str]:
        return {word for document in self.documents for words in document for word in words if word is not None}

    def length(self, d: int) -> int:
        return sum(word is not None for words in self.documents[d] for word in words)

    def tf(self, expression: Expression, d: int) -> int:
        return sum(expression(words) for words in self.documents[d])

    def df(self, expression: Expression) -> int:
        return sum(self.tf(expression, d) > 0 for d in range(self.n_documents))

    def cf(self, expression: Expression) -> int:
        return sum(self.tf(expression, d) for d in range(self.n_documents))


def term(sought: str) -> Expression:
    return lambda words: sum(word == sought for word in words)


def ordered(terms: Sequence[str], width: int) -> Expression:
    return lambda words: count_ordered(words, terms, width)


def window(terms: Sequence[str], width: int) -> Expression:
    return lambda words: count_unordered(words, terms, width)


def bm25(c: Collection, query: Sequence[str], d: int, k1: float, b: float, k3: float) -> float:
    total = 0.0
    for t in map(term, sorted(set(query))):
        qtf = t(query)
        repeated = qtf if k3 == inf else (k3 + 1) * qtf / (k3 + qtf)
        idf = log(1 + (c.n_documents - c.df(t) + 0.5) / (c.df(t) + 0.5))
        if c.tf(t, d):
            total += repeated * idf * c.tf(t, d) / (c.tf(t, d) + k1 * (1 - b + b * c.length(d) / c.average_length))
    return total


def okapi(c: Collection, query: Sequence[str], d: int, k1: float, b: float, k3: float) -> float:
    total = 0.0
    for t in map(term, sorted(set(query))):
        idf = log((c.n_documents - c.df(t) + 0.5) / (c.df(t) + 0.5))
        if c.tf(t, d):
            tf = (k1 + 1) * c.tf(t, d) / (c.tf(t, d) + k1 * (1 - b + b * c.length(d) / c.average_length))
            total += (k3 + 1) * t(query) / (k3 + t(query)) * idf * tf
    return total


def tfidf(c: Collection, query: Sequence[str], d: int, k1: float, b: float, k3: float) -> float:
    """Inner product of two vectors."""
    total = 0.0
    for t in map(term, sorted(set(query))):
        if c.tf(t, d):
            idf = log((c.n_documents + 1) / (c.df(t) + 0.5))
            in_document = c.tf(t, d) / (c.tf(t, d) + k1 * (1 - b + b * c.length(d) / c.average_length))
            in_query = t(query) / (t(query) + k3)
            total += (in_query * idf) * (in_document * idf)
    return total


def cosine(c: Collection, query: Sequence[str], d: int) -> float:
    """Two vectors over the whole vocabulary."""
    terms = [term(word) for word in sorted(c.vocabulary)]
    idf = [log((c.n_documents + 1) / (c.df(t) + 0.5)) for t in terms]
    in_query = [t(query) * weight for t, weight in zip(terms, idf, strict=True)]
    in_document = [c.tf(t, d) * weight for t, weight in zip(terms, idf, strict=True)]
    inner = sum(x * y for x, y in zip(in_query, in_document, strict=True))
    norms = sqrt(sum(x * x for x in in_query)) * sqrt(sum(y * y for y in in_document))
    return inner / norms if inner else 0.0


def log_likelihood_dirichlet(c: Collection, expression: Expression, d: int, mu: float) -> float:
    background = c.cf(expression) / c.n_occurrences
    return log((c.tf(expression, d) + mu * background) / (c.length(d) + mu)) if background else 0.0


def dirichlet(c: Collection, query: Sequence[str], d: int, mu: float) -> float:
    return sum(log_likelihood_dirichlet(c, term(t), d, mu) for t in query)


def jelinek_mercer(c: Collection, query: Sequence[str], d: int, background: float) -> float:
    total = 0.0
    for t in map(term, query):
        seen = c.tf(t, d) / c.length(d) if c.length(d) else 0.0
        if c.cf(t):
            total += log((1 - background) * seen + background * c.cf(t) / c.n_occurrences)
    return total


def boolean(c: Collection, query: Sequence[str], d: int, match: str) -> float:
    present = [c.tf(term(t), d) > 0 for t in query]
    return float({"all": all, "any": any}[match](present) and bool(query))


def coordination(c: Collection, query: Sequence[str], d: int) -> float:
    return float(sum(c.tf(term(t), d) > 0 for t in set(query)))


def occurrences(c: Collection, query: Sequence[str], d: int) -> float:
    return float(sum(word in query for words in c.documents[d] for word in words))


def sequential_dependence(
    c: Collection, query: Sequence[str], d: int, mu: float, weights: Sequence[float], width: int
) -> float:
    pairs = [query[i : i + 2] for i in range(len(query) - 1)]
    return _dependence(c, query, d, mu, weights, width, pairs, pairs)


def full_dependence(
    c: Collection, query: Sequence[str], d: int, mu: float, weights: Sequence[float], width: int
) -> float:
    n = len(query)
    runs = [query[i:j] for i in range(n) for j in range(i + 2, n + 1)]
    subsets = [[query[p] for p in places] for size in range(2, n + 1) for places in combinations(range(n), size)]
    return _dependence(c, query, d, mu, weights, width, runs, subsets)


def _dependence(
    c: Collection,
    query: Sequence[str],
    d: int,
    mu: float,
    weights: Sequence[float],
    width: int,
    runs: Sequence[Sequence[str]],
    subsets: Sequence[Sequence[str]],
) -> float:
    return (
        weights[0] * dirichlet(c, query, d, mu)
        + weights[1] * sum(log_likelihood_dirichlet(c, ordered(run, 1), d, mu) for run in runs)
        + weights[2] * sum(log_likelihood_dirichlet(c, window(s, width * len(s)), d, mu) for s in subsets)
    )
