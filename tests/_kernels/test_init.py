"""Kernels inline each other, so a changed source must not leave old compiled code in use."""

from __future__ import annotations

import errno
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba import njit
from numba.core.caching import Cache

import rankmax._kernels
from rankmax._kernels import drop_stale_caches, source_fingerprint


def test_caches_are_dropped_when_the_sources_change_and_only_then(tmp_path: Path) -> None:
    index = tmp_path / "evaluate.nbi"
    index.write_bytes(b"old")
    drop_stale_caches(tmp_path, "a")
    assert not index.exists()
    index.write_bytes(b"new")
    drop_stale_caches(tmp_path, "a")
    assert index.read_bytes() == b"new"
    drop_stale_caches(tmp_path, "b")
    assert not index.exists()


def test_a_cache_folder_that_is_missing_is_made(tmp_path: Path) -> None:
    drop_stale_caches(tmp_path / "cache", "a")
    assert (tmp_path / "cache" / "sources.stamp").read_text() == "a"


def test_fingerprint_depends_on_every_source(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x")
    first = source_fingerprint(tmp_path)
    (tmp_path / "b.py").write_text("y")
    second = source_fingerprint(tmp_path)
    (tmp_path / "b.py").write_text("z")
    assert len({first, second, source_fingerprint(tmp_path)}) == 3


def test_an_edited_kernel_takes_effect_in_the_kernels_that_inline_it(tmp_path: Path) -> None:
    package = tmp_path / "loops"
    package.mkdir()
    shutil.copy(rankmax._kernels.__file__, package / "__init__.py")
    for folder in ("above", "below"):
        (package / folder).mkdir()
    (package / "above" / "outer.py").write_text(
        "from numba import njit\nfrom loops.below.inner import inner\n\n"
        "@njit(cache=True)\ndef outer():\n    return inner()\n"
    )
    results = []
    for value in (1, 2, 2):
        (package / "below" / "inner.py").write_text(
            f"from numba import njit\n\n@njit(cache=True)\ndef inner():\n    return {value}\n"
        )
        program = "from loops.above.outer import outer; print(outer(), sum(outer.stats.cache_hits.values()))"
        done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
        results.append(done.stdout.split())
    assert results == [["1", "0"], ["2", "0"], ["2", "1"]]


def test_a_cache_that_cannot_be_written_keeps_no_kernel_from_running(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Cache, "_save_overload", full)

    @njit(cache=True)
    def kernel(number: int) -> int:
        return number + 1

    assert kernel(1) == 2
