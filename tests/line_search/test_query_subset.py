"""Parts of a data set against the whole."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax._numerics.exact_sums import rounded, rounded_rows
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidDataError
from rankmax.line_search.query_subset import Part
from rankmax.metrics import AP, from_function


def test_sums_of_parts_have_the_bits_of_the_whole() -> None:
    data = planted_linear(30, 9, 3, noise=1.0, seed=1).data
    parts = [Part(data.select(q), AP()) for q in (np.arange(4), np.arange(4, 30))]
    whole, points = Part(data, AP()), np.random.default_rng(0).normal(size=(3, 3))
    together = sum(part.values(points) for part in parts)
    np.testing.assert_array_equal(rounded_rows(together), rounded_rows(whole.values(points)))
    assert rounded(whole.value(whole.scores(points[0]))) == rounded_rows(together)[0]


def test_scores_of_the_last_two_points_and_what_was_made_are_kept() -> None:
    part = Part(planted_linear(3, 4, 2, seed=1).data, AP())
    first, second, third = (np.array([1.0, x]) for x in (0.0, 1.0, 2.0))
    kept = part.scores(first)
    part.scores(second)
    assert part.scores(first) is kept
    part.scores(second), part.scores(third)
    assert part.scores(first) is not kept
    assert part.kept(id) == part.kept(id)
    np.testing.assert_array_equal(part.slopes(np.array([0.0, 2.0])), 2 * part.data.column(1))


def test_a_metric_that_gives_no_number_is_named() -> None:
    data = planted_linear(3, 4, 2, seed=1).data
    fickle = from_function(lambda grades: float("nan") if grades[0] else 0.5, name="fickle")
    part = Part(data, fickle)
    with pytest.raises(InvalidDataError, match="fickle is NaN for some ranking of query"):
        part.values(np.random.default_rng(0).normal(size=(20, 2)))
