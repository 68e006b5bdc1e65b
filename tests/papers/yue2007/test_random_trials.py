from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import InvalidDataError
from rankmax.papers.yue2007.random_trials import N_TRAIN, N_VALIDATION, deal_rounds


@given(st.integers(16, 70), st.integers(0, 5))
def test_every_query_has_every_role_equally_often(n_queries: int, seed: int) -> None:
    for trials in deal_rounds(n_queries, seed=seed):
        counts = np.zeros((3, n_queries), int)
        for deal in trials:
            parts = [deal.train, deal.validation, deal.test]
            np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(n_queries))
            assert [part.size for part in parts[:2]] == [N_TRAIN, N_VALIDATION]
            for row, part in zip(counts, parts, strict=True):
                row[part] += 1
        assert (counts == counts[:, :1]).all()


def test_the_paper_has_fifty_trials() -> None:
    rounds = deal_rounds(50, seed=1)
    assert sum(map(len, rounds)) == 50
    assert [deal.train.tolist() for deal in rounds[0]] != [deal.train.tolist() for deal in rounds[1]]


@pytest.mark.parametrize("n_queries", [16, 43, 47, 75])
def test_no_number_of_queries_has_fewer(n_queries: int) -> None:
    assert sum(map(len, deal_rounds(n_queries, seed=1))) >= 50


def test_too_few_queries_are_refused() -> None:
    with pytest.raises(InvalidDataError, match="15 judged queries are too few"):
        deal_rounds(15, seed=1)
