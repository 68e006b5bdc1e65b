"""The surrogate losses of one query by their definitions, with no care for speed or overflow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

QueryLoss = Callable[[Sequence[float], Sequence[float]], float]


def softmax(values: Sequence[float]) -> list[float]:
    total = sum(math.exp(value) for value in values)
    return [math.exp(value) / total for value in values]


def divergence(p: Sequence[float], q: Sequence[float]) -> float:
    return sum(a * math.log(a / b) for a, b in zip(p, q, strict=True) if a > 0)


def cross_entropy(alpha: float) -> QueryLoss:
    return lambda scores, gains: divergence(softmax([alpha * gain for gain in gains]), softmax(scores))


def proportional_cross_entropy(scores: Sequence[float], gains: Sequence[float]) -> float:
    return divergence([gain / sum(gains) for gain in gains], softmax(scores))


def pairwise_logistic(*, weighted: bool) -> QueryLoss:
    def loss(scores: Sequence[float], gains: Sequence[float]) -> float:
        pairs = [
            (gains[i] - gains[j] if weighted else 1.0, math.log(1 + math.exp(scores[j] - scores[i])))
            for i in range(len(gains))
            for j in range(len(gains))
            if gains[i] > gains[j]
        ]
        return sum(weight * value for weight, value in pairs) / sum(weight for weight, _ in pairs)

    return loss


def cosine(scores: Sequence[float], gains: Sequence[float]) -> float:
    lengths = math.hypot(*scores) * math.hypot(*gains)
    return (
        (1 - sum(s * g for s, g in zip(scores, gains, strict=True)) / lengths) / 2
        if max(map(abs, scores)) > 1e-280
        else 0.5
    )


def squared(scores: Sequence[float], gains: Sequence[float]) -> float:
    return sum((g - s) ** 2 for s, g in zip(scores, gains, strict=True))


def probability_of_order(scores: Sequence[float]) -> float:
    """Return Plackett and Luce's probability that documents come out as they stand."""
    return math.prod(math.exp(s) / sum(map(math.exp, scores[i:])) for i, s in enumerate(scores))


def plackett_luce(scores: Sequence[float], gains: Sequence[float]) -> float:
    """Return -log of the probability of falling gains, with Efron's formula for a group of equals."""
    total = 0.0
    for gain in set(gains) - {min(gains)}:
        group = [math.exp(s) for s, g in zip(scores, gains, strict=True) if g == gain]
        rest = sum(math.exp(s) for s, g in zip(scores, gains, strict=True) if g < gain)
        for j, weight in enumerate(group):
            total -= math.log((j + 1) * weight / (rest + (1 - j / len(group)) * sum(group)))
    return total


def smooth_ndcg(smoothing: float, cutoff: int) -> QueryLoss:
    def loss(scores: Sequence[float], gains: Sequence[float]) -> float:
        value = ideal = 0.0
        ranks = zip(sorted(scores, reverse=True), sorted(gains, reverse=True), strict=True)
        for rank, (holder, best_gain) in list(enumerate(ranks, 1))[:cutoff]:
            nearness = [math.exp(-((s - holder) ** 2) / smoothing) for s in scores]
            gain = sum(n * g for n, g in zip(nearness, gains, strict=True)) / sum(nearness)
            value += gain / math.log2(1 + rank)
            ideal += best_gain / math.log2(1 + rank)
        return 1 - value / ideal

    return loss


def mean_loss(loss: QueryLoss, scores: Sequence[float], gains: Sequence[float], offsets: Sequence[int]) -> float:
    """Return the mean over the queries whose gains are not all equal."""
    spans = [slice(a, b) for a, b in pairwise(offsets)]
    values = [loss(scores[span], gains[span]) for span in spans if len(set(gains[span])) > 1]
    return sum(values) / len(values)


def numerical_gradient(function: Callable[[np.ndarray], float], x: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """Return central differences."""
    return np.array([(function(x + move) - function(x - move)) / (2 * step) for move in step * np.eye(x.size)])
