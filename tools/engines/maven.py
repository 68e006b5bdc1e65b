"""Jars from a Maven repository, and programs that run on them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

JAVA_SOURCES = Path(__file__).parent / "java"
SECONDS = 600
"""For one command of an installation; without a network it ends much sooner."""

_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>engines</groupId><artifactId>engines</artifactId><version>1</version>
  <dependencies>{dependencies}</dependencies>
</project>
"""
_DEPENDENCY = (
    "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version><type>{}</type>{}</dependency>"
)
_ALONE = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"


class NotInstalledError(Exception):
    """An engine cannot be had, and why."""


def copy_jars(coordinates: Iterable[str], folder: Path, alone: Iterable[str] = ()) -> None:
    """Put jars and all that they depend on into a folder.

    Parameters
    ----------
    coordinates : iterable of str
        ``group:artifact:version`` or ``group:artifact:version:type``.
    folder : Path
    alone : iterable of str
        Coordinates of further jars, to copy without what they depend on.
    """
    folder.mkdir(parents=True, exist_ok=True)
    parts = [((*each.split(":"), "jar")[:4], "") for each in coordinates]
    parts += [((*each.split(":"), "jar")[:4], _ALONE) for each in alone]
    pom = folder.parent / "pom.xml"
    pom.write_text(_POM.format(dependencies="\n".join(_DEPENDENCY.format(*part, rest) for part, rest in parts)))
    command = ["mvn", "--batch-mode", "--quiet", "--file", str(pom), "dependency:copy-dependencies"]
    run([*command, f"-DoutputDirectory={folder}"])


def run(command: list[str]) -> None:
    """Run a command of an installation; if it fails, its first complaint becomes the reason.

    Parameters
    ----------
    command : list of str
    """
    if shutil.which(command[0]) is None:
        raise NotInstalledError(f"{command[0]} is not on this machine")
    quiet = {**os.environ, "MAVEN_OPTS": "-Xmx400m"}
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, env=quiet
        )
    except subprocess.TimeoutExpired:
        raise NotInstalledError(f"{command[0]} took longer than {SECONDS} s") from None
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()
        complaints = [line for line in said if "error" in line.lower()] or said[-1:] or [f"status {done.returncode}"]
        raise NotInstalledError(f"{Path(command[0]).name} failed: {complaints[0].strip()}")


def java_of_this_machine() -> str:
    """Return the path of a Java development kit's launcher, which also runs source files."""
    java = shutil.which("java")
    if java is None or shutil.which("javac") is None:
        raise NotInstalledError("there is no Java development kit (17 or later) on this machine")
    return java
