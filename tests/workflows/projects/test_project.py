from __future__ import annotations

import os
from pathlib import Path

import pytest

from oracles.run_files import write_runs
from oracles.tree_models import FILES
from rankmax.data.synthetic import planted_linear
from rankmax.errors import DataFormatError, InvalidParameterError, UnknownNameError
from rankmax.formats.npz import write_npz
from rankmax.models import LinearModel
from rankmax.models.tree_ensemble_model import TreeEnsembleModel
from rankmax.workflows.projects.project import Project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "inside"
    inside.mkdir()
    for name in ("zebra", "test", "vali", "train"):
        write_npz(planted_linear(3, 4, 2, seed=1).data, inside / f"{name}.npz")
    LinearModel([1.0], ("f1",)).save(inside / "model.json")
    (inside / "notes.json").write_text("{}")
    (inside / ".hidden.npz").write_bytes(b"")
    (inside / "train.topics.tsv").write_text("q1\twings")
    (tmp_path / "outside.npz").write_bytes((inside / "train.npz").read_bytes())
    (inside / "link.npz").symlink_to(tmp_path / "outside.npz")
    (inside / "alias.npz").symlink_to(inside / "train.npz")
    (inside / "folder.npz").mkdir()
    return inside


def test_files_are_listed_training_first(folder: Path) -> None:
    project = Project.at(folder)
    assert project.data_names == ["train.npz", "vali.npz", "test.npz", "alias.npz", "zebra.npz"]
    assert project.model_names == ["model.json"]
    assert (project.chosen, project.data("test.npz").n_queries) == ("train.npz", 3)
    assert project.model("model.json").feature_names == ("f1",)


def test_other_json_is_no_model(folder: Path) -> None:
    with pytest.raises(DataFormatError, match=r"notes\.json"):
        Project.at(folder).model("notes.json")


def test_trees_are_models_and_no_data(folder: Path) -> None:
    for name in ("lightgbm.txt", "xgboost.json"):
        (folder / name).write_bytes((FILES / name).read_bytes())
    (folder / "pickle.txt").write_bytes(b"\x80\x04")
    project = Project.at(folder)
    assert project.model_names == ["lightgbm.txt", "model.json", "xgboost.json"]
    assert not {"lightgbm.txt", "pickle.txt"} & set(project.data_names)
    assert isinstance(project.model("lightgbm.txt"), TreeEnsembleModel)


def test_a_data_file_chooses_itself(folder: Path) -> None:
    assert Project.at(folder / "test.npz") == Project(folder, "test.npz")


def test_a_folder_may_be_empty(tmp_path: Path) -> None:
    assert Project.at(tmp_path) == Project(tmp_path, None)


@pytest.mark.parametrize("name", ["no-such", "inside/notes.json"])
def test_other_things_are_no_project(folder: Path, name: str) -> None:
    with pytest.raises(DataFormatError, match=Path(name).name):
        Project.at(folder.parent / name)


@pytest.mark.parametrize("name", ["../outside.npz", "link.npz", "./train.npz", ".hidden.npz", "folder.npz", ""])
def test_names_lead_nowhere_else(folder: Path, name: str) -> None:
    project = Project.at(folder)
    for ask in (project.data, project.model, project.path_of):
        with pytest.raises(UnknownNameError):
            ask(name)


def test_new_files_get_a_suffix_and_replace_nothing(folder: Path) -> None:
    project = Project.at(folder)
    assert project.new_file("best of 3", ".json") == folder / "best of 3.json"
    assert project.new_file("best.json", ".json") == folder / "best.json"
    for taken in ("model.json", "link.npz"):
        with pytest.raises(InvalidParameterError, match="exists already"):
            project.new_file(taken)


@pytest.mark.parametrize("name", ["", ".x", "a/b", "..", "a\\b", "a\0", "-x", "a\n", "x" * 101, "<b>"])
def test_bad_names_are_refused(folder: Path, name: str) -> None:
    with pytest.raises(InvalidParameterError, match="cannot be a file"):
        Project.at(folder).new_file(name)


def test_runs_judgments_and_tunings_are_found(tmp_path: Path) -> None:
    write_runs(tmp_path)
    (tmp_path / "train.txt").write_text("1 qid:8 1:0.5")
    (tmp_path / "topics.txt").write_text("q1 0 wing 3")
    (tmp_path / "rankmax.toml").write_text("")
    for name in ("old", "new"):
        (tmp_path / f"{name}.tuning.json").write_text("{}")
    os.utime(tmp_path / "old.tuning.json", (1, 1))
    (tmp_path.parent / "outside.run").write_text("q1 Q0 d1 1 0.5 x")
    (tmp_path / "link.run").symlink_to(tmp_path.parent / "outside.run")
    project = Project.at(tmp_path / "bm25.run")
    assert project == Project.at(tmp_path / "rankmax.toml") == Project(tmp_path, "train.txt")
    assert project.run_names == ["bm25.run", "e5.run", "splade.run"]
    assert (project.qrels_names, project.data_names) == (["qrels.txt"], ["train.txt"])
    assert (project.tuning_names, project.model_names) == (["new", "old"], [])
    assert project.tuning("old") == tmp_path / "old.tuning.json"
    assert project.project_file == tmp_path / "rankmax.toml"
    for ask, name in ((project.run, "link.run"), (project.qrels, "bm25.run"), (project.tuning, "../old")):
        with pytest.raises(UnknownNameError):
            ask(name)
