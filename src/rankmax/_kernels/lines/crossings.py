"""All crossings of one query's documents along a line, for metrics that look at every rank.

Let the classes of a query be its documents of equal gain, by rising gain. A metric without prefix is a sum of layers:
layer l counts every document of class l or higher with the gain's rise from class l - 1 to l, so to a layer documents
are of two kinds, those in it and those below it. (With a prefix there is one layer, the relevant documents.)

    value = sum over layers l and i of rise_l * discount[i + u_i] * prefix[i],    u_0 <= u_1 <= ...

where u are, of the documents in the layer, the numbers of documents above them that are not in it, sorted. So the
value depends on the u as a set, not on whose they are: documents of one class need not be compared, and simultaneous
crossings may be taken in any order. A crossing of documents of different classes changes one u by one, in the layers
that divide them, and with a count of how many u are at most v for each v, this is a change of one term.

Costs R * n for R documents above the lowest class; where most documents have one and the same slope, only those that
move relative to them are compared with others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankmax._arrays import F64, I32, I64
from rankmax._kernels.compilation import njit
from rankmax._kernels.lines.event_sorting import sort_events
from rankmax._kernels.lines.swept_query import QueryClasses, StepList, SweptQuery
from rankmax._kernels.unsigned import unsigned


class CrossingRoom(NamedTuple):
    """Scratch of :func:`cross_classes`, for the longest query and the most pairs of different class.

    Attributes
    ----------
    scores, slopes : float64, (n_documents,)
        Of the documents by class, within a class those first that do not move with the majority.
    place : int64, (n_documents,)
        Where each document stands among these.
    moving_ends : int64, (n_classes,)
        Where the documents of each class end that do not move with the majority.
    seen : int64, (n_classes,)
        Number of documents below each layer that were passed so far.
    scaled : float64, (n_classes, n_documents + 1)
        Units that a rank is worth in each layer.
    u, at_most, terms : int64, (n_classes, n_documents + 1)
        By layer: the number u of each document in it, how many u are at most v, and the terms of the value.
    times, tags, sorted_times, sorted_tags : float64 and int64, (n_pairs + 1,)
        The crossings, unsorted and sorted.
    buckets, bucket_ends : int32, (n_pairs,) and (2 * n_pairs + 2,)
        To sort them by.
    """

    scores: F64
    slopes: F64
    place: I64
    moving_ends: I64
    seen: I64
    scaled: F64
    u: I64
    at_most: I64
    terms: I64
    times: F64
    tags: I64
    sorted_times: F64
    sorted_tags: I64
    buckets: I32
    bucket_ends: I32


@njit(cache=True, error_model="numpy")
def cross_classes(
    query: SweptQuery, classes: QueryClasses, order: I64, found: StepList, n_steps: int, room: CrossingRoom
) -> tuple[int, int]:
    """Append each step between `low` and `high` to `found`, ascending.

    `order` is that just right of mu = 0. Returns the number of steps (-1 when they may not fit) and the value just
    right of `low`.
    """
    unit, cutoff, discount, prefix = query.unit, query.cutoff, query.discount, query.prefix
    seen, scaled, u, at_most, terms = room.seen, room.scaled, room.u, room.at_most, room.terms
    times, tags = room.sorted_times, room.sorted_tags
    class_starts, rises = classes.starts, classes.rises
    n = query.scores.size
    n_classes = class_starts.size - 1
    _arrange(query, classes, room)
    seen[:] = 0
    for r in range(n):
        t = room.place[order[r]]
        for layer in range(1, n_classes):
            u[layer, t] = seen[layer]  # means something in the document's own layers only
            seen[layer] += t < class_starts[layer]
    n_events = _list_crossings(query.low, query.high, class_starts, room)
    if n_steps + n_events + 1 > found.steps.size:
        return -1, 0
    last_prefix = prefix.size - 1
    total = 0
    for p in range(cutoff):  # layer 0 holds every document
        total += int(np.rint(unit * (rises[0] * discount[p]) * prefix[min(p, last_prefix)]))
    for layer in range(1, n_classes):
        for p in range(cutoff):
            scaled[layer, p] = unit * (rises[layer] * discount[p])
        scaled[layer, cutoff:n] = 0.0
        at_most[layer, : n + 1] = 0
        for t in range(class_starts[layer], n):
            at_most[layer, u[layer, t]] += 1
        i = 0
        for v in range(n + 1):
            for _ in range(at_most[layer, v]):
                terms[layer, i] = int(np.rint(scaled[layer, i + v] * prefix[min(i, last_prefix)]))
                total += terms[layer, i]
                i += 1
            at_most[layer, v] = i
    initial = total
    sort_events(room.times[:n_events], room.tags[:n_events], times, tags, room.buckets, room.bucket_ends)
    times[n_events] = np.inf
    before = total
    for e in range(n_events):
        mu = times[e]
        if not mu < query.high:
            break
        tag = tags[e]
        document = unsigned(tag >> 32)
        down = tag & 1  # the other passes above
        up = 1 - down
        for layer in range((tag >> 1) & 0x7FFF, (tag >> 16) & 0x7FFF):
            row = unsigned(layer)
            v = u[row, document]
            i = at_most[row, unsigned(v - up)] - down
            at_most[row, unsigned(v - up)] = i + up
            v += down - up
            u[row, document] = v
            term = int(np.rint(scaled[row, unsigned(i + v)] * prefix[unsigned(min(i, last_prefix))]))
            total += term - terms[row, unsigned(i)]
            terms[row, unsigned(i)] = term
        if times[e + 1] != mu:
            found.steps[unsigned(n_steps)] = mu
            found.changes[unsigned(n_steps)] = total - before
            n_steps += total != before
            before = total
    return n_steps, initial


@njit(cache=True, error_model="numpy")
def _arrange(query: SweptQuery, classes: QueryClasses, room: CrossingRoom) -> None:
    """Put documents by class, within a class those that do not move with the majority first."""
    majority = _majority_slope(query.slopes)
    for c in range(classes.starts.size - 1):
        front, back = classes.starts[c], classes.starts[c + 1]
        for p in range(classes.starts[c], classes.starts[c + 1]):
            i = classes.by_class[p]
            if query.slopes[i] != majority:
                t = front
                front += 1
            else:
                back -= 1
                t = back
            room.scores[t] = query.scores[i]
            room.slopes[t] = query.slopes[i]
            room.place[i] = t
        room.moving_ends[c] = front


@njit(cache=True, error_model="numpy")
def _majority_slope(b: F64) -> float:
    """Return the slope that more than half of the documents have, if there is one (Boyer and Moore's vote)."""
    slope = b[0]
    lead = 0
    for i in range(b.size):
        if lead == 0:
            slope = b[i]
        lead += 1 if b[i] == slope else -1
    return float(slope)


@njit(cache=True, error_model="numpy")
def _list_crossings(low: float, high: float, class_starts: I64, room: CrossingRoom) -> int:
    """List where documents of different classes cross, unsorted, for low < mu < high and mu = 0; return their number.

    A tag is the place of the document of higher class, the layers that divide the two, and whether the lower passes
    above it. Takes `u` from just right of 0 to just right of `low`.
    """
    a, b, moving_ends = room.scores, room.slopes, room.moving_ends
    times, tags, u = room.times, room.tags, room.u
    n_events = 0
    for c in range(1, class_starts.size - 1):
        for r in range(class_starts[c], class_starts[c + 1]):
            a_r, b_r = a[r], b[r]
            for d in range(c):
                tag = (r << 32) | ((c + 1) << 16) | ((d + 1) << 1)
                stop = class_starts[d + 1] if r < moving_ends[c] else moving_ends[d]
                came = 0
                for j in range(class_starts[d], stop):
                    rise = b[j] - b_r
                    mu = (a_r - a[j]) / rise
                    passes = rise > 0.0
                    crosses = (mu > low) & ((mu < high) | (mu <= 0.0)) & (rise != 0.0)
                    times[unsigned(n_events)] = mu
                    tags[unsigned(n_events)] = tag | passes
                    n_events += crosses
                    came += (crosses & (mu <= 0.0)) * (2 * passes - 1)
                for layer in range(d + 1, c + 1):
                    u[layer, r] -= came
    return n_events
