"""Metrics as the literature writes them: one query, plain loops.

`ranked` holds the grades of a query's documents from best to worst score, NaN where nobody judged; `judged` the grades
of all its judged documents, retrieved or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Grades = Sequence[float]
Mapping = Callable[[float], float]


def is_relevant(grade: float, rel: float) -> bool:
    return not math.isnan(grade) and grade >= rel


def n_relevant(grades: Grades, rel: float) -> int:
    return sum(is_relevant(grade, rel) for grade in grades)


def precision(ranked: Grades, judged: Grades, *, k: int, rel: float = 1) -> float:
    return n_relevant(ranked[:k], rel) / k


def recall(ranked: Grades, judged: Grades, *, k: int, rel: float = 1) -> float:
    total = n_relevant(judged, rel)
    return n_relevant(ranked[:k], rel) / total if total else 0.0


def success(ranked: Grades, judged: Grades, *, k: int, rel: float = 1) -> float:
    return 1.0 if n_relevant(ranked[:k], rel) else 0.0


def r_precision(ranked: Grades, judged: Grades, *, rel: float = 1) -> float:
    total = n_relevant(judged, rel)
    return precision(ranked, judged, k=total, rel=rel) if total else 0.0


def reciprocal_rank(ranked: Grades, judged: Grades, *, k: int | None = None, rel: float = 1) -> float:
    for rank, grade in enumerate(ranked[:k], 1):
        if is_relevant(grade, rel):
            return 1 / rank
    return 0.0


def average_precision(ranked: Grades, judged: Grades, *, k: int | None = None, rel: float = 1) -> float:
    total = n_relevant(judged, rel)
    precisions = [
        precision(ranked, judged, k=rank, rel=rel)
        for rank, grade in enumerate(ranked[:k], 1)
        if is_relevant(grade, rel)
    ]
    return sum(precisions) / total if total else 0.0


def linear(grade: float) -> float:
    return max(grade, 0.0)


def exp2(grade: float) -> float:
    return 2.0 ** max(grade, 0.0) - 1


def log2(rank: int) -> float:
    return math.log2(1 + rank)


def jarvelin_kekalainen(rank: int) -> float:
    return 1.0 if rank < 2 else math.log2(rank)


def dcg(ranked: Grades, *, k: int | None = None, gain: Mapping = linear, divisor: Mapping = log2) -> float:
    total = 0.0
    for rank, grade in enumerate(ranked[:k], 1):
        if not math.isnan(grade):
            total += gain(grade) / divisor(rank)
    return total


def ndcg(
    ranked: Grades,
    judged: Grades,
    *,
    k: int | None = None,
    gain: Mapping = linear,
    divisor: Mapping = log2,
) -> float:
    ideal = dcg(sorted(judged, key=gain, reverse=True), k=k, gain=gain, divisor=divisor)
    return dcg(ranked, k=k, gain=gain, divisor=divisor) / ideal if ideal else 0.0


def satisfaction(grade: float, max_grade: float) -> float:
    return 0.0 if math.isnan(grade) else exp2(grade) / 2**max_grade


def err(ranked: Grades, *, max_grade: float, k: int | None = None) -> float:
    total, still_reading = 0.0, 1.0
    for rank, grade in enumerate(ranked[:k], 1):
        total += still_reading * satisfaction(grade, max_grade) / rank
        still_reading *= 1 - satisfaction(grade, max_grade)
    return total


def power_err(ranked: Grades, *, beta: float, max_grade: float, k: int | None = None) -> float:
    return sum(satisfaction(grade, max_grade) / rank**beta for rank, grade in enumerate(ranked[:k], 1))


def rbp(ranked: Grades, *, p: float, k: int | None = None, rel: float = 1) -> float:
    return (1 - p) * sum(is_relevant(grade, rel) * p ** (rank - 1) for rank, grade in enumerate(ranked[:k], 1))


def roc_area(ranked: Grades, *, rel: float = 1) -> float:
    pairs = [
        above < below
        for above, good in enumerate(ranked)
        for below, bad in enumerate(ranked)
        if is_relevant(good, rel) and not is_relevant(bad, rel)
    ]
    if not pairs:
        return 1.0 if n_relevant(ranked, rel) else 0.0
    return sum(pairs) / len(pairs)


def bpref(ranked: Grades, judged: Grades, *, rel: float = 1) -> float:
    total = n_relevant(judged, rel)
    total_bad = sum(0 <= grade < rel for grade in judged)
    bad_above, value = 0, 0.0
    for grade in ranked:
        if is_relevant(grade, rel):
            value += 1 - min(bad_above, total) / min(total_bad, total) if bad_above else 1
        elif 0 <= grade < rel:
            bad_above += 1
    return value / total if total else 0.0


def judged_rate(ranked: Grades, *, k: int | None = None) -> float:
    top = ranked[:k]
    return sum(not math.isnan(grade) for grade in top) / len(top) if len(top) else 0.0


def letor_precisions(ranked: Grades, *, top: int, version: int, rel: float = 1) -> dict[int, float]:
    """What subroutine PrecisionAtN of the script fills in, by k; version 3 stops at the list's end."""
    filled, found = {}, 0
    for position in range(top):
        if position >= len(ranked) and version == 3:
            break
        found += position < len(ranked) and is_relevant(ranked[position], rel)
        filled[position + 1] = found / (position + 1)
    return filled


def letor_ndcgs(ranked: Grades) -> list[float]:
    """What subroutine NDCG of the script fills in: one value for each rank of the list."""

    def running(grades: Grades) -> list[float]:
        sums: list[float] = []
        for position, grade in enumerate(grades):
            gain = 0.0 if math.isnan(grade) else exp2(grade)
            if position >= 2:
                gain *= math.log(2) / math.log(position + 1)
            sums.append(gain + (sums[-1] if sums else 0.0))
        return sums

    reached = running(ranked)
    best = running(sorted(ranked, key=lambda grade: -math.inf if math.isnan(grade) else grade, reverse=True))
    return [a / b if b else 0.0 for a, b in zip(reached, best, strict=True)]


def letor_ndcg(ranked: Grades, *, k: int) -> float:
    values = letor_ndcgs(ranked)
    return values[k - 1] if k <= len(values) else 0.0


def letor_mean_ndcg(ranked: Grades) -> float:
    values = letor_ndcgs(ranked)
    return sum(values) / len(values) if values else 0.0
