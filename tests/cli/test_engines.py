"""`rankmax data shard`, and `rankmax train` over shards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def test_shards_are_trained_on_like_the_file(rankmax, letor_files: Path) -> None:
    done = rankmax("data", "shard", "data.txt", "--shards", 2, "-o", "shards")
    assert (done.status, "wrote shards: 2 shards, 12 documents" in done.err) == (0, True)
    command = ("-m", "RR", "-m", "AP", "--restarts", 1, "--json")
    file, folder, bounded = (
        json.loads(rankmax("train", data, "-o", "model.json", *command, *more).out)
        for data, more in (("data.txt", ()), ("shards", ("--validation", "data.txt")), ("shards", ("--memory", "1MB")))
    )
    assert folder["metrics"] == {"training": file["metrics"]["training"], "validation": file["metrics"]["training"]}
    assert bounded["training"]["value"] == file["training"]["value"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("shards", "--bins", 3), "--bins needs all data in this process"),
        (("shards", "--learner", "least-squares"), "the learner least-squares needs all data"),
        (("data.txt", "--learner", "surrogate", "--engine", "local"), "--engine is not for the learner surrogate"),
        (("shards", "--engine", "spark"), "unknown engine 'spark'"),
        (("shards", "--memory", "much"), "'much' is no amount of memory"),
        (("empty",), "empty is a folder without manifest.json"),
        (("shards", "--jobs", 2), "n_jobs=2 is not for shards"),
    ],
)
def test_what_engines_cannot_do_is_said(rankmax, letor_files: Path, arguments: tuple, message: str) -> None:
    rankmax("data", "shard", "data.txt", "--shards", 2, "-o", "shards")
    (letor_files / "empty").mkdir()
    done = rankmax("train", *arguments, "-o", "model.json")
    assert done.status in (1, 2)
    assert message in " ".join(done.err.split())


def test_a_shard_that_does_not_parse_is_named(rankmax, letor_files: Path) -> None:
    rankmax("data", "shard", "data.txt", "--shards", 2, "-o", "shards", "--format", "letor")
    bad = letor_files / "shards" / "shard-00001.txt"
    bad.write_text(bad.read_text() + "1 qid:9 1:x\n")
    done = rankmax("train", "shards", "-o", "model.json")
    assert done.status == 1
    assert "shards/shard-00001.txt:7: " in done.err
    again = rankmax("data", "shard", "data.txt", "--shards", 2, "-o", "shards")
    assert (again.status, "exists already" in again.err) == (1, True)
