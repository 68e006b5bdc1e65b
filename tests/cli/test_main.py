from __future__ import annotations

import subprocess
import sys

import click
import pytest

from rankmax._version import __version__
from rankmax.cli import cli


def test_help_groups_the_verbs(rankmax) -> None:
    out = rankmax("--help").out
    sections = [line for line in out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert sections == ["Options:", "Data:", "Learn:", "Evaluate:", "Understand:", "Use:"]
    assert out.index("Evaluate:") < out.index("  evaluate ") < out.index("Use:")


def test_every_verb_is_in_a_section(rankmax) -> None:
    out = rankmax("--help").out
    assert all(f"\n  {name} " in out for name in cli.commands)


def test_python_runs_it_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "rankmax", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"rankmax {__version__}\n"


def test_version(rankmax) -> None:
    assert rankmax("--version").out == f"rankmax {__version__}\n"


def commands(group: click.Group) -> list[list[str]]:
    found = []
    for name, command in group.commands.items():
        found += [[name, *rest] for rest in commands(command)] if isinstance(command, click.Group) else [[name]]
    return found


@pytest.mark.parametrize("verb", commands(cli), ids=" ".join)
def test_every_verb_has_help_with_an_example(rankmax, verb: list[str]) -> None:
    done = rankmax(*verb, "--help")
    assert done.status == 0
    assert f"rankmax {' '.join(verb)}" in done.out.split("Usage:")[1].split("\n", 1)[1] or verb == ["demo"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(rankmax, shell: str) -> None:
    done = rankmax("completion", shell)
    assert done.status == 0
    assert "_RANKMAX_COMPLETE" in done.out


def test_every_normalisation_is_offered() -> None:
    from rankmax.cli.options import NORMALISATION
    from rankmax.data.normalise import normalisation_names

    assert sorted(NORMALISATION.choices) == normalisation_names()


def test_metric_names_complete() -> None:
    from click.shell_completion import ShellComplete

    completer = ShellComplete(cli, {}, "rankmax", "_RANKMAX_COMPLETE")
    offered = [item.value for item in completer.get_completions(["evaluate", "qrels", "run", "-m"], "nd")]
    assert offered == ["nDCG@10", "nDCG"]


def test_an_interrupt_ends_quietly(rankmax, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.commands["demo"], "callback", interrupted)
    done = rankmax("demo")
    assert (done.status, done.err.strip()) == (130, "Interrupted.")
