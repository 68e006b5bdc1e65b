"""What holds for the repository's files as such."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MOST_LINES = 500

# Modules whose tests stand elsewhere, and why.
TESTED_ELSEWHERE = {
    "_version.py": "a constant; the command line's test of --version prints it",
    "arrays.py": "names of types and one flag; every other test rests on it",
}


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    """Return the files under version control; a source distribution has none."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout, so no list of tracked files")
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    return [path for name in listing.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_no_file_names_a_folder_of_a_developers_machine(tracked: list[Path]) -> None:
    personal = re.compile(rb"(?<![\w.])/(?:work|root|home|Users)/")
    assert [str(path.relative_to(ROOT)) for path in tracked if personal.search(path.read_bytes())] == []


def test_files_stay_readable_in_one_sitting(tracked: list[Path]) -> None:
    text = [path for path in tracked if path.suffix in {".py", ".md", ".toml", ".yml", ".yaml", ".txt"}]
    assert [str(p.relative_to(ROOT)) for p in text if len(p.read_bytes().splitlines()) > MOST_LINES] == []


def test_tests_mirror_the_source() -> None:
    source = ROOT / "src" / "rankmax"
    modules = [path.relative_to(source) for path in source.rglob("*.py") if path.name != "__init__.py"]
    tests = {path.relative_to(ROOT / "tests").as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    untested = {m.as_posix() for m in modules if m.with_name(f"test_{m.name}").as_posix() not in tests}
    assert untested - TESTED_ELSEWHERE.keys() == set()
    assert TESTED_ELSEWHERE.keys() - untested == set(), "no longer true: remove the entry"
