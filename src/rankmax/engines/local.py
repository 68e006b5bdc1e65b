"""Parts of the data in this process, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rankmax.engines.base import Engine, Held


class LocalEngine(Engine):
    """Holds every part in this process; kernels share each among the threads.

    Features of mapped shards stay on disk and come and go with the system's cache, so they may exceed memory.

    Examples
    --------
    >>> engine = LocalEngine()
    >>> numbers = engine.hold(float, each=["1.5", "2.5"])
    >>> engine.map(pow, numbers, 2)
    [2.25, 6.25]
    >>> engine.traffic.rounds
    1
    """

    def hold(
        self, function: Callable[..., Any], *shared: Any, each: Sequence[Any] | None = None, of: Held | None = None
    ) -> Held:
        """Make an object for each part; see :meth:`~rankmax.engines.base.Engine.hold`."""
        n_parts = len(each if of is None else of)  # type: ignore[arg-type]
        first = [()] * n_parts if of is None else [(item,) for item in of]
        last = [()] * n_parts if each is None else [(item,) for item in each]
        return [function(*a, *shared, *b) for a, b in zip(first, last, strict=True)]

    def _map(self, function: Callable[..., Any], held: Held, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        return [function(item, *own) for item, own in zip(held, arguments, strict=True)]
