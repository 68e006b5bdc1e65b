"""Kernels that were compiled when the package was built, and whether this machine can use them.

They lie in the folder ``compiled`` as files of numba's cache, beside a manifest that says what they were compiled with:
a version of numba and of Python, the sources of all kernels, and a level of processors such as x86-64-v3, whose code
runs on every processor with these features. ``hatch_build.py`` makes them.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Collection
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
COMPILED = HERE / "compiled"

# What the x86-64 ABI lists for its third level (processors since 2013), by LLVM's names; every arm64 has what LLVM
# calls generic.
_LEVELS: dict[str, tuple[str, ...]] = {
    "x86-64-v3": (
        *("avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf"),
        *("sse3", "sse4.1", "sse4.2", "ssse3", "xsave"),
    ),
    "generic": (),
}


@dataclass(frozen=True)
class Manifest:
    """What kernels were compiled with, and for.

    Attributes
    ----------
    numba, python : str
        Versions.
    sources : str
        Fingerprint of the kernels' sources.
    triple : str
        LLVM's name of the platform.
    cpu : str
        Level of processors.
    """

    numba: str
    python: str
    sources: str
    triple: str
    cpu: str

    def magic_tuple(self) -> tuple[str, str, str]:
        """Return how numba's cache calls the target; the name is numba's own for this method."""
        return self.triple, self.cpu, ""

    def misfit(self, here: Manifest, features: Collection[str]) -> str | None:
        """Return why kernels of this manifest cannot be used here, None if they can.

        Parameters
        ----------
        here : Manifest
            What would be compiled with on this machine.
        features : collection of str
            Features of the processor.

        Examples
        --------
        >>> package = Manifest("0.61.0", "3.11", "f00", "x86_64-unknown-linux-gnu", "x86-64-v3")
        >>> package.misfit(Manifest("0.62.0", "3.11", "f00", "x86_64-unknown-linux-gnu", "x86-64-v3"), ())
        'those in the package are for numba 0.61.0, and 0.62.0 is installed'
        """
        if self.numba != here.numba:
            return f"those in the package are for numba {self.numba}, and {here.numba} is installed"
        if self.python != here.python:
            return f"those in the package are for Python {self.python}, and this is {here.python}"
        if self.triple != here.triple:
            return f"those in the package are for {self.triple}, and this is {here.triple}"
        if self.sources != here.sources:
            return "those in the package are of other sources"
        if self.cpu != here.cpu:
            return f"those in the package are for {self.cpu} processors, and numba is set to compile for {here.cpu}"
        if missing := [feature for feature in _LEVELS[self.cpu] if feature not in features]:
            return f"those in the package are for {self.cpu} processors, and this one lacks {', '.join(missing)}"
        return None

    def write(self, folder: Path) -> None:
        """Write the manifest into the folder of the kernels."""
        from rankmax._io.files import write_bytes

        write_bytes(_manifest_file(folder), (json.dumps(asdict(self), indent=1) + "\n").encode())


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of a folder of kernels, None if there is none."""
    try:
        return Manifest(**json.loads(_manifest_file(folder).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def manifest_of_this_machine() -> Manifest:
    """Return what kernels would be packaged with here: the level of this platform, unless numba is set to another."""
    import numba
    from numba.core.codegen import ll

    # Features that were set beside the name are part of what the user asked for.
    asked = " ".join(filter(None, (numba.config.CPU_NAME, numba.config.CPU_FEATURES)))
    return Manifest(
        numba.__version__,
        "{}.{}".format(*sys.version_info) + getattr(sys, "abiflags", ""),
        source_fingerprint(HERE),
        ll.get_process_triple(),
        asked or level_of_this_platform(),
    )


def level_of_this_platform() -> str:
    """Return the level of processors that kernels are packaged for on this platform."""
    return "x86-64-v3" if platform.machine().lower() in {"x86_64", "amd64"} else "generic"


def source_fingerprint(folder: Path) -> str:
    """Return a hash of the sources in a folder and the folders in it."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def kernels_of_the_package() -> tuple[Manifest | None, str]:
    """Return the manifest of the package's kernels if they can be used here, else None and the reason."""
    from numba.core.codegen import ll

    packaged = read_manifest(COMPILED)
    if packaged is None:
        return None, "the package has none"
    features = {name for name, present in ll.get_host_cpu_features().items() if present}
    misfit = packaged.misfit(manifest_of_this_machine(), features)
    return (packaged, "") if misfit is None else (None, misfit)


def _manifest_file(folder: Path) -> Path:
    return folder / "manifest.json"
