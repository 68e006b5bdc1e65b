from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import rankmax
from rankmax._kernels.packaged import Manifest, level_of_this_platform, read_manifest, source_fingerprint

V3 = Manifest("0.61.0", "3.11", "f00", "x86_64-unknown-linux-gnu", "x86-64-v3")
HASWELL = {
    *("avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf", "sse3", "sse4.1"),
    *("sse4.2", "ssse3", "xsave"),
}
PROGRAM = """
import hashlib, json
import numpy as np
from rankmax._kernels.compilation import KernelCache
from rankmax._kernels.numerics.covariance import cholesky, solve_cholesky
from rankmax._kernels.numerics.matrix_products import times_weights

rng = np.random.default_rng(1)
columns = rng.standard_normal((5, 1003))
lower = cholesky(np.cov(columns))
scores = np.empty(1003)
times_weights(columns.astype(np.float32), rng.standard_normal(5), scores)
found = [lower, solve_cholesky(lower, columns[:, 0].copy()), scores]
bits = [hashlib.sha256(one.tobytes()).hexdigest() for one in found]
print(json.dumps([bits, KernelCache.n_compiled]))
"""


class TestFit:
    def test_kernels_fit_where_everything_agrees(self) -> None:
        assert V3.misfit(V3, HASWELL) is None
        assert V3.misfit(V3, HASWELL | {"avx512f"}) is None

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"numba": "0.62.0"}, "numba 0.61.0, and 0.62.0 is installed"),
            ({"python": "3.12"}, "Python 3.11, and this is 3.12"),
            ({"sources": "f01"}, "other sources"),
            ({"triple": "arm64-apple-darwin"}, "this is arm64-apple-darwin"),
            ({"cpu": "znver4"}, "set to compile for znver4"),
        ],
    )
    def test_kernels_do_not_fit_where_anything_differs(self, change: dict[str, str], reason: str) -> None:
        assert reason in (V3.misfit(replace(V3, **change), HASWELL) or "")

    @pytest.mark.parametrize("feature", sorted(HASWELL))
    def test_kernels_do_not_fit_a_processor_that_lacks_a_feature(self, feature: str) -> None:
        assert f"lacks {feature}" in (V3.misfit(V3, HASWELL - {feature}) or "")


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) is None
    V3.write(tmp_path)
    assert read_manifest(tmp_path) == V3


def test_fingerprint_depends_on_every_source(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x")
    first = source_fingerprint(tmp_path)
    (tmp_path / "b.py").write_text("y")
    second = source_fingerprint(tmp_path)
    (tmp_path / "b.py").write_text("z")
    assert len({first, second, source_fingerprint(tmp_path)}) == 3


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of the package, and kernels for the platform's level in it."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(Path(rankmax.__file__).parent, folder / "rankmax", ignore=shutil.ignore_patterns("__pycache__"))
    built = folder / "built"
    _, n_compiled = results(folder, built, NUMBA_CPU_NAME=level_of_this_platform(), NUMBA_CPU_FEATURES="")
    assert n_compiled > 0
    compiled = folder / "rankmax" / "_kernels" / "compiled"
    compiled.mkdir()
    for file in built.rglob("*.nb[ic]"):
        shutil.copyfile(file, compiled / file.name)
        os.utime(compiled / file.name, (1, 1))
    write = "import sys; from rankmax._kernels.packaged import *; manifest_of_this_machine().write(COMPILED)"
    subprocess.run([sys.executable, "-c", write], env=environment(folder, built), check=True)
    return folder


class TestKernelsOfThePackage:
    """Kernels as the build hook packages them, in a copy of the package."""

    def test_they_are_used_and_give_the_bits_of_kernels_compiled_at_home(self, site: Path, tmp_path: Path) -> None:
        if "lacks" in reason_to_compile(site):
            pytest.skip("an old processor, for which nothing is packaged")
        bits, n_compiled = results(site, tmp_path)
        assert n_compiled == 0
        assert not tmp_path.exists() or not any(tmp_path.rglob("*.nb[ic]"))
        home = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=True, text=True)
        assert json.loads(home.stdout)[0] == bits

    def test_they_are_not_used_with_another_version_of_numba(self, site: Path, tmp_path: Path) -> None:
        manifest = site / "rankmax" / "_kernels" / "compiled" / "manifest.json"
        kept = manifest.read_text()
        manifest.write_text(json.dumps(json.loads(kept) | {"numba": "0.1"}))
        try:
            assert "numba 0.1" in reason_to_compile(site)
            bits, n_compiled = results(site, tmp_path)
        finally:
            manifest.write_text(kept)
        assert n_compiled > 0
        assert results(site, tmp_path / "other")[0] == bits

    def test_they_are_not_used_with_other_sources(self, site: Path) -> None:
        source = site / "rankmax" / "_kernels" / "threads.py"
        kept = source.read_text()
        source.write_text(kept + "# edited\n")
        try:
            assert "other sources" in reason_to_compile(site)
        finally:
            source.write_text(kept)


def reason_to_compile(site: Path) -> str:
    program = "from rankmax._kernels.packaged import kernels_of_the_package as k; print(k()[1])"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(site, site), capture_output=True, check=True, text=True
    )
    return done.stdout


def results(site: Path, cache: Path, **variables: str) -> tuple[list[str], int]:
    """Return the bits of what kernels compute, and how many were compiled for that."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment(site, cache) | variables,
        capture_output=True,
        check=True,
        text=True,
    )
    bits, n_compiled = json.loads(done.stdout)
    return bits, n_compiled


def environment(site: Path, cache: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(site), "NUMBA_CACHE_DIR": str(cache)}
