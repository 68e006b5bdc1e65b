from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.formats.npz import write_npz
from rankmax.models import LinearModel, load_any_model


def test_trains_and_reports(rankmax, letor_files: Path) -> None:
    done = rankmax(
        *("train", "data.txt", "-o", "model.json", "--learner", "least-squares"),
        *("--validation", "data.txt", "-m", "RR", "--json"),
    )
    assert json.loads(done.out)["metrics"] == {"training": {"RR": 1.0}, "validation": {"RR": 1.0}}
    model = LinearModel.load(letor_files / "model.json")
    assert model.weights[0] > 0
    assert model.provenance.learner == "LeastSquaresRanker"


def test_maximizes_the_first_metric_by_default(rankmax, letor_files: Path) -> None:
    done = rankmax("train", "data.txt", "-o", "model.json", "-m", "RR", "-m", "AP", "--space", "simplex", "--json")
    assert json.loads(done.out)["metrics"]["training"] == {"RR": 1.0, "AP": 1.0}
    model = LinearModel.load(letor_files / "model.json")
    assert (model.metric, model.provenance.learner) == ("RR", "LinearRanker")
    assert (model.weights >= 0).all()


@pytest.mark.parametrize(
    ("learner", "option"),
    [
        ("direct", "--ridge"),
        *(
            ("least-squares", option)
            for option in (
                *("--space", "--shrinkage", "--restarts", "--seed"),
                *("--bag", "--jobs", "--time-limit", "--checkpoint"),
            )
        ),
    ],
)
def test_options_of_the_other_learner_are_refused(rankmax, letor_files: Path, learner: str, option: str) -> None:
    value = "simplex" if option == "--space" else "1"
    done = rankmax("train", "data.txt", "-o", "model.json", "--learner", learner, option, value)
    assert (done.status, f"{option} is not for the learner {learner}" in done.err) == (2, True)
    assert not (letor_files / "model.json").exists()


def test_table_and_next_command(rankmax, letor_files: Path) -> None:
    done = rankmax("train", "data.txt", "-o", "model.json", "-m", "RR")
    assert ["training", "1.0000"] in [line.split() for line in done.out.splitlines()]
    assert "rankmax rank model.json" in done.err


def test_same_file_for_the_same_data(rankmax, letor_files: Path) -> None:
    for name in ("a.json", "b.json"):
        assert rankmax("train", "data.txt", "-o", name, "--normalize", "min-max").status == 0
    assert (letor_files / "a.json").read_bytes() == (letor_files / "b.json").read_bytes()


def test_output_folder_must_exist(rankmax, letor_files: Path) -> None:
    done = rankmax("train", "data.txt", "-o", "nowhere/model.json")
    assert done.status == 2
    assert "cannot write: no folder nowhere" in done.err


def test_validation_chooses_and_is_reported(rankmax, letor_files: Path) -> None:
    done = rankmax("train", "data.txt", "-o", "model.json", "-m", "AP", "--validation", "data.txt", "--json")
    told = json.loads(done.out)
    assert told["metrics"] == {"training": {"AP": 1.0}, "validation": {"AP": 1.0}}
    assert (told["training"]["value"], told["training"]["validation_value"]) == (1.0, 1.0)
    assert told["training"]["stopped_by"] == "converged"


def test_bags_and_restarts(rankmax, letor_files: Path) -> None:
    done = rankmax("train", "data.txt", "-o", "model.json", "--bag", "3", "--restarts", "2", "--seed", "5", "--json")
    assert json.loads(done.out)["training"]["n_ascents"] == 6
    parameters = LinearModel.load(letor_files / "model.json").provenance.parameters
    assert (parameters["n_bags"], parameters["n_restarts"], parameters["seed"]) == (3, 2, 5)


def test_jobs_change_no_bit(rankmax, letor_files: Path) -> None:
    for jobs in (1, 2):
        assert rankmax("train", "data.txt", "-o", f"{jobs}.json", "--bag", "2", "--jobs", jobs).status == 0
    assert (letor_files / "1.json").read_bytes() == (letor_files / "2.json").read_bytes()


def interrupt_after(monkeypatch: pytest.MonkeyPatch, n_reports: int) -> None:
    told: list[str] = []

    def say(work: object, description: str) -> None:
        told.append(description)
        if len(told) == n_reports:
            raise KeyboardInterrupt

    monkeypatch.setattr("rankmax.api.progress.Stage.say", say)


def test_an_interrupt_writes_the_best_so_far_and_the_next_run_goes_on(
    rankmax, letor_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("train", "data.txt", "-o", "model.json", "--restarts", "3", "--checkpoint", "journal")
    assert rankmax(*command, "-o", "whole.json").status == 0
    (letor_files / "journal").unlink()
    with monkeypatch.context() as patch:
        interrupt_after(patch, 3)
        done = rankmax(*command)
    assert done.status == 130
    told = "stopped early: wrote the best weights so far to model.json; run the same command again to resume"
    assert told in done.err
    assert "training" in done.out
    model = LinearModel.load(letor_files / "model.json")
    assert model.training is not None
    assert model.training.stopped_by == "interrupted"
    assert rankmax(*command).status == 0
    assert (letor_files / "model.json").read_bytes() == (letor_files / "whole.json").read_bytes()


def test_a_checkpoint_of_another_training_is_refused(rankmax, letor_files: Path) -> None:
    command = ("train", "data.txt", "-o", "model.json", "--restarts", "1", "--checkpoint", "journal")
    assert rankmax(*command).status == 0
    done = rankmax(*command, "--seed", "1")
    assert (done.status, "journal of another training: seed was 0, is 1" in done.err) == (1, True)


def test_time_limit(rankmax, letor_files: Path) -> None:
    done = rankmax("train", "data.txt", "-o", "model.json", "--time-limit", "0.000001", "--json")
    assert (done.status, json.loads(done.out)["training"]["stopped_by"]) == (0, "seconds")


def test_progress_on_a_terminal(rankmax, letor_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    advanced: list[None] = []
    monkeypatch.setattr("rankmax.api.progress.Stage.say", lambda work, text: told.append(text))
    monkeypatch.setattr("rankmax.api.progress.Stage.advance", lambda work: advanced.append(None))
    assert (
        rankmax("train", "data.txt", "-o", "m.json", "-m", "AP", "--restarts", "3", "--time-limit", "600").status == 0
    )
    assert len(advanced) == 3
    assert re.fullmatch(r"AP 1\.0000, \d+ lines, 3 of 3, \d+ s left", told[-1])


def test_weights_of_0_are_told_in_one_line(rankmax, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    data = RankingDataset.from_arrays(
        rng.normal(size=(600, 2)), rng.random(600) < 0.3, qid=np.repeat(np.arange(10), 60)
    )
    write_npz(data, tmp_path / "noise.npz")
    done = rankmax("train", str(tmp_path / "noise.npz"), "-o", "model.json", "--learner", "structural-svm", "-m", "P@3")
    told = [line for line in done.err.splitlines() if "warning" in line]
    assert done.status == 0
    assert len(told) == 1
    assert told[0].startswith("note: warning: StructuralSVM: all weights are 0")


def test_overfitting_is_told(rankmax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Features of pure chance can be learned by heart, and serve no other query."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    chance = rng.normal(size=(20 * 8, 12))
    data = RankingDataset.from_arrays(chance, rng.integers(0, 2, 160), qid=np.repeat(np.arange(20), 8))
    write_npz(data, "data.npz")
    given = ("train", "data.npz", "-o", "model.json", "-m", "AP", "--smoothing", 0, "--restarts", 1)
    done = rankmax(*given)
    rows = {line.split()[0]: float(line.split()[1]) for line in done.out.splitlines() if " 0." in line}
    assert rows["training"] > rows["cross-validated"] + 0.1
    assert f"overfitting: AP is {rows['training']:.4f} on the training queries" in done.err
    assert f"but {rows['cross-validated']:.4f} cross-validated" in done.err
    asked = rankmax(*given, "--folds", 5)
    assert asked.out == done.out
    without = rankmax(*given, "--folds", 0)
    assert "cross-validated" not in without.out + without.err
    told = json.loads(rankmax(*given, "--json").out)
    assert told["overfitted"] == ["AP"]
    assert told["training"]["cross_validated_value"] == told["metrics"]["cross-validated"]["AP"]
    inspected = rankmax("inspect", "model.json").out
    assert re.search(rf"cross-validated\s+{rows['cross-validated']:.4f}", inspected)


def test_a_model_is_not_called_overfitted_without_reason(rankmax, tmp_path: Path) -> None:
    write_npz(planted_linear(30, 10, 3, noise=0.3, seed=1).data, tmp_path / "data.npz")
    done = rankmax("train", tmp_path / "data.npz", "-o", tmp_path / "model.json", "-m", "AP")
    assert "cross-validated" in done.out
    assert "overfitting" not in done.err


def test_a_report_that_nobody_asked_for_does_not_fail_a_training(rankmax, tmp_path: Path) -> None:
    """Of these queries one alone tells documents apart, so a fold has nothing to learn from."""
    grades = np.zeros(40)
    grades[0] = 1
    data = RankingDataset.from_arrays(np.arange(80.0).reshape(40, 2) % 7, grades, qid=np.repeat(np.arange(10), 4))
    write_npz(data, tmp_path / "data.npz")
    given = ("train", tmp_path / "data.npz", "-o", tmp_path / "model.json", "-m", "AP")
    assert rankmax(*given).status == 0


def test_curves_are_learned_as_smooth_and_monotone_as_asked(rankmax, tmp_path: Path) -> None:
    write_npz(planted_linear(20, 10, 3, noise=0.5, seed=2).data, tmp_path / "data.npz")
    asked = ("train", "data.npz", "-o", "curves.json", "-m", "AP", "--learner", "additive", "--knots", "5")
    done = rankmax(*asked, "--smoothness", "50", "--monotone", "f1=up", "--monotone", "f2=down", "--folds", "0")
    assert done.status == 0
    model = load_any_model(tmp_path / "curves.json")
    assert (np.diff(model.curve("f1").values) >= 0).all()
    assert (np.diff(model.curve("f2").values) <= 0).all()
    assert model.provenance.parameters["monotone"] == ["f1=up", "f2=down"]
    assert rankmax("rank", "curves.json", "data.npz", "-o", "ranked.run").status == 0
    refused = rankmax(*asked, "--monotone", "f1")
    assert (refused.status, "expected a feature and its way, such as recency=up" in refused.err) == (1, True)
    steps = rankmax(*asked, "--curves", "steps", "--smoothness", "50", "--folds", "0")
    assert (steps.status, load_any_model(tmp_path / "curves.json").curve("f1").kind) == (0, "constant")
    assert rankmax("export", "curves.json", "--to", "function-score").status == 0
    straight = rankmax(*asked, "--smoothness", "inf", "--folds", "0", "--json")
    assert 0 < json.loads(straight.out)["metrics"]["training"]["AP"] <= 1
