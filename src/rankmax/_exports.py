"""Names that a package offers, each imported when it is first used.

A package lists what it offers once, in its `__init__.pyi`, where type checkers and editors look; its `__init__.py` is
a docstring and one line. So nothing heavy is imported for a table of names that lies in the same package.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

_EXPORT = re.compile(r"^from (\S+) import (\S+) as \2$", re.M)


def exports(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package, from the imports in its `__init__.pyi`.

    Parameters
    ----------
    package, file : str
        `__name__` and `__file__` of the package.

    Examples
    --------
    >>> import rankmax.losses
    >>> rankmax.losses.Squared.__module__
    'rankmax.losses.squared'
    >>> rankmax.losses.Cubed
    Traceback (most recent call last):
    AttributeError: module 'rankmax.losses' has no attribute 'Cubed'
    """
    listed = Path(file).with_suffix(".pyi").read_text(encoding="utf-8")
    homes = {name: home for home, name in _EXPORT.findall(listed)}

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        if f"{package}.{name}" not in sys.modules:  # else a subpackage of that name, which is called in its place
            setattr(sys.modules[package], name, value)
        return value

    names = sorted(homes)
    return get, lambda: names, names
