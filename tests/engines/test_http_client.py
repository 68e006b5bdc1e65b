from __future__ import annotations

from email.utils import formatdate
from time import time

import pytest

from rankmax.engines.http_client import _seconds


@pytest.mark.parametrize(
    ("header", "seconds"), [(None, None), ("3", 3.0), (" 120 ", 120.0), ("soon", None), ("-1", None)]
)
def test_seconds_after_which_to_ask_again(header: str | None, seconds: float | None) -> None:
    assert _seconds(header) == seconds


def test_a_date_after_which_to_ask_again() -> None:
    assert _seconds(formatdate(0, usegmt=True)) == 0.0
    later = _seconds(formatdate(time() + 1000, usegmt=True))
    assert later is not None
    assert 0 < later <= 1000
