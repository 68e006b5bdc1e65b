"""Parts of the data in this process, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rankmax.engines.base import Call, Engine, Held
from rankmax.errors import IncompatibleError


class LocalEngine(Engine):
    """Holds every part in this process; kernels share each among the threads.

    With a limit of memory features stay on disk, as maps of files, and only what else is known of documents is held.
    While one part is worked on the features of the next are read ahead, and those of the last are given back.

    Parameters
    ----------
    memory : int, optional
        Bytes that this process may use for data; as much as it takes when left out.

    Examples
    --------
    >>> engine = LocalEngine()
    >>> numbers = engine.read(float, ["1.5", "2.5"], [1, 1])
    >>> engine.map(pow, numbers, 2)
    [2.25, 6.25]
    >>> engine.traffic.rounds
    1
    """

    def __init__(self, *, memory: int | None = None) -> None:
        super().__init__()
        self.memory = memory

    @property
    def maps_features(self) -> bool:
        """Whether features stay on disk."""
        return self.memory is not None

    def require_room(self, held: int, largest: int) -> None:
        """Raise where the limit is too small for what is held of all parts and the features of two."""
        if self.memory is not None and held + 2 * largest > self.memory:
            raise IncompatibleError(
                f"the data needs {held / 1e9:.3g} GB for what is held of all documents, and {2 * largest / 1e9:.3g} GB "
                f"for two of its shards at a time; {self.memory / 1e9:.3g} GB were allowed. Allow more memory, or cut "
                "the data into more shards"
            )

    def read(self, function: Callable[[Any], Any], sources: Sequence[Any], sizes: Sequence[int]) -> Held:
        """Make an object of each source; see :meth:`~rankmax.engines.base.Engine.read`."""
        return [function(source) for source in sources]

    def hold(self, function: Callable[..., Any], held: Held, *shared: Any, each: Sequence[Any] | None = None) -> Held:
        """Make another object for each part; see :meth:`~rankmax.engines.base.Engine.hold`."""
        return Call(function, shared).on(held, each)

    def _map(self, call: Call, held: Held, each: Sequence[Any] | None) -> list[Any]:
        if self.memory is None:
            return call.on(held, each)
        reads_all = not getattr(call.function, "reads_few", False)
        results = []
        for part, item in enumerate(held):
            if reads_all and part + 1 < len(held):
                held[part + 1].read_ahead()
            results.append(call.one(item, each, part))
            item.give_back()
        return call.combined(results)
