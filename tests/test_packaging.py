"""The wheel check (tools/check_wheel.py) knows every verb, and sees what does not belong in a distribution."""

from __future__ import annotations

from pathlib import Path

import pytest
from hatch_build import wheel_tag

from check_wheel import UnfitError, check_sdist, check_wheel, distributions_of, smoke_commands, verb_of
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


KERNELS = "rankmax/_kernels/compiled/manifest.json"


def test_clean_wheels_pass() -> None:
    check_wheel(WHEEL, kernels=False)
    check_wheel([*WHEEL, KERNELS], kernels=True)


def test_a_wheel_with_the_wrong_kind_of_kernels_is_seen() -> None:
    with pytest.raises(UnfitError, match="lacks compiled kernels"):
        check_wheel(WHEEL, kernels=True)
    with pytest.raises(UnfitError, match="has compiled kernels"):
        check_wheel([*WHEEL, KERNELS], kernels=False)


def test_the_wheel_for_this_python_is_chosen(tmp_path: Path) -> None:
    tag = wheel_tag()
    names = ["r-1.tar.gz", "r-1-py3-none-any.whl", f"r-1-{tag}.whl", "r-1-cp399-cp399-manylinux_2_17_x86_64.whl"]
    for name in names:
        (tmp_path / name).touch()
    assert [path.name for path in distributions_of(tmp_path)] == names[:3]
    (tmp_path / names[2]).unlink()
    with pytest.raises(UnfitError, match="0 files"):
        distributions_of(tmp_path)


@pytest.mark.parametrize("extra", ["tests/test_x.py", "rankmax/__pycache__/x.pyc"])
def test_what_does_not_belong_in_a_wheel_is_seen(extra: str) -> None:
    with pytest.raises(UnfitError, match="also holds"):
        check_wheel([*WHEEL, extra], kernels=False)


@pytest.mark.parametrize("missing", ["rankmax/py.typed", "rankmax-1.dist-info/licenses/LICENSE"])
def test_what_a_wheel_lacks_is_seen(missing: str) -> None:
    with pytest.raises(UnfitError, match="lacks"):
        check_wheel([name for name in WHEEL if name != missing], kernels=False)


def test_a_clean_sdist_passes() -> None:
    check_sdist(["rankmax-1/src/rankmax/__init__.py", "rankmax-1/README.md", "rankmax-1/PKG-INFO"])


@pytest.mark.parametrize("extra", ["dist/x.whl", "docs/_build/index.html", "src/rankmax/__pycache__/x.nbi"])
def test_junk_in_an_sdist_is_seen(extra: str) -> None:
    with pytest.raises(UnfitError, match="sdist"):
        check_sdist([f"rankmax-1/{extra}"])
