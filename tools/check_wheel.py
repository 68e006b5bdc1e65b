"""Check the distributions as users get them.

Builds sdist, pure wheel and the wheel with compiled kernels for this platform and Python, or takes those in the folder
given on the command line, looks into all, installs the last in an environment that does not know the repository, and
runs every verb of the command line there once, with the commands of smoke/commands.txt: none may compile a kernel, and
kernels give the bits of those that were compiled on this machine.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from collections.abc import Sequence
from email.parser import Parser
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
ROOT = TOOLS.parent
DIST = ROOT / "dist"
ENVIRONMENT = ROOT / "build" / "wheel-environment"
SMOKE = TOOLS / "smoke"

SDIST_TOP = {
    *("src", "tests", "docs", "benchmarks", "examples", "tools"),
    *("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md"),
    *("CITATION.cff", "LICENSE", "Makefile", "hatch_build.py", "pyproject.toml", "PKG-INFO", ".gitignore"),
    *("action.yml", ".pre-commit-hooks.yaml"),
}
JUNK = {"__pycache__", "_build", "generated", ".venv", ".hypothesis", ".pytest_cache", ".mypy_cache", ".ruff_cache"}


class UnfitError(Exception):
    """The distributions are not fit to be published."""


def main(arguments: Sequence[str] = ()) -> None:
    """Run every check, and stop at the first that fails."""
    sdist, pure, compiled = distributions_of(Path(arguments[0]).resolve()) if arguments else build()
    with tarfile.open(sdist) as archive:
        check_sdist(archive.getnames())
    for wheel in (pure, compiled):
        with zipfile.ZipFile(wheel) as archive:
            check_wheel(archive.namelist(), kernels=wheel is compiled)
    python = install(compiled)
    with tempfile.TemporaryDirectory() as folder:
        work = shutil.copytree(SMOKE, Path(folder) / "smoke")
        check_import(python, work)
        check_bits(python, work)
        run_every_verb(python, work)
    print(f"{sdist.name}, {pure.name} and {compiled.name} are fit to be published")


def build() -> tuple[Path, Path, Path]:
    """Build the sdist, from it the pure wheel, and with the packages of this environment the one with kernels."""
    shutil.rmtree(DIST, ignore_errors=True)
    command = [sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT)]
    run(command, cwd=ROOT)
    run([*command, "--wheel", "--no-isolation"], cwd=ROOT, HATCH_BUILD_HOOKS_ENABLE="1")
    return distributions_of(DIST)


def distributions_of(folder: Path) -> tuple[Path, Path, Path]:
    """Return the sdist, the pure wheel and the wheel for this Python and platform of a folder."""
    systems = {"linux": "manylinux", "darwin": "macosx", "win32": "win"}
    machine = platform.machine().lower()
    patterns = (
        "*.tar.gz",
        "*-py3-none-any.whl",
        f"*-cp{sys.version_info.major}{sys.version_info.minor}-{systems[sys.platform]}*_{machine}.whl",
    )
    for pattern in patterns:
        found = len([*folder.glob(pattern)])
        require(found == 1, f"{folder} has {found} files {pattern}, not 1")
    sdist, pure, compiled = (next(folder.glob(pattern)) for pattern in patterns)
    return sdist, pure, compiled


def check_sdist(names: Sequence[str]) -> None:
    """Check that the sdist holds the project and nothing a working copy gathers besides."""
    paths = [Path(*Path(name).parts[1:]) for name in names]
    require(not (odd := {p.parts[0] for p in paths if p.parts} - SDIST_TOP), f"the sdist also holds {sorted(odd)}")
    junk = [str(path) for path in paths if JUNK & {*path.parts} or path.suffix in {".pyc", ".nbi", ".nbc"}]
    require(not junk, f"the sdist holds files that can be made again: {junk[:5]}")


def check_wheel(names: Sequence[str], *, kernels: bool) -> None:
    """Check that a wheel holds the package, typed, compiled kernels if it should, and nothing else."""
    has_kernels = "rankmax/_kernels/compiled/manifest.json" in names
    require(has_kernels == kernels, f"the wheel {'has' if has_kernels else 'lacks'} compiled kernels")
    require("rankmax/py.typed" in names, "the wheel lacks rankmax/py.typed")
    require(any(name.endswith("licenses/LICENSE") for name in names), "the wheel lacks the license")
    odd = [name for name in names if not name.startswith("rankmax") or JUNK & {*Path(name).parts}]
    require(not odd, f"the wheel also holds {odd[:5]}")


def install(wheel: Path) -> Path:
    """Install the wheel without extras and return the environment's interpreter.

    The environment is made again when the requirements have changed, else only the package in it is replaced.
    """
    python = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin") / "python"
    stamp = ENVIRONMENT / "requirements"
    wanted = f"{sys.version}\n" + "\n".join(requirements(wheel))
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        venv.create(ENVIRONMENT, clear=True, with_pip=True)
        pip(python, str(wheel))
        stamp.write_text(wanted, encoding="utf-8")
    else:
        pip(python, "--force-reinstall", "--no-deps", str(wheel))
    return python


def requirements(wheel: Path) -> list[str]:
    """Return what the wheel says it requires."""
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(metadata).decode()).get_all("Requires-Dist", [])


def pip(python: Path, *arguments: str) -> None:
    """Run pip install in an environment."""
    run([str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "install", *arguments], cwd=ENVIRONMENT)


def check_import(python: Path, folder: Path) -> None:
    """Check that the installed package, and not the repository's, is the one that gets imported."""
    found = run([str(python), "-c", "import rankmax; print(rankmax.__file__)"], cwd=folder).strip()
    require(Path(found).is_relative_to(ENVIRONMENT), f"imported {found} instead of the installed package")


def check_bits(python: Path, folder: Path) -> None:
    """Check that the wheel's kernels compute what those compiled on this machine do, to the last bit."""
    program = str(TOOLS / "kernel_bits.py")
    found, here = (run([str(one), program], cwd=folder).splitlines() for one in (python, sys.executable))
    require(len(found) > 1, f"{program} printed nothing")
    differing = [line.rpartition(" ")[0] for line, other in zip(found, here, strict=True) if line != other]
    require(not differing, f"kernels of the wheel give other bits than those compiled here for {differing}")


def run_every_verb(python: Path, folder: Path) -> None:
    """Run the smoke commands in order, and check that no verb was left out."""
    verbs = {
        tuple(line.split()) for line in run([str(python), str(TOOLS / "command_tree.py")], cwd=folder).splitlines()
    }
    called = {verb for command in smoke_commands() if (verb := verb_of(command, verbs))}
    require(
        not (left := verbs - called),
        f"no smoke command for {sorted(map(' '.join, left))}: add to {SMOKE / 'commands.txt'}",
    )
    cache = folder.parent / "kernels"
    for command in smoke_commands():
        started = time.perf_counter()
        run([str(python.with_name(command[0])), *command[1:]], cwd=folder, NUMBA_CACHE_DIR=str(cache))
        print(f"  {time.perf_counter() - started:5.1f} s  {shlex.join(command)}", flush=True)
        compiled = sorted(file.stem for file in cache.rglob("*.nbi"))
        require(
            not compiled, f"{shlex.join(command)} compiled {compiled}: add to src/rankmax/workflows/warm_up/jobs.py"
        )


def smoke_commands() -> list[list[str]]:
    """Return the smoke commands, each as its words."""
    lines = (SMOKE / "commands.txt").read_text(encoding="utf-8").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def verb_of(command: Sequence[str], verbs: set[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return which of the verbs a command calls.

    >>> verb_of(["rankmax", "data", "info", "x.txt"], {("data", "info"), ("rank",)})
    ('data', 'info')
    """
    return next((verb for verb in verbs if tuple(command[1 : 1 + len(verb)]) == verb), None)


def run(command: Sequence[str], *, cwd: Path, **variables: str) -> str:
    """Run a command without anything that would lead it to the repository; return what it prints.

    Parameters
    ----------
    command : sequence of str
    cwd : Path
    **variables : str
        Environment variables to set.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",  # other encodings on Windows
    )
    require(done.returncode == 0, f"{shlex.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def require(condition: bool, message: str) -> None:
    """Stop with `message` unless `condition` holds."""
    if not condition:
        raise UnfitError(message)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except UnfitError as failure:
        sys.exit(f"check_wheel: {failure}")
