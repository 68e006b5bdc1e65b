"""What an engine is: it keeps parts of the data, and calls functions where they are."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

Held = Sequence[Any]
"""Objects that an engine keeps, one for each part of the data, as handles that only the engine understands."""


@dataclass
class Traffic:
    """What has gone between the driver and the parts of the data.

    Attributes
    ----------
    rounds : int
        Calls of :meth:`Engine.map`.
    sent, received : int
        Bytes of arguments and of results, over all parts.

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
    def hold(
        self, function: Callable[..., Any], *shared: Any, each: Sequence[Any] | None = None, of: Held | None = None
    ) -> Held:
        """Make an object for each part of the data, and keep it there; return at once.

        Parameters
        ----------
        function : callable
            Of what is held of a part (where `of` is given), `shared`, and the part's own of `each`.
        shared
            The same for all parts.
        each : sequence, optional
            One for each part.
        of : Held, optional
            What to make it of.
        """

    def map(
        self, function: Callable[..., Any], held: Held, *shared: Any, each: Sequence[Any] | None = None
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
        """
        own = [()] * len(held) if each is None else [(item,) for item in each]
        results = self._map(function, held, [(*shared, *item) for item in own])
        self.traffic.rounds += 1
        self.traffic.sent += len(held) * _size(shared) + sum(map(_size, own))
        self.traffic.received += sum(map(_size, results))
        return results

    @abstractmethod
    def _map(self, function: Callable[..., Any], held: Held, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call the function for each part with its arguments."""

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

    def place(self, sizes: Sequence[int]) -> None:  # noqa: B027 - most engines have nothing to decide
        """Be told how large the parts are that will be held, so that they can be spread evenly.

        Parameters
        ----------
        sizes : sequence of int
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
    return len(pickle.dumps(message, protocol=5))
