from __future__ import annotations

import json
from pathlib import Path

from rankmax.workflows.proofs.certificate import Certificate


def test_tells_the_best_weights_and_what_is_proven(rankmax, letor_files: Path) -> None:
    done = rankmax("prove", "data.txt", "-m", "RR", "-o", "proof.json")
    told = dict(line.strip().split("   ", 1) for line in done.out.strip().splitlines())
    assert list(told) == ["metric", "best value", "f1", "f2", "proven", "stopped by", "plateau", "such as"]
    assert told["best value"].strip() == "1.000000"
    assert told["proven"].strip() == "no weights exceed 1.000000 on these queries (gap 0.000000)"
    assert "rankmax verify proof.json data.txt" in done.err
    assert Certificate.load(letor_files / "proof.json").is_maximum


def test_json_has_what_the_certificate_has(rankmax, letor_files: Path) -> None:
    told = json.loads(
        rankmax("prove", "data.txt", "--features", "f2, f1", "-m", "AP", "-o", "proof.json", "--json").out
    )
    kept = Certificate.load(letor_files / "proof.json")
    assert told["weights"] == dict(zip(("f2", "f1"), kept.weights.tolist(), strict=True))
    assert (told["value"], told["bound"], told["gap"], told["stopped_by"]) == (1.0, 1.0, 0.0, "proven")
    low, high = told["near_best"]["share"]
    assert 0 < low <= high <= 1
    assert set(told["near_best"]["rounded"]) == {"f1", "f2"}


def test_weights_between_bounds(rankmax, letor_files: Path) -> None:
    done = rankmax("prove", "data.txt", "-m", "AP", "--bounds", "f2=0:3,f1=1", "-o", "proof.json", "--json")
    assert json.loads(done.out)["bounds"] == {"f1": [1.0, 1.0], "f2": [0.0, 3.0]}
    assert rankmax("verify", "proof.json", "data.txt").status == 0


def test_mistakes_are_told(rankmax, letor_files: Path) -> None:
    unknown = rankmax("prove", "data.txt", "--features", "f1,f9")
    assert (unknown.status, "unknown feature 'f9'" in unknown.err) == (1, True)
    untabular = rankmax("prove", "data.txt", "-m", "ERR")
    assert (untabular.status, "ERR has no tables" in untabular.err) == (1, True)
    assert rankmax("prove", "data.txt", "--gap", "-1").status == 2


def test_bounds_that_make_no_box_are_told(rankmax, letor_files: Path) -> None:
    for listed, status, complaint in (
        ("f1=1", 1, "no bounds for f2"),
        ("f1=1,f3=0:1", 1, "unknown feature 'f3'"),
        ("f1=1,f2=2:1", 1, "lower and a higher bound"),
        ("f1=1,f2", 2, "'f2' is not of the form"),
        ("f1=1,f2=a:b", 2, "NAME=LOW:HIGH"),
    ):
        done = rankmax("prove", "data.txt", "--bounds", listed)
        assert (done.status, complaint in done.err) == (status, True), done.err
    both = rankmax("prove", "data.txt", "--bounds", "f1=1,f2=0:1", "--space", "euclidean")
    assert (both.status, "one of the two" in both.err) == (2, True)
