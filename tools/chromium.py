"""Find a browser to test the studio's page with; run as a script, install Debian's Chromium where there is none.

Nothing is installed but by root and apt, that is, on machines that are there to run tests; elsewhere the tests of the
page are skipped, and say what is missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 300  # for the whole installation; without a network it ends much sooner

_APT = ("apt-get", "-qq", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10", "-o", "DPkg::Lock::Timeout=60")
_COMMANDS = ((*_APT, "update"), (*_APT, "install", "--yes", "--no-install-recommends", "chromium"))


def find_browser() -> str | None:
    """Return the path of a Chromium or Chrome, if there is one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def install_browser() -> str | None:
    """Install Chromium; return what stands in the way, if anything does."""
    if shutil.which("apt-get") is None:
        return "no apt-get to install one with"
    if os.geteuid() != 0:
        return "installing one needs root: apt-get install chromium"
    for command in _COMMANDS:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                timeout=SECONDS,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            )
        except subprocess.TimeoutExpired:
            return f"apt-get took longer than {SECONDS} s"
        if done.returncode:
            return f"apt-get failed: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}"
    return None


def main() -> None:
    """Make sure of a browser, or say in one line that there is none; either way no failure."""
    if find_browser() is None and (reason := install_browser()):
        print(f"no browser, so tests of the studio's page will be skipped ({reason})")


if __name__ == "__main__":
    main()
