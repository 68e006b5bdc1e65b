"""Parts in this process."""

from __future__ import annotations

from rankmax.engines.local import LocalEngine


def test_what_is_held_is_made_of_what_was_held_before() -> None:
    engine = LocalEngine()
    numbers = engine.read(int, ["2", "3"], [1, 1])
    assert engine.map(abs, engine.hold(pow, numbers, 2)) == [4, 9]
    assert engine.map(abs, engine.hold(pow, numbers, each=[3, 4])) == [8, 81]
