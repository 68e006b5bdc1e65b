"""The API reference: the names of `rankmax` itself and of its packages, then one page for every module."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import rankmax

INTERNAL = {"rankmax.cli", "rankmax._kernels"}  # the commands have their own page; kernels may change at any time


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
    modules = public_modules()
    packages = [module for module in modules if getattr(module, "__all__", None)]
    inner = [module for module in modules if module not in packages]
    yield (
        "api.md",
        _OVERVIEW.format(names=_names_offered_by(rankmax), packages=_listing(packages), modules=_listing(inner)),
    )
    for module in modules:
        is_package = hasattr(module, "__path__")
        yield (
            f"{module.__name__}.md",
            _MODULE.format(name=module.__name__, names=_names_offered_by(module) if is_package else ""),
        )


def _listing(modules: list[ModuleType]) -> str:
    return "\n".join(f"| [{m.__name__}]({m.__name__}.md) | {_summary(m)} |" for m in modules)


def _names_offered_by(package: ModuleType) -> str:
    """Return a table of the names that a package offers, each leading to where it is described."""
    rows = [_row(package, name) for name in getattr(package, "__all__", [])]
    return "\n".join([":::{list-table}", *rows, ":::"]) if rows else ""


def _row(package: ModuleType, name: str) -> str:
    thing, shown = getattr(package, name), f"{package.__name__}.{name}"
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return f"* - `{shown}`\n  - {type(thing).__name__}"
    return f"* - {{py:obj}}`{shown} <{thing.__module__}.{thing.__qualname__}>`\n  - {_summary(thing)}"


def _summary(thing: object) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]


_OVERVIEW = """\
# API reference

The names most programs need can be imported from `rankmax` itself; each is loaded when it is first used.

{names}

More names can be imported from these packages:

| package | contents |
| --- | --- |
{packages}

## Modules

For contributors, every module is described, too. Names that neither `rankmax` nor a package above exports are private:
they may move or change in any version.

| module | contents |
| --- | --- |
{modules}
"""

# Not in the contents: with hundreds of modules there, the theme took longer for the sidebars than for all else.
_MODULE = """\
---
orphan: true
---

# {name}

```{{eval-rst}}
.. automodule:: {name}
```

{names}
"""
