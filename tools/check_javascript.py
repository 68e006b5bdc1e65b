"""Check the scripts and styles of the studio and of the reports: style and format by Biome, types by TypeScript.

Only developers need node and npm for this; nothing that they install is shipped. Without them the check says that it
was skipped, and why. ``--fix`` repairs what can be repaired.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TOOLS = ROOT / "tools" / "javascript"
INSTALLED = TOOLS / "node_modules"
NO_NETWORK = {"EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ENETUNREACH", "ENOTFOUND", "ETIMEDOUT"}
OLDEST_NODE = (16, 20)  # for TypeScript; Biome asks for less


def main() -> int:
    """Run the checks and return the exit status."""
    parser = argparse.ArgumentParser(description="Check the scripts of the studio and of the reports.")
    parser.add_argument("--fix", action="store_true", help="Format the scripts and apply safe fixes.")
    fix = parser.parse_args().fix
    try:
        _install()
    except _SkippedError as reason:
        print(f"javascript: skipped, {reason}")
        return 0
    repair = ["--write"] if fix else ["--error-on-warnings"]
    biome = _run("biome", "check", *repair, f"--config-path={TOOLS}", "src/rankmax")
    types = _run("tsc", "--project", str(TOOLS))
    return biome or types


class _SkippedError(Exception):
    """A machine that cannot run the checks, which says nothing about the scripts."""


def _install() -> None:
    """Install what the lock file names, unless that was done."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise _SkippedError("node or npm is not installed")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if tuple(int(part) for part in version.removeprefix("v").split(".")[:2]) < OLDEST_NODE:
        raise _SkippedError(f"node {'.'.join(map(str, OLDEST_NODE))} or newer is needed, found {version}")
    lock, stamp = TOOLS / "package-lock.json", INSTALLED / ".package-lock.json"  # npm writes the second one last
    if stamp.exists() and stamp.stat().st_mtime >= lock.stat().st_mtime:
        return
    command = [npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(command, cwd=TOOLS, capture_output=True, text=True, check=False)
    if done.returncode:
        code = re.search(r"^npm (?:error|ERR!) code (\w+)$", done.stderr, re.MULTILINE)
        if code and code[1] in NO_NETWORK:
            raise _SkippedError(f"npm does not reach its registry ({code[1]})")
        sys.exit(f"javascript: npm could not install the tools:\n{done.stderr}")


def _run(name: str, *arguments: str) -> int:
    tool = shutil.which(name, path=str(INSTALLED / ".bin"))
    if tool is None:
        print(f"javascript: {name} is missing from {INSTALLED.relative_to(ROOT)}; remove that folder and try again")
        return 1
    return subprocess.run([tool, *arguments], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
