"""The public functions and classes of numpy and scipy, each once, with all their names."""

from __future__ import annotations

import inspect
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

# The modules that numpy and scipy document as public; modules that a version lacks are skipped.
_MODULES = {
    "numpy": """
        char ctypeslib dtypes emath exceptions fft lib lib.array_utils lib.format lib.introspect lib.mixins lib.npyio
        lib.scimath lib.stride_tricks linalg ma ma.mrecords polynomial polynomial.chebyshev polynomial.hermite
        polynomial.hermite_e polynomial.laguerre polynomial.legendre polynomial.polynomial polynomial.polyutils random
        rec strings testing
    """,
    "scipy": """
        cluster.hierarchy cluster.vq constants datasets differentiate fft fftpack integrate interpolate io io.arff
        io.matlab io.wavfile linalg linalg.interpolative ndimage odr optimize optimize.elementwise signal
        signal.windows sparse sparse.csgraph sparse.linalg spatial spatial.distance spatial.transform special stats
        stats.contingency stats.distributions stats.mstats stats.qmc stats.sampling
    """,
}

_LISTED_SET = re.compile(r"(?<=argument\(s\) ``)\{[^{}]*\}")  # scipy names deprecated arguments in any order
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_SIGNATURE = re.compile(r"\A[\w.]+\([^)]*\)[^\n]*\n\s*\n")  # the first paragraph, such as prod(self, axis=None)


@dataclass(frozen=True)
class PublicObject:
    """A documented function or class.

    Attributes
    ----------
    names : tuple of str
        Full names of the object; the first is its main one.
    docstring : str
    signature : str
        Signature as the interpreter reports it, or empty.
    """

    names: tuple[str, ...]
    docstring: str
    signature: str


def public_objects() -> list[PublicObject]:
    """Return the public functions and classes of numpy and scipy, sorted by name.

    Objects that are the same, or have the same docstring but for its signature line, are one. The name that an object
    gives itself comes first, with its own module if that is public, else with the public module nearest to the top.

    Examples
    --------
    >>> next(item.names[0] for item in public_objects() if "numpy.abs" in item.names)
    'numpy.absolute'
    """
    values_by_text: dict[str, dict[str, Any]] = defaultdict(dict)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated modules warn
        # All are imported before any is read: scipy adds to the docstrings of functions that it takes from numpy.
        for module_name, module in list(_modules()):
            for name, value in _documented(module):
                values_by_text[_SIGNATURE.sub("", _docstring(value))][f"{module_name}.{name}"] = value
        found = [_public_object(values) for values in values_by_text.values()]
    return sorted(found, key=lambda item: item.names)


def _modules() -> Iterator[tuple[str, ModuleType]]:
    for package, modules in _MODULES.items():
        for name in [package, *(f"{package}.{module}" for module in modules.split())]:
            with suppress(ImportError, AttributeError):
                yield name, resolve_name(name)


def _documented(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name in sorted(getattr(module, "__all__", None) or dir(module)):
        value = getattr(module, name, None)
        # An instance of a class (a distribution, say) counts when its docstring is its own.
        if not name.startswith("_") and callable(value):
            text = value.__doc__
            if isinstance(text, str) and text.strip() and (inspect.isclass(value) or text != type(value).__doc__):
                yield name, value


def _docstring(value: Any) -> str:
    return _LISTED_SET.sub(
        lambda found: ", ".join(sorted(found[0].strip("{}").split(", "))), inspect.cleandoc(value.__doc__)
    )


def _public_object(values: dict[str, Any]) -> PublicObject:
    def rank(name: str) -> tuple[bool, bool, int, str]:
        module, _, last = name.rpartition(".")
        value = values[name]
        own = getattr(value, "__name__", None)
        return (module, last) != (getattr(value, "__module__", None), own), last != own, name.count("."), name

    names = tuple(sorted(values, key=rank))
    return PublicObject(names, _docstring(values[names[0]]), _signature(values[names[0]]))


def _signature(value: Any) -> str:
    try:
        return _ADDRESS.sub("", str(inspect.signature(value)))
    except (TypeError, ValueError):
        return ""
