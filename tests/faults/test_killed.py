"""Processes that are killed: what they leave is cleared away, restored or resumed by the next."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.formats.registry import write_dataset
from rankmax.formats.shards import Shards
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP
from rankmax.models.linear_model import LinearModel
from rankmax.optimizers.journal_file import JournalFile
from rankmax.retrieval.index.inverted_index import Index

ALIVE = 120.0  # seconds that anything may take on a machine that is busy with other things


def killed(script: str, *arguments: object) -> None:
    """Run a script that kills itself."""
    done = subprocess.run([sys.executable, "-c", script, *map(str, arguments)], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


SHARD = """
import os, signal, sys
from rankmax.formats import shards
from rankmax.data.synthetic import planted_linear

def parts():
    yield planted_linear(8, 3, 2, seed=1).data, 2
    os.kill(os.getpid(), signal.SIGKILL)

shards.write_shards(parts(), sys.argv[1])
"""


def test_a_killed_shard_leaves_nothing_for_long(tmp_path: Path, rankmax) -> None:
    killed(SHARD, tmp_path / "shards")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".shards.building"]
    rankmax("data", "synthetic", "data.txt", "--queries", 4)
    assert rankmax("data", "shard", "data.txt", "--shards", 2, "-o", "shards").status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.txt", "shards"]
    assert [shard.n_queries for shard in Shards.at(tmp_path / "shards").files] == [2, 2]


REPLACE = """
import os, signal, sys
from pathlib import Path
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document

rename = Path.rename

def kill_instead_of_second(self, target):
    if self.name.endswith(".building"):
        os.kill(os.getpid(), signal.SIGKILL)
    return rename(self, target)

Path.rename = kill_instead_of_second
build_index([Document("new", {"text": "drag"})], sys.argv[1], replace=True)
"""


@pytest.mark.parametrize(
    ("command", "documents"),
    [
        ("search docs.index wing", 8),
        ("inspect docs.index", 8),
        ("fit-function docs.index bm25 --topics topics.tsv --qrels qrels.txt --parameter b", 8),
        ("index docs.tsv -o docs.index", 8),  # which says that one is there
        ("index two.tsv -o docs.index --replace", 2),
    ],
)
def test_an_index_that_was_being_replaced_comes_back(rankmax, files: Path, command: str, documents: int) -> None:
    (files / "two.tsv").write_text("d1\twing\nd2\tlift\n")
    if command.startswith("search"):
        killed(REPLACE, files / "docs.index")
    else:  # what the first case shows to be left, without the time that a process takes
        (files / "docs.index").rename(files / ".docs.index.replaced")
        (files / ".docs.index.building").mkdir()
        (files / ".docs.index.building" / "lock").touch()
    assert not (files / "docs.index").exists()
    done = rankmax(*command.split())
    assert "exists already" in done.err if command.startswith("index docs") else done.status == 0
    assert Index.open(files / "docs.index").n_documents == documents
    assert not (files / ".docs.index.replaced").exists()


def test_an_index_that_is_being_replaced_is_left_to_its_builder(files: Path) -> None:
    from rankmax._io.folders import building_folder, restore_replaced

    with building_folder(files / "docs.index", replaces="meta.json") as folder:
        (folder / "meta.json").write_text("new")
        (files / "docs.index").rename(files / ".docs.index.replaced")  # as between the two renames
        restore_replaced(files / "docs.index")
        assert not (files / "docs.index").exists()
        (files / ".docs.index.replaced").rename(files / "docs.index")
    assert (files / "docs.index" / "meta.json").read_text() == "new"


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + ALIVE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_training_that_is_stopped_writes_the_best_so_far(tmp_path: Path) -> None:
    """By SIGTERM as by Ctrl-C; meanwhile nobody else can write its checkpoint, from which it then resumes."""
    data = planted_linear(60, 20, 10, noise=1.0, seed=1).data
    write_dataset(data, tmp_path / "data.npz")
    journal = tmp_path / "training.journal"
    command = [sys.executable, "-m", "rankmax", "train", "data.npz", "-o", "model.json", "-m", "AP"]
    command += ["--restarts", "100000", "--checkpoint", "training.journal"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for(lambda: (journal.exists() and journal.read_bytes().count(b"\n") > 50) or process.poll() is not None)
        with pytest.raises(Exception, match=r"training\.journal: cannot write: another process is writing to it"):
            JournalFile(journal, {})
        os.kill(process.pid, signal.SIGTERM)
        out, err = process.communicate(timeout=ALIVE)
    assert process.returncode == 143, err
    assert re.search(r"training +0\.\d{4}", out)
    told = "stopped early: wrote the best weights so far to model.json; run the same command again to resume"
    assert told in " ".join(err.split())
    assert "Traceback" not in err
    assert LinearModel.load(tmp_path / "model.json").training.stopped_by == "interrupted"
    again = LinearRanker("AP", n_restarts=2).fit_dataset(data, checkpoint=journal)
    assert again.coef_.tolist() == LinearRanker("AP", n_restarts=2).fit_dataset(data).coef_.tolist()


def test_a_training_in_several_processes_that_is_stopped_writes_the_best_so_far(tmp_path: Path) -> None:
    """Late, when many ascents of its workers have ended; no worker outlives it."""
    data = planted_linear(60, 20, 10, noise=1.0, seed=1).data
    write_dataset(data, tmp_path / "data.npz")
    journal = tmp_path / "training.journal"
    command = [sys.executable, "-m", "rankmax", "train", "data.npz", "-o", "model.json", "-m", "AP", "--jobs", "2"]
    command += ["--restarts", "100000", "--shrinkage", "0", "--checkpoint", "training.journal"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for(lambda: (journal.exists() and journal.read_bytes().count(b"\n") > 400) or process.poll() is not None)
        os.kill(process.pid, signal.SIGTERM)
        out, err = process.communicate(timeout=ALIVE)  # ends when no worker holds the streams any more
    assert process.returncode == 143, err
    assert re.search(r"training +0\.\d{4}", out)
    assert "stopped early: wrote the best weights so far to model.json" in " ".join(err.split())
    assert "Traceback" not in err
    model = LinearModel.load(tmp_path / "model.json")
    assert model.training.stopped_by == "interrupted"
    assert LinearObjective(data, AP()).at(model.weights).value > LinearObjective(data, AP()).at(np.ones(10)).value
