"""Some mutated inputs of every format (tools/fuzz.py runs many), and that the fuzzer sees what it looks for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fuzzing import running
from fuzzing.checks import AcceptedGarbageError, check_dataset
from fuzzing.running import Finding, run_apart, run_input, schedule
from fuzzing.targets import TARGETS, Target
from oracles.dying import die_at_three
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_no_reader_stumbles(target: Target, tmp_path: Path) -> None:
    target.use_intact(tmp_path)  # else a mutation could be refused for what is wrong with all
    n_inputs = 100 if target.share >= 0.1 else 10
    assert [found for n in range(n_inputs) if (found := run_input(target, n, 0, tmp_path))] == []


def test_inputs_are_decided_by_seed_and_number(tmp_path: Path) -> None:
    target = TARGETS[0]

    def written(number: int, seed: int) -> bytes:
        run_input(target, number, seed, tmp_path)
        return (tmp_path / target.file).read_bytes()

    assert written(3, 1) == written(3, 1)
    assert len({written(number, seed) for number in range(5) for seed in range(2)}) > 5
    chosen = [schedule(TARGETS, number).name for number in range(3000)]
    assert chosen == [schedule(TARGETS, number).name for number in range(3000)]
    assert set(chosen) == {target.name for target in TARGETS}


def found(use: object, tmp_path: Path) -> Finding | None:
    return run_input(Target("made up", "file", lambda: [b"1 2 3"], use), 0, 0, tmp_path)  # type: ignore[arg-type]


def test_what_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(path: Path) -> None:
        raise KeyError("x")

    def refuse(path: Path) -> None:
        raise InvalidDataError("no")

    def accept(path: Path) -> None:
        raise AcceptedGarbageError("NaN")

    def sleep(path: Path) -> None:
        signal.pause()

    monkeypatch.setattr(running, "SECONDS", 0.05)
    assert found(refuse, tmp_path) is None
    assert found(lambda path: None, tmp_path) is None
    kinds = [one.kind for one in (found(use, tmp_path) for use in (stumble, accept, sleep)) if one]
    assert kinds == ["foreign exception", "accepted garbage", "hang"]


def test_garbage_is_seen() -> None:
    data = RankingDataset.from_arrays([[0.5], [0.1]], [1, 0], qid=[7, 7])
    check_dataset(data)
    broken = np.array([[np.nan], [0.1]], order="F")
    object.__setattr__(data, "features", broken)
    with pytest.raises(AcceptedGarbageError, match="features that are not finite"):
        check_dataset(data)


def test_a_process_that_dies_is_a_finding_and_another_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_work", die_at_three)
    told = list(run_apart(TARGETS, 0, inputs=10))
    [crash] = [one for one in told if isinstance(one, Finding)]
    assert (crash.number, crash.kind, crash.what) == (3, "crash", "signal SIGKILL")
    assert (crash.target, told[-1]) == (schedule(TARGETS, 3).name, 10)


def test_the_command(tmp_path: Path) -> None:
    def run(*options: str) -> subprocess.CompletedProcess[str]:
        paths = os.pathsep.join(str(ROOT / folder) for folder in ("src", "tools"))
        return subprocess.run(
            [sys.executable, ROOT / "tools" / "fuzz.py", *options],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": paths},
        )

    again = run("--again", "csv:7", "--keep", str(tmp_path / "kept"))
    assert (again.returncode, "nothing is wrong with it" in again.stdout) == (0, True), again.stderr
    assert (tmp_path / "kept" / "data.csv").is_file()
    assert "no target nonsense; known are" in run("--targets", "nonsense").stderr
