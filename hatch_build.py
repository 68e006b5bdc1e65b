"""Build hook: compiles all kernels and puts them into the wheel, which is then one for this platform and Python.

It runs when the environment variable HATCH_BUILD_HOOKS_ENABLE is set. Without it the wheel is pure Python, and kernels
are compiled where they are first used.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_WRITE_MANIFEST = (
    "import sys; from pathlib import Path; from rankmax._kernels.packaged import manifest_of_this_machine; "
    "manifest_of_this_machine().write(Path(sys.argv[1]))"
)


class CompiledKernels(BuildHookInterface):
    """Puts compiled kernels into the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and add the files and the tag to the build."""
        if version == "editable":
            return
        self._work = Path(tempfile.mkdtemp(prefix="rankmax-kernels-"))
        compiled = self._work / "compiled"
        compile_kernels(Path(self.root) / "src", self._work / "cache", compiled)
        build_data["force_include"][str(compiled)] = "rankmax/_kernels/compiled"
        build_data["pure_python"] = False
        build_data["tag"] = wheel_tag()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled, which is in the wheel now."""
        if version != "editable":
            shutil.rmtree(self._work)


def compile_kernels(source: Path, cache: Path, folder: Path) -> None:
    """Compile the kernels of a source tree for the platform's level of processors, and write them to a folder."""
    sys.path.insert(0, str(source))
    from rankmax._kernels.packaged import level_of_this_platform

    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, (str(source), os.environ.get("PYTHONPATH")))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(cache),
        "NUMBA_CPU_NAME": level_of_this_platform(),
        "NUMBA_CPU_FEATURES": "",
    }
    subprocess.run([sys.executable, "-m", "rankmax", "warm-up"], env=environment, check=True)
    folder.mkdir()
    for file in cache.rglob("*.nb[ic]"):
        shutil.copy(file, folder)
    subprocess.run([sys.executable, "-c", _WRITE_MANIFEST, str(folder)], env=environment, check=True)


def wheel_tag() -> str:
    """Return the wheel's tag: this Python and this platform.

    Kernels are linked to nothing but what numba has loaded, so that numba's wheels decide which versions of the C
    library will do; 2.17 is the oldest that any of them accepts.
    """
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    if sys.platform == "darwin":  # an interpreter for two kinds of processors names both
        return f"{python}-{python}-macosx_11_0_{platform.machine()}"
    of_platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{of_platform.replace('linux_', 'manylinux_2_17_')}"
