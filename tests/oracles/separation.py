"""The most violated ranking by trying all of them: definitions as the paper writes them, for one query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product

import numpy as np

Floats = Sequence[float]


@dataclass(frozen=True)
class Violations:
    """What every possible output has for H(y; w), for its loss and for Psi(true) - Psi(y), by document."""

    values: np.ndarray
    losses: np.ndarray
    margins: np.ndarray


def ranking_violations(scores: Floats, gains: Floats, metric: Callable[[Floats], float]) -> Violations:
    """Try every permutation; `metric` gives the value of a list of gains from the top of a ranking."""
    documents = np.arange(len(gains))
    rankings = np.array(list(permutations(documents)))
    places = np.argsort(rankings, axis=1)
    true = np.argsort(-np.array(gains), kind="stable")
    value = cache(lambda ranked: metric(ranked))
    losses = np.array([value(tuple(np.array(gains)[true])) - value(tuple(np.array(gains)[r])) for r in rankings])
    margins = joint_coefficients(np.argsort(true)[None], gains) - joint_coefficients(places, gains)
    return Violations(losses - margins @ np.array(scores), losses, margins)


def joint_coefficients(places: np.ndarray, gains: Floats) -> np.ndarray:
    """Return the coefficient of each phi in Psi(x, y), a mean of y_ij (phi_i - phi_j) over pairs of different gain.

    `places` holds the place of each document, a ranking in each row.
    """
    pairs = [(i, j) for i, j in product(range(len(gains)), repeat=2) if gains[i] > gains[j]]
    coefficients = np.zeros(places.shape)
    for i, j in pairs:
        y = np.where(places[:, i] < places[:, j], 1.0, -1.0)
        coefficients[:, i] += y / len(pairs)
        coefficients[:, j] -= y / len(pairs)
    return coefficients


def label_violations(scores: Floats, relevant: Sequence[bool]) -> Violations:
    """Try every way to label documents +1 or -1."""
    true = np.where(relevant, 1.0, -1.0)
    labels = np.array(list(product([1.0, -1.0], repeat=len(scores))))
    losses = (labels != true).mean(axis=1)
    margins = (true - labels) / (2 * len(scores))
    return Violations(losses - margins @ np.array(scores), losses, margins)


def best_places(relevant: Floats, others: Floats) -> list[int]:
    """Return opt_j of Algorithm 2, from 1, for each of the others; both lists hold falling scores."""
    p, m = len(relevant), len(others)

    def delta(j: int, k: int) -> float:
        """Return delta_j(k, p + 1) of equation 6, with the factor 1 / (p m) that Psi has."""
        return sum(
            (j / (j + i) - (j - 1) / (j + i - 1)) / p - 2 * (relevant[i - 1] - others[j - 1]) / (p * m)
            for i in range(k, p + 1)
        )

    return [max(range(1, p + 2), key=lambda k, j=j: delta(j, k)) for j in range(1, m + 1)]  # type: ignore[misc]
