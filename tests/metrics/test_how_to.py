"""The guide's examples run as printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-metric.md"


def test_the_guide_runs():
    """In a process of its own, since it registers a metric."""
    assert GUIDE.read_text(encoding="utf-8").count(">>>") > 20
    run = subprocess.run([sys.executable, "-m", "doctest", GUIDE], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
