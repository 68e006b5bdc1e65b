"""Check that the repository is ready for the release that a tag names; the release workflow runs it before building."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TO_BE_FILLED = "to be filled by whoever publishes the project"
FILLED_BY_THE_PUBLISHER = ("pyproject.toml", "CODE_OF_CONDUCT.md")


def main() -> None:
    """Print what keeps the tag given on the command line from being released, if anything does."""
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/check_release.py v1.2.3")
    if found := problems(sys.argv[1], ROOT):
        sys.exit("\n".join(f"check_release: {problem}" for problem in found))


def problems(tag: str, root: Path) -> list[str]:
    """Return one sentence for each thing that is missing.

    Parameters
    ----------
    tag : str
        The tag of the release, such as ``v1.2.3``.
    root : Path
        The repository.
    """
    if not re.fullmatch(r"v\d+\.\d+\.\d+((a|b|rc)\d+)?", tag):
        return [f"{tag} is no tag of a release; write it like v1.2.3 or v1.2.3rc1"]
    version = tag.removeprefix("v")
    text = {
        name: (root / name).read_text(encoding="utf-8")
        for name in ("src/rankmax/_version.py", "CITATION.cff", "CHANGELOG.md", *FILLED_BY_THE_PUBLISHER)
    }
    found = []
    if (own := _value(r'^__version__ = "(.*)"$', text["src/rankmax/_version.py"])) != version:
        found.append(f"src/rankmax/_version.py says {own}, the tag {version}")
    if (cited := _value(r'^version: "(.*)"$', text["CITATION.cff"])) != version:
        found.append(f"CITATION.cff says version {cited}, the tag {version}")
    heading = _value(r"^## (.*)$", text["CHANGELOG.md"])
    day = _value(r"^## \[" + re.escape(version) + r"\] - (\d{4}-\d{2}-\d{2})$", text["CHANGELOG.md"])
    if day is None or heading != f"[{version}] - {day}":
        found.append(f"CHANGELOG.md begins with {heading!r}; it has to begin with '[{version}] - ' and the date")
    if (released := _value(r'^date-released: "(.*)"$', text["CITATION.cff"])) is None or released != day:
        found.append(f"CITATION.cff says date-released {released}, CHANGELOG.md {day}")
    if not tomllib.loads(text["pyproject.toml"])["project"].get("urls"):
        found.append("pyproject.toml has no [project.urls]")
    found += [f"{name} has a place {TO_BE_FILLED}" for name in FILLED_BY_THE_PUBLISHER if TO_BE_FILLED in text[name]]
    return found


def _value(pattern: str, text: str) -> str | None:
    """Return the first group of the first match, where ``^`` and ``$`` are the ends of a line."""
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match else None


if __name__ == "__main__":
    main()
