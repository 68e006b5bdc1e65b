"""Starting up is quick: what costs time to import is imported by the verb that needs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rankmax.models import LinearModel

HEAVY = {"numba", "scipy", "pandas", "polars", "matplotlib", "pyarrow"}


def modules_after(statements: str) -> set[str]:
    """Return the top-level names in sys.modules of a new interpreter that ran `statements`."""
    report = "import sys; print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    program = f"try:\n    {statements}\nexcept SystemExit as end:\n    assert not end.code, end\n{report}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", ["--help", "--version", "train --help", "tune --help"])
def test_help_and_version_load_nothing_heavy(arguments: str) -> None:
    loaded = modules_after(f"import sys; sys.argv[1:] = {arguments.split()}; from rankmax.cli import main; main()")
    assert loaded & HEAVY == set()
    assert "click" in loaded
    assert "numpy" not in loaded


RUNS = [f"q1 Q0 d1 1 2.0 {name}\nq1 Q0 d2 2 1.0 {name}\nq2 Q0 d1 1 3.0 {name}\n" for name in ("a", "b")]


@pytest.mark.parametrize(
    "arguments",
    [
        "evaluate qrels.txt a.run b.run",
        "compare qrels.txt a.run b.run -m AP",
        "check --qrels qrels.txt --baseline base.tsv --candidate a.run --update-baseline",
        "export model.json --to sql",
        "rank model.json a=a.run b=b.run -o fused.run",
    ],
)
def test_verbs_that_need_no_kernels_do_not_load_numba(
    arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 0\nq2 0 d3 1\n")
    for name, run in zip("ab", RUNS, strict=True):
        Path(f"{name}.run").write_text(run)
    LinearModel(np.array([1.0, 2.0]), ("a", "b")).save("model.json")
    loaded = modules_after(f"import sys; sys.argv[1:] = {arguments.split()}; from rankmax.cli import main; main()")
    assert "numpy" in loaded
    assert "numba" not in loaded


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = modules_after("import rankmax; dir(rankmax)")
    assert loaded & HEAVY == set()
    assert "rankmax" in loaded


def test_the_check_sees_a_heavy_import() -> None:
    assert "scipy" in modules_after("import scipy")
