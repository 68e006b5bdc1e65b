"""A full disk: every verb says which file, leaves what was there, and a finished training is not lost."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from rankmax.models.linear_model import LinearModel

WRITING = {
    "data synthetic OUT.txt --queries 5": "OUT.txt",
    "data convert data.txt OUT.npz": "OUT.npz",
    "data convert data.txt OUT.parquet": "OUT.parquet",
    "data convert data.txt OUT.csv": "OUT.csv",
    "data convert fused.npz OUT.jsonl": "OUT.jsonl",
    "data convert data.txt OUT.txt.gz": "OUT.txt.gz",
    "data split data.txt OUT.txt other.txt": "OUT.txt",
    "data join qrels.txt bm25.run dense.run --missing zero -o OUT.npz": "OUT.npz",
    "rank model.json data.txt -o OUT.run": "OUT.run",
    "rank model.json data.txt -o OUT.txt --as scores": "OUT.txt",
    "search docs.index --topics topics.tsv -o OUT.run": "OUT.run",
    "features docs.index --topics topics.tsv --candidates top:3 --set gey -o OUT.npz": "OUT.npz",
    "export model.json --to sql -o OUT.sql": "OUT.sql",
    "surface data.txt --features f1,f2 -m RR -o OUT.png": "OUT.png",
    "surface data.txt --features f1,f2 -m RR -o OUT.svg": "OUT.svg",
    "surface data.txt --features f1,f2,f3 -m RR --resolution 3 -o OUT.html": "OUT.html",
    "profile data.txt model.json --feature f1 -m RR -o OUT.png": "OUT.png",
    "tune data.txt -m RR --repeats 1 --folds 2 --report OUT.html": "OUT.html",
}


@pytest.mark.parametrize("command", WRITING)
def test_the_file_is_named_and_the_old_one_stays(rankmax, files: Path, room_for, command: str) -> None:
    out = files / WRITING[command]
    out.write_bytes(b"old")
    before = sorted(path.name for path in files.iterdir())
    with room_for(16):
        done = rankmax(*command.split())
    assert done.status == 1
    assert done.err.strip().splitlines()[-1] == f"Error: {out.name}: cannot write: File too large"
    assert out.read_bytes() == b"old"
    assert sorted(path.name for path in files.iterdir()) == before


@pytest.mark.parametrize("command", ["data shard data.txt --shards 2 -o OUT", "index docs.tsv -o OUT"])
def test_folders_are_not_there_at_all(rankmax, files: Path, room_for, command: str) -> None:
    before = sorted(path.name for path in files.iterdir())
    with room_for(16):
        done = rankmax(*command.split())
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert re.search(r"Error: \S*\.OUT\.building/\S+: cannot write: File too large", done.err)
    assert sorted(path.name for path in files.iterdir()) == before


@pytest.mark.parametrize(
    "command",
    [
        "train data.txt -o OUT.json -m RR --restarts 1 --shrinkage 0",
        "tune data.txt -m RR --repeats 1 --folds 2 -o OUT.json",
        "prove data.txt --features f1,f2 -m RR -o OUT.json",
    ],
)
def test_what_took_long_goes_to_a_temporary_folder(
    rankmax, files: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    (files / "OUT.json").symlink_to("/dev/full")
    (files / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(files / "temporary"))
    done = rankmax(*command.split())
    [said] = [line for line in done.err.splitlines() if line.startswith("Error")]
    found = re.fullmatch(r"Error: OUT\.json: cannot write: No space left on device; the \w+ is in (\S+) instead", said)
    assert found is not None
    assert (done.status, "OUT.json" in done.out, len(done.out.splitlines()) > 2) == (1, False, True)
    content = Path(found[1]).read_bytes()
    assert rankmax(*command.replace("OUT", "good").split()).status == 0
    good = (files / "good.json").read_bytes()
    assert re.sub(rb"\"created\".*", b"", content) == re.sub(rb"\"created\".*", b"", good)


def test_where_nothing_can_be_written_the_model_is_printed(rankmax, files: Path, room_for) -> None:
    with room_for(16):
        done = rankmax(*["train", "data.txt", "-o", "OUT.json", "-m", "RR", "--restarts", "1", "--shrinkage", "0"])
    assert done.status == 1
    assert done.err.endswith("OUT.json: cannot write: File too large; the model is on standard output instead\n")
    assert LinearModel.from_json(done.out.encode()).weights.shape == (3,)


def test_a_checkpoint_that_is_full_does_not_end_the_training(rankmax, files: Path, room_for) -> None:
    command = ["train", "data.txt", "-m", "RR", "--restarts", "2", "--shrinkage", "0", "--checkpoint", "OUT.journal"]
    with room_for(3000):
        done = rankmax(*command, "-o", "model.json")
    assert done.status == 0
    assert "note: warning: OUT.journal: cannot write: File too large; the training goes on" in done.err
    again = rankmax(*command, "-o", "again.json")
    assert again.status == 0
    weights = [LinearModel.load(files / name).weights.tolist() for name in ("model.json", "again.json")]
    assert weights[0] == weights[1]


def test_a_small_disk(rankmax, files: Path) -> None:
    """The same on a file system of its own, where mounting one is permitted."""
    disk = files / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "none", disk], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("mounting a file system is not permitted here")
    try:
        (disk / "most").write_bytes(bytes(4096))
        for command in ("data convert data.txt disk/OUT.npz", "data shard data.txt --shards 2 -o disk/OUT"):
            done = rankmax(*command.split())
            assert done.status == 1
            assert re.search(r"Error: \S*disk/\S*OUT\S*: cannot write: No space left on device\n", done.err)
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        for command in ("data convert data.txt disk/OUT.npz", "data shard data.txt --shards 2 -o disk/OUT"):
            done = rankmax(*command.split())
            assert (done.status, "disk/OUT" in done.err, "no permission to write in" in done.err) == (2, True, True)
        assert [path.name for path in disk.iterdir()] == ["most"]
    finally:
        subprocess.run(["umount", disk], check=True)


RANKMAX = [sys.executable, "-m", "rankmax"]
JSON = [*RANKMAX, "inspect", "model.json", "--json"]


@pytest.mark.parametrize("command", [[*RANKMAX, "--help"], JSON], ids=["help", "json"])
def test_standard_output_on_a_full_disk(files: Path, command: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=files, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "Error: standard output: cannot write: No space left on device\n")


def test_closed_standard_output(files: Path) -> None:
    closed = ["bash", "-c", '"$@" >&-', "bash"]
    done = subprocess.run([*closed, *RANKMAX, "--help"], cwd=files, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "Error: standard output: cannot write: Bad file descriptor\n")


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
def test_closed_standard_input_and_error(files: Path, closed: str) -> None:
    done = subprocess.run(["bash", "-c", f'"$@" {closed}', "bash", *JSON], cwd=files, capture_output=True, check=False)
    assert done.returncode == 0
    assert json.loads(done.stdout)["model"] == "model.json"


def test_a_reader_that_has_seen_enough(files: Path) -> None:
    command = ["bash", "-c", '"$@" | true; exit ${PIPESTATUS[0]}', "bash", *RANKMAX, "--help"]
    done = subprocess.run(command, cwd=files, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
