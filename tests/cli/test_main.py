from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from rankmax._version import __version__
from rankmax.cli import cli
from rankmax.cli.main import VERBS
from rankmax.cli.shared_options import FolderOutputType, OutputType


def test_help_groups_the_verbs(rankmax) -> None:
    out = rankmax("--help").out
    sections = [line for line in out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert sections == ["Options:", "Data:", "Learn:", "Evaluate:", "Understand:", "Use:"]
    assert out.index("Evaluate:") < out.index("  evaluate ") < out.index("Use:")


def test_every_verb_is_in_a_section(rankmax) -> None:
    out = rankmax("--help").out
    assert all(f"\n  {name} " in out for name in VERBS)


def test_python_runs_it_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "rankmax", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"rankmax {__version__}\n"


def test_version(rankmax) -> None:
    assert rankmax("--version").out == f"rankmax {__version__}\n"


def verbs_of(group: click.Group) -> dict[str, click.Command]:
    return VERBS.load_all() if group is cli else group.commands


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_is_called_as_its_entry(name: str) -> None:
    assert VERBS.load(name).name == name


def test_completion_offers_verbs_with_their_descriptions() -> None:
    from click.shell_completion import ShellComplete

    completer = ShellComplete(cli, {}, "rankmax", "_RANKMAX_COMPLETE")
    offered = completer.get_completions([], "pro")
    assert {item.value: item.help for item in offered} == {name: VERBS.describe(name) for name in ("profile", "prove")}


def commands(group: click.Group) -> list[list[str]]:
    found = []
    for name, command in verbs_of(group).items():
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


def test_metric_names_complete() -> None:
    from click.shell_completion import ShellComplete

    completer = ShellComplete(cli, {}, "rankmax", "_RANKMAX_COMPLETE")
    offered = [item.value for item in completer.get_completions(["evaluate", "qrels", "run", "-m"], "nd")]
    assert offered == ["nDCG@10", "nDCG"]


def test_an_interrupt_ends_quietly(rankmax, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(VERBS.load("demo"), "callback", interrupted)
    done = rankmax("demo")
    assert (done.status, done.err.strip()) == (130, "Interrupted.")


def outputs(group: click.Group, *names: str) -> list[tuple[str, str, click.ParamType]]:
    """Return what each verb may write: its name, that of the option or argument, and the type of that."""
    found = []
    for name, command in verbs_of(group).items():
        if isinstance(command, click.Group):
            found += outputs(command, *names, name)
        else:
            writes = {"output", "plot", "report", "checkpoint", "target", "targets", "results"}
            verb = " ".join((*names, name))
            found += [(verb, p.name or "", p.type) for p in command.params if p.name in writes]
    return [row for row in found if row[:2] != ("export", "target")]  # which is the backend to export for


@pytest.mark.parametrize(
    ("verb", "parameter", "kind"), outputs(cli), ids=lambda value: value if isinstance(value, str) else ""
)
def test_where_output_goes_is_checked_before_the_work(
    verb: str, parameter: str, kind: click.ParamType, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file.svg").touch()
    wrong = {tmp_path / "file.svg" / "inside.svg": "cannot write", "a\0.svg": "cannot write: a f"}
    if isinstance(kind, OutputType):
        wrong |= {tmp_path / "no" / "a.svg": f"cannot write: no folder {tmp_path}/no"}
        (tmp_path / "folder.svg").mkdir()
        wrong |= {tmp_path / "folder.svg": "cannot write: is a folder"}
    else:
        assert isinstance(kind, FolderOutputType)
        wrong |= {tmp_path / "file.svg": "cannot write: it is a file"}
    for path, message in wrong.items():
        with pytest.raises(click.BadParameter, match=message):
            kind.convert(path, None, None)
    assert kind.convert(tmp_path / "good.svg", None, None) == str(tmp_path / "good.svg")


def test_no_permission_is_seen_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what the system says: whoever runs the tests may be allowed everything."""
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != tmp_path.name)
    with pytest.raises(click.BadParameter, match=f"cannot write: no permission to write in {tmp_path}"):
        OutputType().convert(tmp_path / "model.json", None, None)
    with pytest.raises(click.BadParameter, match=f"cannot write: no permission to write in {tmp_path}"):
        FolderOutputType().convert(tmp_path / "shards", None, None)
    (tmp_path / "old.json").touch()
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "old.json")
    with pytest.raises(click.BadParameter, match="cannot write: no permission to change it"):
        OutputType().convert(tmp_path / "old.json", None, None)


@pytest.mark.parametrize("given", [("--normalise", "min-max"), ("--normalise=min-max",)])
def test_options_of_the_last_version_still_work(rankmax, letor_files: Path, given: tuple[str, ...]) -> None:
    new = rankmax("data", "convert", "data.txt", "new.csv", "--normalize", "min-max")
    old = rankmax("data", "convert", "data.txt", "old.csv", *given)
    assert (old.status, new.status) == (0, 0)
    assert "--normalise is now --normalize" in old.err
    assert (letor_files / "old.csv").read_text() == (letor_files / "new.csv").read_text()
