from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankmax.models import LinearModel


def test_trains_and_reports(rankmax, letor_files: Path) -> None:
    done = rankmax(
        *("train", "data.txt", "-o", "model.json", "--learner", "least-squares"),
        *("--validation", "data.txt", "-m", "RR", "--json"),
    )
    assert json.loads(done.out)["metrics"] == {"training": {"RR": 1.0}, "validation": {"RR": 1.0}}
    model = LinearModel.load(letor_files / "model.json")
    assert model.weights[0] > 0
    assert model.provenance.learner == "LeastSquaresRanker"


def test_maximises_the_first_metric_by_default(rankmax, letor_files: Path) -> None:
    done = rankmax("train", "data.txt", "-o", "model.json", "-m", "RR", "-m", "AP", "--space", "simplex", "--json")
    assert json.loads(done.out)["metrics"]["training"] == {"RR": 1.0, "AP": 1.0}
    model = LinearModel.load(letor_files / "model.json")
    assert (model.metric, model.provenance.learner) == ("RR", "LinearRanker")
    assert (model.weights >= 0).all()


@pytest.mark.parametrize(
    ("learner", "option"),
    [("direct", "--ridge"), ("least-squares", "--space"), ("least-squares", "--restarts"), ("least-squares", "--seed")],
)
def test_options_of_the_other_learner_are_refused(rankmax, letor_files: Path, learner: str, option: str) -> None:
    value = "simplex" if option == "--space" else "1"
    done = rankmax("train", "data.txt", "-o", "model.json", "--learner", learner, option, value)
    assert (done.status, f"{option} is not for the learner {learner}" in done.err) == (2, True)
    assert not (letor_files / "model.json").exists()


def test_a_metric_without_tables_cannot_be_maximised(rankmax, letor_files: Path) -> None:
    done = rankmax("train", "data.txt", "-o", "model.json", "-m", "Bpref")
    assert (done.status, "Bpref has no tables" in done.err) == (1, True)


def test_table_and_next_command(rankmax, letor_files: Path) -> None:
    done = rankmax("train", "data.txt", "-o", "model.json", "-m", "RR")
    assert ["training", "1.0000"] in [line.split() for line in done.out.splitlines()]
    assert "rankmax rank model.json" in done.err


def test_same_file_for_the_same_data(rankmax, letor_files: Path) -> None:
    for name in ("a.json", "b.json"):
        assert rankmax("train", "data.txt", "-o", name, "--normalise", "min-max").status == 0
    assert (letor_files / "a.json").read_bytes() == (letor_files / "b.json").read_bytes()


def test_output_folder_must_exist(rankmax, letor_files: Path) -> None:
    done = rankmax("train", "data.txt", "-o", "nowhere/model.json")
    assert done.status == 1
    assert "cannot write: no folder nowhere" in done.err
