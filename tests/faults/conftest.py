"""Small files for every verb, and ways to take the room for more."""

from __future__ import annotations

import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np
import pytest

from cli.conftest import rankmax  # noqa: F401 - a fixture
from rankmax.cli import main


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with data, runs, an index and models."""
    folder = tmp_path_factory.mktemp("made")
    rng = np.random.default_rng(1)
    for name in ("bm25", "dense"):
        lines = [f"q{q} Q0 d{d} 1 {rng.normal()} {name}\n" for q in range(12) for d in range(8)]
        (folder / f"{name}.run").write_text("".join(lines))
    (folder / "qrels.txt").write_text("".join(f"q{q} 0 d{d} {int(d < 2)}\n" for q in range(12) for d in range(8)))
    (folder / "docs.tsv").write_text("".join(f"d{d}\twing lift w{d}\n" for d in range(8)))
    (folder / "topics.tsv").write_text("q1\twing\nq2\tlift\n")
    for command in (
        "data synthetic data.txt --queries 12 --documents 6 --features 3 --seed 1",
        "train data.txt -o model.json -m RR --restarts 1 --shrinkage 0",
        "data join qrels.txt bm25.run dense.run --missing zero -o fused.npz",
        "index docs.tsv -o docs.index",
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            patch.setattr(sys, "argv", ["rankmax", *command.split()])
            before = signal.getsignal(signal.SIGINT)
            with pytest.raises(SystemExit) as ended:
                main()
            signal.signal(signal.SIGINT, before)
            assert not ended.value.code, command
    return folder


@pytest.fixture
def files(made: Path, tmp_path: Path) -> Path:
    """Return the folder that commands run in, with a copy of what was made."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def room_for() -> Callable[[int], AbstractContextManager[None]]:
    """Return what keeps files of this process from growing beyond some bytes, as a full disk would."""

    @contextmanager
    def limited(n_bytes: int) -> Iterator[None]:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return limited
