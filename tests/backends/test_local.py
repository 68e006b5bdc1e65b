"""Parts in this process."""

from __future__ import annotations

from rankmax.backends.local import LocalBackend


def test_what_is_held_is_made_of_what_was_held_before() -> None:
    backend = LocalBackend()
    numbers = backend.read(int, ["2", "3"], [1, 1])
    assert backend.map(abs, backend.hold(pow, numbers, 2)) == [4, 9]
    assert backend.map(abs, backend.hold(pow, numbers, each=[3, 4])) == [8, 81]
