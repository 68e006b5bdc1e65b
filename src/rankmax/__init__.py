"""rankmax finds the weights that maximize the ranking metric you report.

The names below are the public interface; each is imported when it is first used, so that ``import rankmax`` is
instant. Everything about metrics is in :mod:`rankmax.metrics`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rankmax._exports import exports

_exported, __dir__, __all__ = exports(__name__, __file__)

# Old names, where they are, and what to say instead; until version 0.3.
_RENAMED = {
    "compare_systems": ("evaluation.comparison", "compare"),
    "export_model": ("engines.registry", "export"),
    "load_model": ("models.model_files", "load"),
    "parse": ("metrics.registry", "parse_metric"),
}


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        from warnings import warn

        from rankmax._deprecation import deprecation

        home, new = _RENAMED[name]
        warn(deprecation(f"rankmax.{name}", f"rankmax.{new}"), DeprecationWarning, stacklevel=2)
        return getattr(import_module(f"{__name__}.{home}"), new if name == "parse" else name)
    return _exported(name)
