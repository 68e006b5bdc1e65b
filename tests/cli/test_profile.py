from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from rankmax.models import LinearModel


@pytest.fixture
def files(letor_files: Path) -> Path:
    """Add a model that ranks by feature 2, for which feature 1 would be perfect, and one that knows no metric."""
    LinearModel(np.array([0.5, 1.0]), ("f1", "f2"), metric="RR").save(letor_files / "model.json")
    LinearModel(np.array([1.0]), ("f2",)).save(letor_files / "plain.json")
    return letor_files


def facts(out: str) -> dict[str, str]:
    return dict(line.strip().split("   ", 1) for line in out.split("\n\n")[0].splitlines())


def test_tells_now_and_the_best_interval(rankmax, files: Path) -> None:
    done = rankmax("profile", "data.txt", "model.json", "--feature", "f1")
    told = {name: value.strip() for name, value in facts(done.out).items()}
    assert told["metric"] == "RR"
    assert (told["weight now"], told["best value"]) == ("0.5", "1.000000")
    assert told["best interval"].endswith(" to inf")
    assert float(told["its middle"]) > float(told["best interval"].split()[0])
    assert "the best weight gains " in done.out


def test_json_and_csv_agree(rankmax, files: Path) -> None:
    command = ("profile", "data.txt", "model.json", "--feature", "f1", "-m", "AP")
    told = json.loads(rankmax(*command, "--json").out)
    rows = list(csv.DictReader(rankmax(*command, "--csv").out.splitlines()))
    assert [float(row["value"]) for row in rows] == told["values"]
    assert [float(row["high"]) for row in rows] == [*told["breakpoints"], math.inf]
    assert [float(row["low"]) for row in rows] == [-math.inf, *told["breakpoints"]]
    assert told["best"]["value"] == max(told["values"]) == 1.0
    assert told["best"]["high"] is None
    assert (told["feature"], told["metric"], told["weight"]) == ("f1", "AP", 0.5)


def test_the_middle_of_the_best_interval_is_as_good_as_told(rankmax, files: Path) -> None:
    best = json.loads(rankmax("profile", "data.txt", "model.json", "--feature", "f1", "--json").out)["best"]
    LinearModel(np.array([best["middle"], 1.0]), ("f1", "f2"), metric="RR").save(files / "better.json")
    done = rankmax("profile", "data.txt", "better.json", "--feature", "f1")
    assert facts(done.out)["value now"].strip() == f"{best['value']:.6f}"
    assert "no other value of this weight is better" in done.out


def test_a_constant_feature_changes_nothing(rankmax, files: Path) -> None:
    (files / "constant.txt").write_text("1 qid:1 1:3 2:1\n0 qid:1 1:3 2:2\n")
    done = rankmax("profile", "constant.txt", "model.json", "--feature", "f1")
    assert "no value of this weight changes the metric" in done.out
    assert facts(done.out)["best interval"].strip() == "-inf to inf"


def test_draws(rankmax, files: Path) -> None:
    pytest.importorskip("matplotlib")
    done = rankmax("profile", "data.txt", "model.json", "--feature", "f1", "-o", "f1.svg")
    assert (done.status, done.err) == (0, "note: wrote f1.svg\n")
    assert (files / "f1.svg").read_bytes().startswith(b"<?xml")


def test_a_picture_of_another_kind(rankmax, files: Path) -> None:
    done = rankmax("profile", "data.txt", "model.json", "--feature", "f1", "-o", "f1.pdf")
    assert (done.status, "must end in .png or .svg" in done.err, done.out) == (2, True, "")


def test_a_model_without_a_metric_needs_one(rankmax, files: Path) -> None:
    done = rankmax("profile", "data.txt", "plain.json", "--feature", "f1")
    assert (done.status, "plain.json names no metric; give one with -m" in done.err) == (2, True)
    assert rankmax("profile", "data.txt", "plain.json", "--feature", "f1", "-m", "RR").status == 0


def test_a_model_of_a_metric_from_elsewhere_needs_one_too(rankmax, files: Path) -> None:
    LinearModel(np.array([1.0]), ("f2",), metric="clicks-per-minute").save(files / "other.json")
    done = rankmax("profile", "data.txt", "other.json", "--feature", "f1")
    assert (done.status, "the metric of other.json cannot be used" in done.err) == (2, True)


def test_unknown_feature_with_the_nearest(rankmax, files: Path) -> None:
    done = rankmax("profile", "data.txt", "model.json", "--feature", "f11")
    assert (done.status, "unknown feature 'f11'; did you mean 'f1'" in done.err) == (1, True)


def test_a_model_of_other_features(rankmax, files: Path) -> None:
    LinearModel(np.array([1.0, 2.0]), ("bm25", "f1"), metric="RR").save(files / "other.json")
    done = rankmax("profile", "data.txt", "other.json", "--feature", "f1")
    assert (done.status, "the data lacks 1 of 2 features" in done.err) == (1, True)


def test_a_metric_without_tables_is_followed_too(rankmax, files: Path) -> None:
    done = rankmax("profile", "data.txt", "model.json", "--feature", "f1", "-m", "Bpref", "--json")
    assert (done.status, json.loads(done.out)["best"]["value"]) == (0, 1.0)
