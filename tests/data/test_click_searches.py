"""Searches: equal ones are counted, repeated rows are one, and impossible pages are refused."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.click_log import ClickLog
from rankmax.errors import InvalidDataError

PAGES = st.lists(
    st.tuples(st.sampled_from("pq"), st.permutations("abc"), st.lists(st.booleans(), min_size=3, max_size=3)),
    min_size=1,
    max_size=12,
)


def rows_of(pages: list, keep: int = 3) -> list[tuple[str, str, str, int, bool, float]]:
    return [
        (f"s{s}", query, d, k + 1, clicks[k], 1.0)
        for s, (query, order, clicks) in enumerate(pages)
        for k, d in enumerate(order[:keep])
    ]


@given(PAGES, st.randoms(use_true_random=False))
def test_a_log_of_searches_has_the_counts_of_its_rows_in_any_order(pages: list, random) -> None:
    rows = rows_of(pages)
    random.shuffle(rows)
    if not any(row[4] for row in rows):
        with pytest.raises(InvalidDataError, match="no clicks"):
            ClickLog.from_searches(rows)
        return
    log, plain = ClickLog.from_searches(rows), ClickLog.from_rows([row[1:] for row in rows])
    assert (log.query_ids, log.document_ids.to_list()) == (plain.query_ids, plain.document_ids.to_list())
    for name in ("pairs", "positions", "shown", "clicks"):
        assert np.array_equal(getattr(log, name), getattr(plain, name))
    assert log.sessions.tolist() == plain.sessions.tolist()
    names = [(log.query_ids[q], d) for q, d in zip(log.query_of_document, log.document_ids, strict=True)]
    found = Counter()
    for start, stop, count in zip(
        log.searches.offsets[:-1], log.searches.offsets[1:], log.searches.counts, strict=True
    ):
        shown = [names[pair] for pair in log.searches.pairs[start:stop]]
        key = (shown[0][0], tuple(d for _, d in shown), tuple(log.searches.clicked[start:stop].tolist()))
        assert key not in found
        found[key] = int(count)
    assert found == Counter((query, tuple(order), tuple(clicks)) for query, order, clicks in pages)


def test_a_row_that_is_repeated_in_a_search_counts_once_clicked_if_any_is() -> None:
    rows = [("s1", "q", "a", 1, False, 1.0), ("s1", "q", "a", 1, True, 1.0), ("s1", "p", "a", 1, False, 1.0)]
    log = ClickLog.from_searches([*rows, ("s2", "q", "b", 4, False, 0.0)])
    assert (log.shown.tolist(), log.clicks.tolist()) == ([1, 1], [1, 0])
    assert len(log.searches) == 2  # a name in two queries is two searches; what happened 0 times is none
    assert log.n_positions == 1


def test_impossible_searches_are_named() -> None:
    with pytest.raises(InvalidDataError, match="search 's2' for query 'q' shows two documents at position 3"):
        ClickLog.from_searches([("s1", "q", "a", 3, True, 1.0), *(("s2", "q", d, 3, True, 1.0) for d in "ab")])
    with pytest.raises(InvalidDataError, match="search 's1' for query 'q' has several counts"):
        ClickLog.from_searches([("s1", "q", "a", 1, True, 1.0), ("s1", "q", "b", 2, True, 2.0)])
    with pytest.raises(InvalidDataError, match="no clicks"):
        ClickLog.from_searches([])
