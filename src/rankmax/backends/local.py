"""Local backend: parts of the data in this process, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rankmax.backends.backend import Backend, Call, Held
from rankmax.errors import IncompatibleError


class LocalBackend(Backend):
    """Holds every part in this process; kernels divide each among threads.

    With a memory limit, features stay on disk as memory-mapped files, and only the other data of documents is held.
    While one part is processed, the features of the next are read ahead, and those of the last are released.

    Parameters
    ----------
    memory : int, optional
        Bytes that this process may use for data; unlimited by default.

    Examples
    --------
    >>> backend = LocalBackend()
    >>> numbers = backend.read(float, ["1.5", "2.5"], [1, 1])
    >>> backend.map(pow, numbers, 2)
    [2.25, 6.25]
    >>> backend.traffic.rounds
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
        """Raise where the limit is too small for the held data of all parts and the features of two."""
        if self.memory is not None and held + 2 * largest > self.memory:
            raise IncompatibleError(
                f"the data needs {held / 1e9:.3g} GB for the held data of all documents, and {2 * largest / 1e9:.3g} "
                f"GB for two of its shards at a time; {self.memory / 1e9:.3g} GB were allowed. Allow more memory, or "
                "split the data into more shards"
            )

    def read(self, function: Callable[[Any], Any], sources: Sequence[Any], sizes: Sequence[int]) -> Held:
        """Create an object from each source; see :meth:`~rankmax.backends.backend.Backend.read`."""
        return [function(source) for source in sources]

    def hold(self, function: Callable[..., Any], held: Held, *shared: Any, each: Sequence[Any] | None = None) -> Held:
        """Create another object for each part; see :meth:`~rankmax.backends.backend.Backend.hold`."""
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
