"""The API reference: the names of `rankmax` itself, then one page for every public module."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import rankmax

INTERNAL = {"rankmax.cli", "rankmax.kernels"}  # the commands have their own page; kernels may change at any time


def public_modules() -> list[ModuleType]:
    """Return every module of the package, `rankmax` itself aside, that users may import from."""
    names = [info.name for info in pkgutil.walk_packages(rankmax.__path__, "rankmax.")]
    return [importlib.import_module(name) for name in names if is_public(name)]


def is_public(name: str) -> bool:
    """Return whether no part of a module's name is private or internal."""
    private = any(part.startswith("_") for part in name.split("."))
    return not private and not any(name == inner or name.startswith(f"{inner}.") for inner in INTERNAL)


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page."""
    modules = [module.__name__ for module in public_modules()]
    yield "api.md", _OVERVIEW.format(names="\n".join(map(_row, rankmax.__all__)), modules="\n".join(modules))
    for name in modules:
        yield f"{name}.md", _MODULE.format(name=name)


def _row(name: str) -> str:
    thing = getattr(rankmax, name)
    if not callable(thing):
        return f"* - `rankmax.{name}`\n  - {type(thing).__name__}"
    summary = (inspect.getdoc(thing) or "").partition("\n")[0]
    return f"* - {{py:obj}}`rankmax.{name} <{thing.__module__}.{thing.__qualname__}>`\n  - {summary}"


_OVERVIEW = """\
# API reference

The names most programs need can be imported from `rankmax` itself; each is loaded when it is first used.

:::{{list-table}}
{names}
:::

Every public module:

:::{{toctree}}
:maxdepth: 1

{modules}
:::
"""

_MODULE = """\
# {name}

```{{eval-rst}}
.. automodule:: {name}
```
"""
