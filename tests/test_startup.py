"""Starting up is quick: what costs time to import is imported by the verb that needs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"numba", "scipy", "pandas", "polars", "matplotlib", "pyarrow"}


def modules_after(statements: str) -> set[str]:
    """Return the top-level names in sys.modules of a new interpreter that ran `statements`."""
    report = "import sys; print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    program = f"try:\n    {statements}\nexcept SystemExit as end:\n    assert not end.code, end\n{report}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_nothing_heavy(option: str) -> None:
    loaded = modules_after(f"import sys; sys.argv[1:] = ['{option}']; from rankmax.cli import main; main()")
    assert loaded & HEAVY == set()
    assert "click" in loaded
    assert "numpy" not in loaded


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = modules_after("import rankmax; dir(rankmax)")
    assert loaded & HEAVY == set()
    assert "rankmax" in loaded


def test_the_check_sees_a_heavy_import() -> None:
    assert "scipy" in modules_after("import scipy")
