"""The interface of a backend, which holds parts of the data and calls functions on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import reduce
from types import TracebackType
from typing import Any, Self

import numpy as np

Held = Any
"""Objects that a backend holds, one per part of the data, in a form that only the backend understands."""


@dataclass
class Traffic:
    """Traffic between the driver and the parts of the data.

    Attributes
    ----------
    rounds : int
        Number of calls of :meth:`Backend.map`.
    sent, received : int
        Bytes of the numbers and texts in arguments and results, over all workers; without protocol overhead.

    Examples
    --------
    >>> Traffic(5, 300, 2000) - Traffic(3, 100, 500)
    Traffic(rounds=2, sent=200, received=1500)
    """

    rounds: int = 0
    sent: int = 0
    received: int = 0

    def __sub__(self, earlier: Traffic) -> Traffic:
        return Traffic(self.rounds - earlier.rounds, self.sent - earlier.sent, self.received - earlier.received)


@dataclass(frozen=True)
class Call:
    """A function call on each of the objects that one worker holds.

    Attributes
    ----------
    function : callable
    shared : tuple
        Arguments after the object.
    combine : callable, optional
        Combines two results into one.
    """

    function: Callable[..., Any]
    shared: tuple[Any, ...]
    combine: Callable[[Any, Any], Any] | None = None

    def on(self, items: Sequence[Any], each: Sequence[Any] | None) -> list[Any]:
        """Return the results for some items, or the combined result.

        Parameters
        ----------
        items : sequence
        each : sequence, optional
            Last argument for each item.
        """
        return self.combined([self.one(item, each, number) for number, item in enumerate(items)])

    def one(self, item: Any, each: Sequence[Any] | None, number: int) -> Any:
        """Return the result for one item.

        Parameters
        ----------
        item : object
        each : sequence, optional
        number : int
            Index of the item's own argument in `each`.
        """
        return self.function(item, *self.shared, *(() if each is None else (each[number],)))

    def combined(self, results: list[Any]) -> list[Any]:
        """Return the results, or the combined result.

        Parameters
        ----------
        results : list
        """
        return results if self.combine is None else [reduce(self.combine, results)]


class Backend(ABC):
    """Holds objects, one per part of the data, and calls functions on them.

    Functions are at the top level of a module, take the held object of a part as first argument, and return little. A
    held object can be lost with a machine: it is then created again by the functions that created it. (A function with
    an attribute ``reads_few`` looks at few features, so that reading all of them ahead does not pay.)

    Attributes
    ----------
    traffic : Traffic
        Traffic so far.
    kept : dict
        Data sets that are held, by their source.
    """

    def __init__(self) -> None:
        self.traffic = Traffic()
        self.kept: dict[Any, Any] = {}

    @abstractmethod
    def read(self, function: Callable[[Any], Any], sources: Sequence[Any], sizes: Sequence[int]) -> Held:
        """Create an object from the source of each part of the data, and hold it on the worker that created it.

        Parameters
        ----------
        function : callable
        sources : sequence
            One source per part.
        sizes : sequence of int
            Sizes of the parts, so that they can be distributed evenly.
        """

    @abstractmethod
    def hold(self, function: Callable[..., Any], held: Held, *shared: Any, each: Sequence[Any] | None = None) -> Held:
        """Create another object from the held object of each part, and hold it on the same worker.

        Parameters
        ----------
        function : callable
            Takes the held object of a part, `shared`, and the part's own element of `each`.
        held : Held
        shared
            Arguments that are the same for all parts.
        each : sequence, optional
            One argument per part.
        """

    def map(
        self,
        function: Callable[..., Any],
        held: Held,
        *shared: Any,
        each: Sequence[Any] | None = None,
        combine: Callable[[Any, Any], Any] | None = None,
    ) -> list[Any]:
        """Call a function on the held object of each part, and return the results in the order of the parts.

        Parameters
        ----------
        function : callable
            Takes the held object of a part, `shared`, and the part's own element of `each`.
        held : Held
        shared
            Arguments that are the same for all parts.
        each : sequence, optional
            One argument per part.
        combine : callable, optional
            Combines two results into one, in any order: one result per worker is then returned.
        """
        received = self._map(Call(function, shared, combine), held, each)
        self.traffic.rounds += 1
        self.traffic.received += sum(map(_size, received))
        self.traffic.sent += self.n_places(held) * _size(shared) + sum(map(_size, each or ()))
        return received

    def n_places(self, held: Held) -> int:
        """Return the number of workers that hold parts; shared arguments are sent once to each.

        Parameters
        ----------
        held : Held
        """
        return 1

    @abstractmethod
    def _map(self, call: Call, held: Held, each: Sequence[Any] | None) -> list[Any]:
        """Do a call on each part."""

    @property
    def maps_features(self) -> bool:
        """Whether features of parts stay on disk."""
        return False

    def require_room(self, held: int, largest: int) -> None:  # noqa: B027 - most backends use other machines' memory
        """Raise where data does not fit.

        Parameters
        ----------
        held : int
            Bytes to be held for all parts.
        largest : int
            Bytes of the largest part's features.
        """

    def close(self) -> None:
        """Release the held objects, and end the processes that were started."""
        self.kept.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _size(message: Any) -> int:
    if isinstance(message, np.ndarray | np.generic):
        return message.nbytes
    if isinstance(message, list | tuple):
        return sum(map(_size, message))
    if isinstance(message, dict):
        return _size(list(message.items()))
    if is_dataclass(message):
        return sum(_size(getattr(message, field.name)) for field in fields(message))
    if isinstance(message, str | bytes):
        return len(message)
    return 8 if isinstance(message, int | float) else 0
