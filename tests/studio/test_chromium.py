"""The set-up of the page's tests (tools/chromium.py): a browser where one can be had, else a reason, no failure."""

from __future__ import annotations

from pathlib import Path

import pytest

import chromium


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only folder of programs on a machine that is root's and has no browser."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    return tmp_path


def program(path: Path, *lines: str) -> None:
    path.write_text("\n".join(["#!/bin/sh", *lines]))
    path.chmod(0o755)


def test_a_browser_that_is_there_is_left_alone(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program(machine / "google-chrome", "exit 1")
    program(machine / "apt-get", f"touch {machine}/called")
    chromium.main()
    assert chromium.find_browser() == str(machine / "google-chrome")
    assert not (machine / "called").exists()
    assert capsys.readouterr().out == ""


def test_apt_installs_one(machine: Path, capfd: pytest.CaptureFixture[str]) -> None:
    installed = machine / "chromium"
    program(
        machine / "apt-get",
        f'echo "$DEBIAN_FRONTEND $*" >> {machine}/calls',
        "echo noise",
        f"case $* in *' install '*' chromium') echo >{installed}; /bin/chmod +x {installed};; esac",
    )
    chromium.main()
    assert chromium.find_browser() == str(installed)
    assert [line.split()[0] for line in (machine / "calls").read_text().splitlines()] == ["noninteractive"] * 2
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("user", "lines", "reason"),
    [
        (0, None, "no apt-get"),
        (1000, ("exit 1",), "needs root"),
        (0, ("echo 'E: first' >&2", "echo 'E: no network' >&2", "exit 100"), "apt-get failed: E: no network"),
        (0, ("exit 100",), "no reason given"),
        (0, ("exec /bin/sleep 9",), "took longer"),
    ],
)
def test_without_one_there_is_a_reason_and_no_failure(
    machine: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    user: int,
    lines: tuple[str, ...] | None,
    reason: str,
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: user)
    monkeypatch.setattr(chromium, "SECONDS", 0.3)
    if lines is not None:
        program(machine / "apt-get", *lines)
    chromium.main()
    said = capsys.readouterr().out
    assert reason in said
    assert said.count("\n") == 1
