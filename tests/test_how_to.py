"""The how-to pages lead to a working part: their files, lines and commands, in a copy of the project."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted(path for path in ROOT.glob("docs/how-to/add-*.md") if path.name != "add-a-metric.md")

_FILE = re.compile(
    r"^```\{code-block\} \w+\n:caption: (?P<path>[\w./-]+)(?P<line>, one line(?: in (?P<table>\S+))?)?\n\n", re.M
)
_COMMANDS = re.compile(r"^```console\n(?P<text>.*?)^```", re.M | re.S)
_SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the project, whose files are links: nothing is compiled, and new files stay in the copy."""
    for folder in ("src", "tests/oracles", "tests/cli"):
        for path in (ROOT / folder).rglob("*"):
            target = tmp_path / path.relative_to(ROOT)
            if path.name == "__pycache__" or "_kernels" in path.relative_to(ROOT).parts[:-1] or path.is_dir():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(path)
    (tmp_path / "src/rankmax/_kernels").symlink_to(ROOT / "src/rankmax/_kernels")
    for name in ("tests/conftest.py", "tests/engines/test_registry.py", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def files_of(page: str) -> list[tuple[str, str | None, str]]:
    """Return the path of each file that a page shows, the table of a line of it ("" for none), and the text."""
    tables = (m["table"] or "" if m["line"] else None for m in _FILE.finditer(page))
    return [
        (m["path"], table, page[m.end() : page.index("\n```", m.end()) + 1])
        for m, table in zip(_FILE.finditer(page), tables, strict=True)
    ]


def commands_of(page: str) -> list[tuple[str, str]]:
    """Return the commands of a page, each with the output that it shows."""
    shown = "".join(m["text"] for m in _COMMANDS.finditer(page))
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in re.split(r"^\$ ", shown, flags=re.M)[1:]]


def write(project: Path, path: str, table: str | None, text: str) -> None:
    """Do to a project what a page shows: a new file, or a line at the beginning of a table or at the end of a file."""
    file = project / path
    if table is None:
        assert not file.exists(), f"{path} is there already"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return
    assert text.count("\n") == 1
    before = file.read_text(encoding="utf-8")
    begin = len(before)
    if table:
        begin = before.index("{\n", re.search(rf"^ *{re.escape(table)}:", before, re.M).start()) + 2  # type: ignore[union-attr]
    file.unlink()  # the link
    file.write_text(before[:begin] + text + before[begin:], encoding="utf-8")


def run(project: Path, command: str) -> str:
    program, *arguments = shlex.split(command)
    path = os.pathsep.join([str(project / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", program, *arguments],
        cwd=project,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert program != "pytest" or done.returncode == 0, done.stdout
    return done.stdout + (done.stderr if done.returncode else "")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_leads_to_a_part_that_works(page: Path, copy: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for path, table, content in files_of(text):
        write(copy, path, table, content)
    for command, shown in commands_of(text):
        found = run(copy, command)
        assert doctest.OutputChecker().check_output(shown, found, _SAME), f"$ {command}\n{found}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_part_is_a_file_a_line_a_test_and_a_page(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    files = files_of(text)
    lines = [table is not None for path, table, _ in files if path.startswith("src/")]
    assert lines == ([False, True] * 2 if page.stem == "add-a-verb" else [False, True])  # a function and a command
    assert sum(path.startswith("tests/") for path, _, _ in files) == 1
    assert "## The documentation" in text
    assert commands_of(text)[0][0].startswith("pytest ")


def test_the_pages_are_those_of_the_kinds_that_can_be_added() -> None:
    kinds = [page.stem.removeprefix("add-").partition("-")[2] for page in PAGES]
    assert kinds == ["learner", "loss", "retrieval-function", "verb", "export-target"]
