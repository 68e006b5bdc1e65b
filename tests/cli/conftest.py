"""Running the command line in this process, and small files to run it on."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from rankmax.cli import main


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str


RunCommand = Callable[..., Outcome]


@pytest.fixture
def rankmax(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> RunCommand:
    """Return a function that runs `rankmax ARGS...` inside tmp_path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["rankmax", *map(str, arguments)])
        capsys.readouterr()
        before = signal.getsignal(signal.SIGINT)
        try:
            with pytest.raises(SystemExit) as exit_:
                main()
        finally:
            signal.signal(signal.SIGINT, before)  # a command that has ended ignores interrupts
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Outcome(int(exit_.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def trec_files(tmp_path: Path) -> Path:
    """Write qrels and three runs: `good` is perfect, `bad` the reverse, `partial` lacks q3 and has an extra query."""
    (tmp_path / "qrels.txt").write_text("".join(f"q{q} 0 d{d} {int(d == 1)}\n" for q in (1, 2, 3) for d in (1, 2, 3)))
    runs = {
        "good": [(q, d, 4 - d) for q in (1, 2, 3) for d in (1, 2, 3)],
        "bad": [(q, d, d) for q in (1, 2, 3) for d in (1, 2, 3)],
        "partial": [(q, d, 4 - d) for q in (1, 2, 9) for d in (1, 2, 3)],
    }
    for name, lines in runs.items():
        (tmp_path / f"{name}.run").write_text("".join(f"q{q} Q0 d{d} 1 {s} {name}\n" for q, d, s in lines))
    return tmp_path


@pytest.fixture
def letor_files(tmp_path: Path) -> Path:
    """Write data that feature 1 ranks perfectly, with scores that do so and scores that do the opposite."""
    lines = [(int(d == 1), q, 4 - d, (q * d) % 3) for q in (1, 2, 3, 4) for d in (1, 2, 3)]
    (tmp_path / "data.txt").write_text("".join(f"{y} qid:{q} 1:{a} 2:{b}\n" for y, q, a, b in lines))
    (tmp_path / "good.scores").write_text("".join(f"{a}\n" for _, _, a, _ in lines))
    (tmp_path / "bad.scores").write_text("".join(f"{-a}\n" for _, _, a, _ in lines))
    return tmp_path
