"""The exact value of a metric along a line in weight space, query by query.

Along w + mu*v the score of document i is the line a_i + mu*b_i. A query's value changes only where two lines cross, so
it is a step function of mu; these kernels list its steps. Where a query has many more pairs of different gain than its
cutoff, the top k are followed (kinetic_top.py); else the crossings of these pairs are listed (crossings.py).

Contributions are counted in integers, so that sums over documents, steps and queries are exact and do not depend on
their order: the value at any mu has the same bits for any number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._kernels.compilation import njit
from rankmax._kernels.lines.crossings import CrossingRoom, cross_classes
from rankmax._kernels.lines.kinetic_top import LANES, TopRoom, break_ties, follow_top
from rankmax._kernels.lines.swept_query import Line, QueryClasses, StepList, SweptMetric, SweptQuery, TaskSteps
from rankmax._kernels.metrics.ranking import rank_documents


class _RankingRoom(NamedTuple):
    """Scratch to rank one query in."""

    gains: F64
    ranking: I64
    spare: I64
    buckets: I64


@njit(cache=True, nogil=True, error_model="numpy")
def sweep_tasks(first_task: int, last_task: int, tasks: I64, line: Line, metric: SweptMetric, found: TaskSteps) -> None:
    """List the steps of a metric's weighted sum over each task's queries along a line.

    Parameters
    ----------
    first_task, last_task : int
        The tasks to work on, without the last.
    tasks : int64, (n_tasks + 1,)
        Task t has the queries from tasks[t] up to tasks[t + 1].
    line : Line
    metric : SweptMetric
    found : TaskSteps
        Filled.
    """
    for task in range(first_task, last_task):
        # A typed zero: from a plain 0 numba compiles all that it is passed to twice, for the literal and for integers.
        longest = most = used = start = int(np.int64(0))
        for q in range(tasks[task], tasks[task + 1]):
            longest = max(longest, metric.query_offsets[q + 1] - metric.query_offsets[q])
            most = max(most, metric.pairs[q])
        room = _ranking_room(longest)
        top_room = _top_room(longest)
        crossing_room = _crossing_room(longest, metric.rises.size, most)
        steps = StepList(found.steps[task], found.changes[task])
        for q in range(tasks[task], tasks[task + 1]):
            first, stop = metric.query_offsets[q], metric.query_offsets[q + 1]
            cutoff = min(metric.cutoff[q], stop - first)
            if cutoff == 0 or metric.unit[q] == 0.0:
                continue
            query = SweptQuery(
                line.scores[first:stop],
                line.slopes[first:stop],
                line.low,
                line.high,
                cutoff,
                metric.discount,
                metric.prefix,
                metric.unit[q],
                metric.stop,
            )
            ranking = room.ranking[: stop - first]
            is_tied = rank_documents(query.scores, stop - first, ranking, room.spare, room.buckets)
            if metric.pairs[q] >= 0:
                if is_tied:
                    break_ties(query.scores, query.slopes, 1.0, ranking, room.spare)
                classes = QueryClasses(metric.by_class[first:stop], metric.class_starts[q], metric.rises)
                used, value = cross_classes(query, classes, ranking, steps, used, crossing_room)
            else:
                gains = room.gains[: stop - first]
                for i in range(stop - first):
                    gains[i] = metric.gain[metric.document_levels[first + i]]
                used, value = _follow_both_sides(query, gains, ranking, is_tied, steps, used, top_room)
            if used < 0:
                break
            start += value
        found.n_steps[task] = used
        found.starts[task] = start


@njit(cache=True, error_model="numpy")
def _follow_both_sides(
    query: SweptQuery, gains: F64, ranking: I64, is_tied: bool, steps: StepList, n_steps: int, room: TopRoom
) -> tuple[int, int]:
    """Follow the top k from mu = 0 to the right and to the left; return as cross_classes does."""
    moving = False
    for i in range(query.slopes.size):
        moving |= query.slopes[i] != query.slopes[0]
    right = query.high if moving else 0.0
    left = -query.low if moving else 0.0
    n_steps, at_right, value = follow_top(query, gains, ranking, is_tied, right, 1.0, steps, n_steps, room)
    if n_steps < 0 or not left > 0.0:
        return n_steps, at_right
    n_steps, at_left, value = follow_top(query, gains, ranking, is_tied, left, -1.0, steps, n_steps, room)
    if n_steps >= 0 and at_left != at_right:  # documents that tie at mu = 0
        if n_steps == steps.steps.size:
            return -1, value
        steps.steps[n_steps] = 0.0
        steps.changes[n_steps] = at_right - at_left
        n_steps += 1
    return n_steps, value


@njit(cache=True)
def _ranking_room(n_documents: int) -> _RankingRoom:
    return _RankingRoom(
        gains=np.empty(n_documents),
        ranking=np.empty(n_documents, np.int64),
        spare=np.empty(n_documents, np.int64),
        buckets=np.empty(n_documents + 2, np.int64),
    )


@njit(cache=True)
def _top_room(n_documents: int) -> TopRoom:
    return TopRoom(
        order=np.empty(n_documents, np.int64),
        spare=np.empty(n_documents, np.int64),
        top=np.empty(n_documents, np.int64),
        top_scores=np.empty(n_documents),
        top_slopes=np.empty(n_documents),
        top_gains=np.empty(n_documents),
        swaps=np.empty(n_documents),
        units=np.empty(n_documents, np.int64),
        above=np.empty(n_documents + 1, np.int64),
        reading=np.empty(n_documents + 1),
        outside=np.empty(n_documents + LANES, np.int64),
        outside_scores=np.empty(n_documents + LANES),
        outside_slopes=np.empty(n_documents + LANES),
        outside_gains=np.empty(n_documents + LANES),
        times=np.empty(n_documents + LANES),
    )


@njit(cache=True)
def _crossing_room(n_documents: int, n_classes: int, n_pairs: int) -> CrossingRoom:
    shape = (n_classes, n_documents + 1)
    return CrossingRoom(
        scores=np.empty(n_documents),
        slopes=np.empty(n_documents),
        place=np.empty(n_documents, np.int64),
        moving_ends=np.empty(n_classes, np.int64),
        seen=np.empty(n_classes, np.int64),
        scaled=np.empty(shape),
        u=np.empty(shape, np.int64),
        at_most=np.empty(shape, np.int64),
        terms=np.empty(shape, np.int64),
        times=np.empty(n_pairs + 1),
        tags=np.empty(n_pairs + 1, np.int64),
        sorted_times=np.empty(n_pairs + 1),
        sorted_tags=np.empty(n_pairs + 1, np.int64),
        buckets=np.empty(n_pairs, np.int32),
        bucket_ends=np.empty(2 * n_pairs + 2, np.int32),
    )
