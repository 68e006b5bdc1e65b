"""What an engine is: it keeps parts of the data, and calls functions where they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import reduce
from types import TracebackType
from typing import Any, Self

import numpy as np

Held = Any
"""Objects that an engine keeps, one for each part of the data, in a form that only the engine understands."""


@dataclass
class Traffic:
    """What has gone between the driver and the parts of the data.

    Attributes
    ----------
    rounds : int
        Calls of :meth:`Engine.map`.
    sent, received : int
        Bytes of the numbers and texts in arguments and results, over all places; what wraps them is not counted.

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
    """A function to be called with each of some objects that are held in one place.

    Attributes
    ----------
    function : callable
    shared : tuple
        Arguments after the object.
    combine : callable, optional
        Makes one of two results.
    """

    function: Callable[..., Any]
    shared: tuple[Any, ...]
    combine: Callable[[Any, Any], Any] | None = None

    def on(self, items: Sequence[Any], each: Sequence[Any] | None) -> list[Any]:
        """Return the results, or the one that they are combined to.

        Parameters
        ----------
        items : sequence
        each : sequence, optional
            The last argument with each item.
        """
        return self.combined([self.one(item, each, number) for number, item in enumerate(items)])

    def one(self, item: Any, each: Sequence[Any] | None, number: int) -> Any:
        """Return the result of one item.

        Parameters
        ----------
        item : object
        each : sequence, optional
        number : int
            Which of `each` is its own.
        """
        return self.function(item, *self.shared, *(() if each is None else (each[number],)))

    def combined(self, results: list[Any]) -> list[Any]:
        """Return the results, or the one that they are combined to.

        Parameters
        ----------
        results : list
        """
        return results if self.combine is None else [reduce(self.combine, results)]


class Engine(ABC):
    """Keeps objects, one for each part of the data, and calls functions with them where they are.

    Functions stand at the top level of a module, take what the engine holds of a part first, and return little. What is
    held can be lost with a machine: it is then made anew by the functions that made it. (A function with an attribute
    ``reads_few`` looks at few features, so that reading all of them ahead is not worth while.)

    Attributes
    ----------
    traffic : Traffic
        So far.
    kept : dict
        Data sets that are held, by what they were read from.
    """

    def __init__(self) -> None:
        self.traffic = Traffic()
        self.kept: dict[Any, Any] = {}

    @abstractmethod
    def read(self, function: Callable[[Any], Any], sources: Sequence[Any], sizes: Sequence[int]) -> Held:
        """Make an object of the source of each part of the data, and keep it where it is made.

        Parameters
        ----------
        function : callable
        sources : sequence
            One for each part.
        sizes : sequence of int
            How large the parts are, so that they can be spread evenly.
        """

    @abstractmethod
    def hold(self, function: Callable[..., Any], held: Held, *shared: Any, each: Sequence[Any] | None = None) -> Held:
        """Make another object of what is held of each part, and keep it there, too.

        Parameters
        ----------
        function : callable
            Of what is held of a part, `shared`, and the part's own of `each`.
        held : Held
        shared
            The same for all parts.
        each : sequence, optional
            One for each part.
        """

    def map(
        self,
        function: Callable[..., Any],
        held: Held,
        *shared: Any,
        each: Sequence[Any] | None = None,
        combine: Callable[[Any, Any], Any] | None = None,
    ) -> list[Any]:
        """Call a function with what is held of each part; return the results, in the order of the parts.

        Parameters
        ----------
        function : callable
            Of what is held of a part, `shared`, and the part's own of `each`.
        held : Held
        shared
            The same for all parts.
        each : sequence, optional
            One for each part.
        combine : callable, optional
            Makes one of two results, in any order: fewer are then returned, one from each place where parts are.
        """
        received = self._map(Call(function, shared, combine), held, each)
        self.traffic.rounds += 1
        self.traffic.received += sum(map(_size, received))
        self.traffic.sent += self.n_places(held) * _size(shared) + sum(map(_size, each or ()))
        return received

    def n_places(self, held: Held) -> int:
        """Return in how many places parts are: arguments that all parts share go once to each.

        Parameters
        ----------
        held : Held
        """
        return 1

    @abstractmethod
    def _map(self, call: Call, held: Held, each: Sequence[Any] | None) -> list[Any]:
        """Make a call for each part."""

    @property
    def maps_features(self) -> bool:
        """Whether features of parts stay on disk."""
        return False

    def require_room(self, held: int, largest: int) -> None:  # noqa: B027 - most engines have memory elsewhere
        """Raise where data does not fit.

        Parameters
        ----------
        held : int
            Bytes to be held of all parts.
        largest : int
            Bytes of the largest part's features.
        """

    def close(self) -> None:
        """Give up what is held and what was started."""
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
