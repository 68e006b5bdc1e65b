"""numba's compiler, with a cache that concerns rankmax's kernels alone.

A kernel is looked for among those that came with the package, then among those that were compiled on this machine,
which numba keeps in ``NUMBA_CACHE_DIR``, beside the source or in the user's cache folder; else it is compiled and kept
there. Nothing changes for other functions of the process that numba compiles. Two things are different from its own
cache:

- numba judges by a kernel's own file whether compiled code is current. But kernels inline each other across files, so
  that one would go on with an old copy of another: here the sources of all kernels count.
- Where the cache cannot be written (a full disk, no folder of one's own), kernels are used without being kept; numba
  would end the program.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property
from typing import Any, ClassVar

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.compiler import CompileResult

from rankmax._kernels.packaged import COMPILED, HERE, kernels_of_the_package, source_fingerprint

_LOG = logging.getLogger("rankmax.kernels")
_PACKAGE = __name__.rpartition(".")[0] + "."
_PYTHON = "py{}{}".format(*sys.version_info) + getattr(sys, "abiflags", "")


def njit(function: Callable[..., Any] | None = None, *, cache: bool = False, **options: Any) -> Any:
    """Compile a function with numba's ``njit`` when it is first called.

    Parameters
    ----------
    function : callable
    cache : bool
        Whether it is kept on disk, as :class:`KernelCache` says.
    options
        Those of numba.
    """
    if function is None:
        return lambda function: njit(function, cache=cache, **options)
    kernel: Any = numba.njit(function, **options)
    if cache and not numba.config.DISABLE_JIT:
        kernel._cache = KernelCache(function)
    return kernel


class KernelCache(FunctionCache):  # of numba's class it has the interface and `_index_key`
    """Compiled forms of one kernel, by the types of the arguments.

    Attributes
    ----------
    n_compiled : int
        How many kernels this process has compiled; one counts once for each signature.
    """

    n_compiled: ClassVar[int] = 0

    def __init__(self, function: Callable[..., Any]) -> None:
        self._py_func = function

    @property
    def cache_path(self) -> str | None:
        """The folder to which kernels compiled on this machine are written, None if there is none."""
        return None if self._own is None else self._own.cache_path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel for a signature, None if it has to be compiled."""
        target_context.refresh()
        packaged, misfit = kernels_of_the_package()
        if packaged is not None:
            data = self._packaged.load(self._index_key(sig, packaged))
            if data is not None:
                return CompileResult._rebuild(target_context, *data)
        with suppress(OSError):
            compiled = None if self._own is None else self._own.load_overload(sig, target_context)
            if compiled is not None:
                return compiled
        _announce(misfit or f"{self._py_func.__name__}{sig} is not among those in the package")
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel on disk, where that is possible."""
        KernelCache.n_compiled += 1  # numba compiles one function at a time
        with suppress(OSError):
            if self._own is not None:
                self._own.save_overload(sig, data)

    def flush(self) -> None:
        """Forget what was compiled on this machine."""
        if self._own is not None:
            self._own.flush()

    def enable(self) -> None:
        """Do nothing: the cache is always in use."""

    disable = enable

    @cached_property
    def _packaged(self) -> IndexDataCacheFile:
        return _cache_file(str(COMPILED), self._py_func)

    @cached_property
    def _own(self) -> _OwnCache | None:
        try:
            return _OwnCache(self._py_func)
        except (OSError, RuntimeError):  # the latter where numba finds no folder to write to
            return None


class _Implementation(CompileResultCacheImpl):
    """Says how numba's results become data."""

    def reduce(self, cres: Any) -> Any:
        """Return a kernel as data, without the listing of types, which names files of this machine."""
        reduced = list(super().reduce(cres))
        reduced[reduced.index(str(cres.type_annotation))] = ""
        return tuple(reduced)


class _OwnCache(FunctionCache):
    """numba's cache, current as long as no source of any kernel changes."""

    _impl_class = _Implementation

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _cache_file(self._cache_path, function)


def _cache_file(folder: str, function: Callable[..., Any]) -> IndexDataCacheFile:
    """Return the files of a kernel: an index by signature, and the data of each."""
    name = f"{function.__module__.removeprefix(_PACKAGE)}.{function.__qualname__}.{_PYTHON}"
    files = IndexDataCacheFile(folder, name.replace("<", "").replace(">", ""), _fingerprint())
    # numba unpickles an index of its own version before it looks at the sources, and fails on a class renamed since.
    files._version = f"{files._version} {_fingerprint()}"
    return files


@cache
def _fingerprint() -> str:
    return source_fingerprint(HERE)


_announced = False


def _announce(reason: str) -> None:
    """Log that kernels are compiled, once: the first that is compiled is not the last."""
    global _announced
    if not _announced:
        _announced = True
        _LOG.info("compiling kernels, which happens once (rankmax warm-up compiles all): %s", reason)
