from __future__ import annotations

import shlex
from pathlib import Path


def test_demo_finds_a_real_improvement_and_its_commands_work(rankmax, tmp_path: Path) -> None:
    done = rankmax("demo")
    assert done.status == 0
    better = {line.split()[0] for line in done.out.splitlines() if len(line.split()) > 1 and "▲" in line.split()[1]}
    assert better == {"least-squares", "rankmax", "planted-weights"}
    commands = [line.split("rankmax ", 1)[1] for line in done.out.splitlines() if line.startswith("  rankmax ")]
    assert len(commands) >= 3
    for command in commands:
        assert rankmax(*shlex.split(command)).status == 0, command


def test_output_that_cannot_be_a_folder(rankmax, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = rankmax("demo", "-o", "file/inside")
    assert done.status == 1
    assert "cannot make the folder" in done.err
