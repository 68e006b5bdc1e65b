"""Classes of equal gain, against pairs counted one by one."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from rankmax.data.judgments import Judgments
from rankmax.line_search.gain_classes import GainClasses

GRADES = [0, 2, 1, 0, 2, 2, 1, 1, 0, 0, 0]
OFFSETS = [0, 5, 6, 6, 11]
JUDGMENTS = Judgments.from_grades(GRADES, OFFSETS)
GAIN = np.array([0.0, 0.0, 1.0, 3.0])  # by level: unjudged, 0, 1, 2
ALWAYS = np.ones(1)


def classes(**other: object) -> GainClasses:
    given = {"prefix": ALWAYS, "cutoff": np.full(4, 100), "cascade": False, "distinct": np.array([0.0, 1.0, 3.0])}
    given |= other
    return GainClasses.of(
        JUDGMENTS, GAIN, given["distinct"], given["prefix"], given["cutoff"], cascade=given["cascade"]
    )


def test_documents_stand_by_rising_gain() -> None:
    found = classes()
    for q, (first, stop) in enumerate(pairwise(OFFSETS)):
        own = GRADES[first:stop]
        by_class = [own[d] for d in found.documents[first:stop]]
        assert by_class == sorted(own)
        for level, (start, end) in enumerate(zip(found.starts[q], found.starts[q][1:], strict=False)):
            assert by_class[start:end] == [level] * own.count(level)
        assert found.pairs[q] == sum(a != b for a, b in combinations(own, 2))
    np.testing.assert_array_equal(np.cumsum(found.rises), [0.0, 1.0, 3.0])


def test_following_the_top_is_cheaper_than_many_pairs() -> None:
    few = classes(cutoff=np.array([1, 1, 1, 2]))
    assert few.pairs.tolist() == [-1, 0, 0, 6]


@pytest.mark.parametrize("other", [{"cascade": True}, {"prefix": np.ones(2)}, {"distinct": np.arange(65.0)}])
def test_some_metrics_are_not_followed_by_classes(other: dict[str, object]) -> None:
    found = classes(**other)
    assert found.documents.size == 0
    assert found.pairs.tolist() == [-1] * 4
