"""What all engines count."""

from __future__ import annotations

import numpy as np

from rankmax.engines.base import Traffic
from rankmax.engines.local import LocalEngine


def test_traffic_counts_shared_arguments_once_for_each_place_and_all_results() -> None:
    engine = LocalEngine()
    numbers = engine.read(float, ["1", "2"], [1, 1])
    results = engine.map(np.multiply, numbers, np.ones(100))
    assert engine.traffic.rounds == 1
    assert engine.traffic.sent == 800
    assert engine.traffic.received == sum(result.nbytes for result in results) == 1600
    assert engine.traffic - engine.traffic == Traffic()


def test_each_part_gets_its_own_argument_last_and_an_engine_closes_with_its_block() -> None:
    with LocalEngine() as engine:
        held = engine.read(int, ["5", "7"], [1, 1])
        assert engine.map(pow, held, each=[2, 3]) == [25, 343]
        assert engine.map(pow, held, 2, each=[3, 4]) == [25 % 3, 49 % 4]
        assert engine.map(abs, held, combine=max) == [7]
