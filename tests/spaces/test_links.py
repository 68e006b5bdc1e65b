from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import InvalidDataError
from rankmax.spaces import Link

linear_scores = st.lists(st.integers(-2000, 2000).map(lambda n: n / 8), min_size=1, max_size=8).map(np.array)


@pytest.mark.parametrize("link", Link)
class TestEveryLink:
    @given(linear=linear_scores)
    def test_order_is_never_reversed(self, link, linear):
        scores = link.scores(linear)
        higher = linear[:, None] > linear[None, :]
        assert (scores[:, None] >= scores[None, :])[higher].all()

    @given(linear=linear_scores.map(lambda scores: scores / 25))
    def test_order_is_kept_where_scores_are_not_saturated(self, link, linear):
        np.testing.assert_array_equal(
            np.argsort(-link.scores(linear), kind="stable"), np.argsort(-linear, kind="stable")
        )

    @given(linear=linear_scores.map(lambda scores: scores / 25))
    def test_the_link_undoes_its_inverse(self, link, linear):
        np.testing.assert_allclose(link.linear(link.scores(linear)), linear, rtol=1e-9, atol=1e-9)

    def test_nan_is_refused(self, link):
        with pytest.raises(InvalidDataError, match="score nan has no"):
            link.linear([0.5, np.nan])


def test_definitions():
    np.testing.assert_allclose(Link.LOG.linear([1.0, np.e]), [0, 1], atol=1e-15)
    np.testing.assert_allclose(Link.LOGIT.linear([0.5, 0.8]), [0, np.log(4)], atol=1e-15)


def test_the_ends_are_infinite():
    np.testing.assert_array_equal(Link.LOG.linear([0.0]), [-np.inf])
    np.testing.assert_array_equal(Link.LOGIT.linear([0.0, 1.0]), [-np.inf, np.inf])


@pytest.mark.parametrize(("link", "score"), [(Link.LOG, -0.1), (Link.LOGIT, -0.1), (Link.LOGIT, 1.1)])
def test_scores_outside_the_domain_are_refused(link, score):
    with pytest.raises(InvalidDataError, match="scores must be from 0"):
        link.linear([0.5, score])
