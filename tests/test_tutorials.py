"""The tutorials, the README and the notebooks run as they stand, each in a folder of its own."""

from __future__ import annotations

import doctest
import json
import os
import re
import shlex
import subprocess
import sys
from glob import glob
from pathlib import Path
from typing import Any

import pytest

from oracles.docstrings import few_docstrings
from rankmax.workflows.demo import demonstration
from run_notebooks import run_notebook

ROOT = Path(__file__).parent.parent
PAGES = sorted(ROOT.glob("docs/tutorials/*.md"))
NOTEBOOKS = sorted(ROOT.glob("examples/*.ipynb"))

KINDS = ("console", "python")
_BLOCK = re.compile(r"^```(?P<kind>console|python)\n(?P<text>.*?)^```", re.M | re.S)
_SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def commands_of(block: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with the output that it shows."""
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in re.split(r"^\$ ", block, flags=re.M)[1:]]


def run(command: str) -> str:
    """Return what a rankmax command prints on standard output."""
    path = os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    words = [found for word in shlex.split(command) for found in (sorted(glob(word)) or [word])]
    kept = {name: value for name, value in os.environ.items() if name != "COLUMNS"}  # pages show lines at full width
    done = subprocess.run(
        [sys.executable, "-m", *words],
        env={**kept, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, f"$ {command}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_runs_as_it_stands(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    n_commands = 0
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        if block["kind"] == "python":
            examples = doctest.DocTestParser().get_doctest(block["text"], names, page.name, str(page), 0)
            problems: list[str] = []
            doctest.DocTestRunner(optionflags=_SAME).run(examples, out=problems.append, clear_globs=False)
            names = examples.globs
            assert not problems, "".join(problems)
            continue
        for command, shown in commands_of(block["text"]):
            if command.startswith("rankmax "):
                found = run(command)
                assert doctest.OutputChecker().check_output(shown, found, _SAME), f"$ {command}\n{found}"
                n_commands += 1
    assert n_commands > 1


class _AnyNumbers(doctest.OutputChecker):
    """Takes any numbers and verdicts, which change with the versions of numpy and scipy whose texts are searched."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(_masked(want), _masked(got), optionflags)


def _masked(text: str) -> str:
    return re.sub(r"use it|probably better|cannot tell|keep the current one", "VERDICT", re.sub(r"\d[\d.]*", "#", text))


def names_of(output: str) -> list[str]:
    """Return what stands first in the lines of tables and facts."""
    return sorted(re.findall(r"^ (\S.*?)(?:   |$)", output, re.M))


def test_the_readme_runs_as_it_stands_after_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demonstration, "docstrings", few_docstrings)
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    console, python = (
        next(block["text"] for block in _BLOCK.finditer(page) if block["kind"] == kind) for kind in KINDS
    )
    (make, _), (activate, _), (tune, shown) = commands_of(console)
    assert (make, activate) == ("make demo", ". .venv/bin/activate")
    (tmp_path / "demo-output").mkdir()
    demonstration.run_demo(tmp_path / "demo-output")
    facts = {"proven", "simpler", "plateau"}  # which depend on the numbers
    assert set(names_of(run(tune))) ^ set(names_of(shown)) <= facts
    assert Path("model.json").exists()
    problems: list[str] = []
    examples = doctest.DocTestParser().get_doctest(python, {}, "README.md", "README.md", 0)
    doctest.DocTestRunner(_AnyNumbers(), optionflags=_SAME).run(examples, out=problems.append)
    assert not problems, "".join(problems)


def as_text(output: dict[str, Any]) -> str:
    """Return what an output shows as text; pictures differ with the version of matplotlib."""
    shown = output.get("text") or output["data"].get("text/plain", [])
    return re.sub(r"rankmax \d\S*", "rankmax", "".join(shown))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_notebooks_run(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    content = json.loads(notebook.read_text(encoding="utf-8"))
    assert content["nbformat"] == 4
    stored = [cell["outputs"] for cell in content["cells"] if cell["cell_type"] == "code"]
    assert any(stored), "run tools/run_notebooks.py"
    for before, after in zip(stored, run_notebook(content), strict=True):
        assert [as_text(output) for output in before] == [as_text(output) for output in after]
    assert notebook.stat().st_size < 200_000


def test_there_is_a_tutorial_for_each_reader_and_notebooks_have_one() -> None:
    tutorials = {path.stem.replace("-", "_") for path in ROOT.glob("docs/tutorials/*.md")}
    assert {notebook.stem for notebook in NOTEBOOKS} == tutorials - {"tune_a_search_engine"}  # which needs a database
    assert len(NOTEBOOKS) == 2
