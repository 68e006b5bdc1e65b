"""Why and when work is asked to stop."""

from __future__ import annotations

import math

from rankmax.optimizers.cancellation import Cancellation


def test_without_a_limit_there_is_no_reason() -> None:
    assert (Cancellation().seconds_left, Cancellation().reason) == (None, None)
    left = Cancellation(1e9).seconds_left
    assert left is not None
    assert math.isclose(left, 1e9, rel_tol=1e-3)


def test_a_limit_passes_and_a_request_comes_first() -> None:
    cancellation = Cancellation(-1.0)
    assert cancellation.reason == "seconds"
    cancellation.cancel()
    assert cancellation.reason == "interrupted"
