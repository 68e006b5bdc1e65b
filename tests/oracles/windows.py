"""Windows by their definition: every pair of ends is looked at, documents are lists of words (None: no term)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

Words = Sequence[str | None]


def count_unordered(words: Words, terms: Sequence[str], width: int) -> int:
    """Count the windows [i, j] that begin with a term, hold all terms, and are the smallest that begin at i."""
    windows = []
    for i in range(len(words)):
        if words[i] in terms:
            ends = (j for j in range(i, len(words)) if not Counter(terms) - Counter(words[i : j + 1]))
            j = next(ends, None)
            if j is not None and j - i + 1 <= width:
                windows.append((i, j))
    return sum(1 for _ in _without_overlaps(windows))


def count_ordered(words: Words, terms: Sequence[str], width: int) -> int:
    """Count the windows that begin at a first term and take the next place of every further term."""
    windows = []
    for i in range(len(words)):
        if words[i] == terms[0]:
            places = [i]
            for term in terms[1:]:
                place = next((j for j in range(places[-1] + 1, len(words)) if words[j] == term), None)
                if place is None or place - places[-1] > width:
                    break
                places.append(place)
            if len(places) == len(terms):
                windows.append((i, places[-1]))
    return sum(1 for _ in _without_overlaps(windows))


def _without_overlaps(windows: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    last = -1
    for first, end in sorted(windows):
        if first > last:
            yield first, end
            last = end
