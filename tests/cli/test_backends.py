"""`rankmax data shard`, and `rankmax train` over shards."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankmax.data.judgments import Judgments
from rankmax.formats.letor import read_letor
from rankmax.formats.registry import write_dataset


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


@pytest.mark.parametrize("learner", ["direct", "structural-svm", "surrogate"])
def test_shards_are_binned_like_the_file(rankmax, letor_files: Path, learner: str) -> None:
    rankmax("data", "shard", "data.txt", "--shards", 2, "-o", "shards")
    command = ("--bins", 3, "--normalize", "min-max", "--learner", learner, "-m", "AP", "--folds", 0, "--json")
    of_file, of_shards = (
        rankmax("train", data, "-o", f"{data}.json", "--validation", "data.txt", *command)
        for data in ("data.txt", "shards")
    )
    assert (of_file.status, of_shards.status) == (0, 0)
    assert json.loads(of_shards.out)["metrics"] == json.loads(of_file.out)["metrics"]
    models = [json.loads((letor_files / f"{data}.json").read_text()) for data in ("data.txt", "shards")]
    assert models[0]["features"] == models[1]["features"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("shards", "--learner", "least-squares"), "the learner least-squares needs all data"),
        (("shards", "--learner", "least-squares", "--bins", 3), "the learner least-squares needs all data"),
        (
            ("data.txt", "--learner", "ranking-svm", "--backend", "local"),
            "--backend is not for the learner ranking-svm",
        ),
        (("shards", "--learner", "structural-svm", "--folds", 2), "folds of shards are held out by query weights"),
        (("data.txt", "--folds", 99), "n_folds is 99; expected 2 to the number of queries"),
        (("shards", "--backend", "spark"), "unknown backend 'spark'"),
        (("shards", "--memory", "much"), "'much' is no amount of memory"),
        (("empty",), "empty is a folder without manifest.json"),
        (("shards", "--jobs", 2), "n_jobs=2 is not for shards"),
    ],
)
def test_what_backends_cannot_do_is_said(rankmax, letor_files: Path, arguments: tuple, message: str) -> None:
    rankmax("data", "shard", "data.txt", "--shards", 2, "-o", "shards")
    (letor_files / "empty").mkdir()
    done = rankmax("train", *arguments, "-o", "model.json")
    assert done.status in (1, 2)
    assert message in " ".join(done.err.split())


def test_a_shard_that_does_not_parse_is_named(rankmax, letor_files: Path) -> None:
    rankmax("data", "shard", "data.txt", "--shards", 2, "-o", "shards", "--format", "letor")
    bad, manifest = letor_files / "shards" / "shard-00001.txt", letor_files / "shards" / "manifest.json"
    bad.write_text(bad.read_text() + "1 qid:9 1:x\n")
    done = rankmax("train", "shards", "-o", "model.json")
    assert (done.status, "shards/shard-00001.txt: damaged or changed: its hash is blake2b:" in done.err) == (1, True)
    manifest.write_text(re.sub(r"blake2b:\w+", "", manifest.read_text()))  # of shards whose hash nobody knows
    done = rankmax("train", "shards", "-o", "model.json")
    assert done.status == 1
    assert "shards/shard-00001.txt:7: " in done.err
    again = rankmax("data", "shard", "data.txt", "--shards", 2, "-o", "shards")
    assert (again.status, "exists already" in again.err) == (1, True)


@pytest.mark.parametrize("learner", ["direct", "surrogate", "expected-gain"])
def test_queries_left_out_are_reported_alike(rankmax, letor_files: Path, learner: str) -> None:
    rankmax("data", "shard", "data.txt", "--shards", 2, "-o", "shards")
    command = ("-m", "RR", "-m", "AP", "--learner", learner, "--folds", 2, "--json")
    command += ("--restarts", 1) if learner == "direct" else ()
    file, folder = (
        json.loads(rankmax("train", data, "-o", f"{data}.json", *command).out)["metrics"]
        for data in ("data.txt", "shards")
    )
    assert file == folder
    assert set(file) == {"training", "cross-validated"}
    assert (letor_files / "shards.json").exists()


@pytest.mark.parametrize("judged", [1.0, 0.6])
def test_models_are_evaluated_and_compared_on_shards(rankmax, letor_files: Path, judged: float) -> None:
    """Bounds over the judgments of unjudged documents included."""
    whole = read_letor("data.txt")
    known = np.random.default_rng(0).random(whole.n_documents) < judged
    grades = np.where(known, whole.grades, np.nan)
    grades[whole.query_offsets[0] : whole.query_offsets[1]] = 1  # a part without unjudged documents
    judgments = Judgments.from_grades(grades, whole.query_offsets, query_ids=whole.query_ids)
    write_dataset(replace(whole, judgments=judgments), "data.npz")
    rankmax("data", "shard", "data.npz", "--shards", 2, "-o", "shards")
    for name, learner in (("a", "least-squares"), ("b", "expected-gain")):
        rankmax("train", "data.txt", "-o", f"{name}.json", "--learner", learner, "--normalize", "min-max")
    models = ("--model", "a.json", "--model", "b.json", "-m", "AP", "-m", "nDCG@2", "--json")
    for command in (("evaluate", "--per-query"), ("compare",)):
        file, folder, bounded = (
            json.loads(rankmax(*command, *data, *models).out)
            for data in (("data.npz",), ("shards",), ("shards", "--memory", "1MB"))
        )
        assert file == folder == bounded
        assert '"highest"' in json.dumps(file)
        assert ('"share": 0.0' in json.dumps(file)) == (judged == 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("shards", "some.run"), "runs need a file of judgments"),
        (("shards", "--scores", "data.txt"), "shards take --model"),
        (("data.txt", "--backend", "spark", "--model", "model.json"), "unknown backend 'spark'"),
    ],
)
def test_what_cannot_be_evaluated_on_shards_is_said(rankmax, letor_files: Path, arguments: tuple, message: str) -> None:
    rankmax("data", "shard", "data.txt", "--shards", 2, "-o", "shards")
    rankmax("train", "data.txt", "-o", "model.json", "--learner", "least-squares")
    (letor_files / "some.run").write_text("")
    done = rankmax("evaluate", *arguments)
    assert done.status in (1, 2)
    assert message in " ".join(done.err.split())
