"""Click logs: counts by query, document and position."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.click_log import ClickLog
from rankmax.errors import InvalidDataError


def test_rows_add_up_and_sessions_are_those_of_the_position_shown_most() -> None:
    rows = [
        ("q1", "d1", 1, True, 1.0),
        ("q1", "d1", 1, True, 1.0),
        ("q1", "d1", 2, False, 3.0),
        ("q2", "d1", 5, True, 4.0),
    ]
    log = ClickLog.from_rows([*rows, ("q1", "d2", 1, False, 3.0)])
    assert log.query_ids == ("q1", "q2")
    assert log.sessions.tolist() == [5, 4]
    assert log.n_positions == 5
    assert np.bincount(log.pairs, log.clicks).tolist() == [2, 0, 4]
    assert "9" in str(log)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("q1", "d1", 0, True, 1.0), "position 0 of document 'd1' in query 'q1': positions count from 1"),
        (("q1", "d1", 1, True, -1.0), "count -1 of document 'd1'"),
        (("q1", "d1", 1, False, 1.0), "no clicks"),
    ],
)
def test_mistakes_are_named(row: tuple, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        ClickLog.from_rows([row])
