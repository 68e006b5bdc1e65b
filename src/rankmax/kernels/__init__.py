"""Compiled loops: arrays in, arrays out, nothing of rankmax known.

numba keeps compiled kernels on disk and judges by a kernel's own file whether they are current. But kernels inline
each other across files, so that one would go on with an old copy of another: the caches of all are dropped when the
source of any has changed (an upgrade, or an edit). Where the cache cannot be written (a full disk), kernels are used
without being kept; numba alone would end the program.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache


def source_fingerprint(folder: Path) -> str:
    """Return a hash of the sources in a folder."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def drop_stale_caches(cache: Path, fingerprint: str) -> None:
    """Remove numba's files from a cache folder that was filled from other sources."""
    stamp = cache / "sources.stamp"
    with suppress(OSError):  # a cache that cannot be written to was not filled by us
        if not stamp.exists() or stamp.read_text() != fingerprint:
            for kept in cache.glob("*.nb[ic]"):
                kept.unlink(missing_ok=True)
            cache.mkdir(parents=True, exist_ok=True)
            stamp.write_text(fingerprint)


def keep_if_possible(cache: Any, signature: Any, compiled: Any) -> None:
    """Keep a compiled kernel on disk, in the place of numba's own method."""
    with suppress(OSError):
        super(FunctionCache, cache).save_overload(signature, compiled)


FunctionCache.save_overload = keep_if_possible


@njit(cache=True)
def _any_kernel() -> None:
    """Exist, so that numba can be asked where it caches the kernels of this folder."""


drop_stale_caches(Path(_any_kernel.stats.cache_path), source_fingerprint(Path(__file__).parent))
