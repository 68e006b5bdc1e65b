"""Parts in this process."""

from __future__ import annotations

from rankmax.engines.local import LocalEngine


def test_what_is_held_is_made_of_what_was_held_before() -> None:
    engine = LocalEngine()
    numbers = engine.hold(int, each=["2", "3"])
    assert engine.map(abs, engine.hold(pow, 2, of=numbers)) == [4, 9]
    assert engine.map(abs, engine.hold(pow, of=numbers, each=[3, 4])) == [8, 81]
