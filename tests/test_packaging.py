"""The wheel check (tools/check_wheel.py) knows every verb, and sees what does not belong in a distribution."""

from __future__ import annotations

import pytest

from check_wheel import UnfitError, check_sdist, check_wheel, smoke_commands, verb_of
from command_tree import commands
from rankmax.cli import cli

VERBS = {words for words, _ in commands(cli)}
WHEEL = [
    "rankmax/__init__.py",
    "rankmax/py.typed",
    "rankmax-1.dist-info/METADATA",
    "rankmax-1.dist-info/licenses/LICENSE",
]


@pytest.mark.parametrize("verb", sorted(VERBS), ids=" ".join)
def test_every_verb_has_a_smoke_command(verb: tuple[str, ...]) -> None:
    assert verb in {verb_of(command, VERBS) for command in smoke_commands()}


def test_every_smoke_command_calls_a_verb() -> None:
    unknown = [command for command in smoke_commands() if command[0] != "rankmax" or verb_of(command, VERBS) is None]
    assert unknown == []


def test_a_clean_wheel_passes() -> None:
    check_wheel(WHEEL)


@pytest.mark.parametrize("extra", ["tests/test_x.py", "rankmax/__pycache__/x.pyc"])
def test_what_does_not_belong_in_a_wheel_is_seen(extra: str) -> None:
    with pytest.raises(UnfitError, match="also holds"):
        check_wheel([*WHEEL, extra])


@pytest.mark.parametrize("missing", ["rankmax/py.typed", "rankmax-1.dist-info/licenses/LICENSE"])
def test_what_a_wheel_lacks_is_seen(missing: str) -> None:
    with pytest.raises(UnfitError, match="lacks"):
        check_wheel([name for name in WHEEL if name != missing])


def test_a_clean_sdist_passes() -> None:
    check_sdist(["rankmax-1/src/rankmax/__init__.py", "rankmax-1/README.md", "rankmax-1/PKG-INFO"])


@pytest.mark.parametrize("extra", ["dist/x.whl", "docs/_build/index.html", "src/rankmax/__pycache__/x.nbi"])
def test_junk_in_an_sdist_is_seen(extra: str) -> None:
    with pytest.raises(UnfitError, match="sdist"):
        check_sdist([f"rankmax-1/{extra}"])
