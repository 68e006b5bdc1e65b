"""Engines that are Python packages, in an environment of their own: the dependency group engines."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def install(folder: Path) -> str:
    """Install rankmax and every engine that can be had into an environment in the folder; say what could not.

    Parameters
    ----------
    folder : path
        Left as it is where it holds what pyproject.toml asks for.
    """
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    engines: list[str] = groups["engines"]
    wanted, done = "\n".join(engines), folder / "installed.txt"
    if done.exists() and done.read_text() == wanted:
        return f"python: as asked for, in {folder}"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    subprocess.run([*pip, "--editable", str(ROOT), "pytest>=8", "hypothesis>=6.100"], check=True)
    missing = []
    for engine in engines:  # one by one: what cannot be had must not keep the others away
        tried = subprocess.run([*pip, engine], stderr=subprocess.PIPE, text=True)
        if tried.returncode:
            reason = (tried.stderr.strip().splitlines() or ["pip failed"])[-1]
            missing.append(f"python: no {engine}: {reason}")
    if not missing:
        done.write_text(wanted)
    return "\n".join([*missing, f"python: {len(engines) - len(missing)} of {len(engines)} packages, in {folder}"])
