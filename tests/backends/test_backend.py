"""What all backends count."""

from __future__ import annotations

import numpy as np

from rankmax.backends.backend import Traffic
from rankmax.backends.local import LocalBackend


def test_traffic_counts_shared_arguments_once_for_each_place_and_all_results() -> None:
    backend = LocalBackend()
    numbers = backend.read(float, ["1", "2"], [1, 1])
    results = backend.map(np.multiply, numbers, np.ones(100))
    assert backend.traffic.rounds == 1
    assert backend.traffic.sent == 800
    assert backend.traffic.received == sum(result.nbytes for result in results) == 1600
    assert backend.traffic - backend.traffic == Traffic()


def test_each_part_gets_its_own_argument_last_and_an_backend_closes_with_its_block() -> None:
    with LocalBackend() as backend:
        held = backend.read(int, ["5", "7"], [1, 1])
        assert backend.map(pow, held, each=[2, 3]) == [25, 343]
        assert backend.map(pow, held, 2, each=[3, 4]) == [25 % 3, 49 % 4]
        assert backend.map(abs, held, combine=max) == [7]
