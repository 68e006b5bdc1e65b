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

from numba.core.caching import FunctionCache


def source_fingerprint(folder: Path) -> str:
    """Return a hash of the sources in a folder and the folders in it."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def cache_folder(source: Path) -> Path:
    """Return where numba caches the kernels of a file: beside it, or elsewhere if that cannot be written."""
    namespace: dict[str, Any] = {}
    exec(compile("def kernel(): pass", source, "exec"), namespace)
    return Path(FunctionCache(namespace["kernel"]).cache_path)


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


_HERE = Path(__file__).parent
_FINGERPRINT = source_fingerprint(_HERE)
for _source in {path.parent: path for path in _HERE.rglob("*.py")}.values():  # one of each folder
    drop_stale_caches(cache_folder(_source), _FINGERPRINT)
