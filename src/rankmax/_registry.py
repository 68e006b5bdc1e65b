"""Registries: tables of names whose objects are imported on first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar

from rankmax.errors import InvalidParameterError, UnknownNameError

_T = TypeVar("_T")


class Registry(Generic[_T]):
    """Things of one kind by name. Names and descriptions are there at once; a thing is imported when it is loaded.

    Parameters
    ----------
    kind : str
        Kind of the objects, for messages, such as "metric".
    package : str
        The package that the modules are in.
    entries : mapping of str to (str, str)
        By name: ``"module:attribute"`` and a description of one line. Names keep this order.

    Examples
    --------
    >>> errors = Registry[type]("kind of error", "rankmax", {"unknown": ("errors:UnknownNameError", "No such name.")})
    >>> errors.names(), errors.describe("unknown")
    (['unknown'], 'No such name.')
    >>> errors.load("unknown")
    <class 'rankmax.errors.UnknownNameError'>
    >>> errors.load("unknow")
    Traceback (most recent call last):
    rankmax.errors.UnknownNameError: unknown kind of error 'unknow'; did you mean 'unknown'? Known: unknown
    """

    def __init__(self, kind: str, package: str, entries: Mapping[str, tuple[str, str]]) -> None:
        self.kind = kind
        self._entries = {name: (f"{package}.{where}", described) for name, (where, described) in entries.items()}
        self._loaded: dict[str, _T] = {}

    def names(self) -> list[str]:
        """Return the names, in the order of the table."""
        return list(self._entries)

    def describe(self, name: str) -> str:
        """Return the description of a name.

        Parameters
        ----------
        name : str
        """
        return self._entry(name)[1]

    def location(self, name: str) -> str:
        """Return ``"module:attribute"`` of a name.

        Parameters
        ----------
        name : str
        """
        return self._entry(name)[0]

    def load(self, name: str) -> _T:
        """Return the object of a name, importing it if needed.

        Parameters
        ----------
        name : str
        """
        location = self.location(name)
        if name not in self._loaded:
            module, _, attribute = location.partition(":")
            self._loaded[name] = getattr(import_module(module), attribute)
        return self._loaded[name]

    def load_all(self) -> dict[str, _T]:
        """Return everything by name, in the order of the table."""
        return {name: self.load(name) for name in self._entries}

    def add(self, name: str, thing: _T, description: str = "") -> None:
        """Add something of a user's own. What is known already may be added again, and replaces itself.

        Parameters
        ----------
        name : str
        thing : class or object
        description : str
        """
        location = location_of(thing)
        if name in self._entries and self._entries[name][0] != location:
            known = self._entries[name][0].rpartition(":")[2]
            own = location.rpartition(":")[2]
            raise InvalidParameterError(f"{own} cannot be called {name!r}: that is {known} already")
        self._entries[name] = location, description
        self._loaded[name] = thing

    def remove(self, name: str) -> None:
        """Remove a name.

        Parameters
        ----------
        name : str
        """
        self._entry(name)
        del self._entries[name]
        self._loaded.pop(name, None)

    def help_lines(self) -> str:
        """Return a line for each name with its description, in two columns."""
        width = max(map(len, self._entries), default=0)
        return "\n".join(f"{name:{width}}  {description}" for name, (_, description) in self._entries.items())

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def _entry(self, name: str) -> tuple[str, str]:
        if name not in self._entries:
            raise UnknownNameError(self.kind, str(name), self._entries)
        return self._entries[name]


def location_of(thing: object) -> str:
    """Return ``"module:attribute"`` of a class or function, or of an object's class.

    Parameters
    ----------
    thing : object

    Examples
    --------
    >>> location_of(Registry)
    'rankmax._registry:Registry'
    """
    named: Any = thing if hasattr(thing, "__qualname__") else type(thing)
    return f"{named.__module__}:{named.__qualname__}"
