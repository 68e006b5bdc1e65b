"""The web studio: a local page over the workflows. Called as ``rankmax.studio(data)``, it opens in a notebook."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _CallableModule(ModuleType):
    """The package under the name of its one public function, which may be called before and after it is imported."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        from rankmax.studio.notebook import studio

        return studio(*args, **options)


sys.modules[__name__].__class__ = _CallableModule
