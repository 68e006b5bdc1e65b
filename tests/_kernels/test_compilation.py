"""Kernels inline each other, so a changed source must not leave old compiled code in use."""

from __future__ import annotations

import errno
import logging
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from numba.core.caching import Cache, FunctionCache

import rankmax._kernels.compilation
from rankmax._kernels.compilation import KernelCache, _cache_file, njit


def test_an_edited_kernel_takes_effect_in_the_kernels_that_inline_it(tmp_path: Path) -> None:
    package = tmp_path / "rankmax" / "_kernels"
    for folder in ("above", "below"):
        (package / folder).mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    source = Path(rankmax._kernels.compilation.__file__)
    for name in ("compilation.py", "packaged.py"):
        shutil.copy(source.with_name(name), package / name)
    (package / "above" / "outer.py").write_text(
        "from rankmax._kernels.compilation import njit\nfrom rankmax._kernels.below.inner import inner\n\n"
        "@njit(cache=True)\ndef outer():\n    return inner()\n"
    )
    results = []
    for value in (1, 2, 2):
        (package / "below" / "inner.py").write_text(
            f"from rankmax._kernels.compilation import njit\n\n@njit(cache=True)\ndef inner():\n    return {value}\n"
        )
        program = "from rankmax._kernels.above.outer import outer; print(outer(), sum(outer.stats.cache_hits.values()))"
        command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {program}"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        results.append(done.stdout.split())
    assert results == [["1", "0"], ["2", "0"], ["2", "1"]]


def test_a_cache_of_other_sources_is_not_unpickled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # It may name a class that was renamed since, which cannot be loaded.
    @njit(cache=True)
    def kernel(number: int) -> int:
        return number + 3

    with monkeypatch.context() as patched:
        patched.setattr(rankmax._kernels.compilation, "_fingerprint", lambda: "older")
        older = _cache_file(str(tmp_path), kernel.py_func)
    older._dump = lambda _: b"not a pickle"  # type: ignore[method-assign]
    older._save_index({})
    assert _cache_file(str(tmp_path), kernel.py_func)._load_index() == {}


def test_a_cache_that_cannot_be_written_keeps_no_kernel_from_running(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Cache, "_save_overload", full)

    @njit(cache=True)
    def kernel(number: int) -> int:
        return number + 1

    assert kernel(1) == 2


def test_without_any_folder_to_write_to_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FunctionCache._impl_class, "_locator_classes", [])

    @njit(cache=True)
    def kernel(number: int) -> int:
        return number + 2

    assert kernel(1) == 3
    assert kernel.stats.cache_path is None


def test_other_functions_of_the_process_have_numbas_own_cache() -> None:
    settings = "[numba.config.CPU_NAME, numba.config.CPU_FEATURES, numba.config.CACHE_DIR, dict(os.environ)]"
    program = (
        "import os, numba; from numba.core.caching import FunctionCache as F; "
        f"before = {settings}, dict(vars(F)); import rankmax._kernels.compilation; "
        f"assert before == ({settings}, dict(vars(F)))"
    )
    subprocess.run([sys.executable, "-c", program], check=True)

    @numba.njit(cache=True)
    def other(number: int) -> int:
        return number + 1

    assert type(other._cache) is FunctionCache


def test_compiling_is_counted_and_announced_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("rankmax._kernels.compilation._announced", False)

    @njit(cache=True)
    def kernel(number: float) -> float:
        return number + 1

    before = KernelCache.n_compiled
    with caplog.at_level(logging.INFO, "rankmax.kernels"):
        kernel(1)
        kernel(1.0)
    assert KernelCache.n_compiled == before + 2
    assert [record.getMessage().split(",")[0] for record in caplog.records] == ["compiling kernels"]


def test_every_kernel_is_compiled_by_our_own_decorator() -> None:
    """One compiled by numba's would not be found among the kernels of the package."""
    folder = Path(rankmax._kernels.compilation.__file__).parent
    others = [path for path in sorted(folder.rglob("*.py")) if path.name != "compilation.py"]
    texts = {path.name: path.read_text(encoding="utf-8") for path in others}
    assert any("from rankmax._kernels.compilation import njit" in text for text in texts.values())
    assert [name for name, text in texts.items() if re.search(r"from numba import .*njit|numba\.njit", text)] == []
