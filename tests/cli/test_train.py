from __future__ import annotations

import json
from pathlib import Path

from rankmax.models import LinearModel


def test_trains_and_reports(rankmax, letor_files: Path) -> None:
    done = rankmax("train", "data.txt", "-o", "model.json", "--validation", "data.txt", "-m", "RR", "--json")
    assert json.loads(done.out)["metrics"] == {"training": {"RR": 1.0}, "validation": {"RR": 1.0}}
    model = LinearModel.load(letor_files / "model.json")
    assert model.weights[0] > 0
    assert model.provenance.learner == "LeastSquaresRanker"


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
