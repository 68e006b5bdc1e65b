from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from rankmax.errors import DataFormatError
from rankmax.workflows.projects.kept_training import keep_training, read_kept_training
from rankmax.workflows.projects.project import Project

STEPS = [SimpleNamespace(ascent="start 0", n_lines=n, value=value) for n, value in ((0, 0.25), (7, 0.5))]
MODEL = b'{"a": 1}'


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    kept, model = tmp_path / "a.training.json", tmp_path / "a.json"
    model.write_bytes(MODEL)
    keep_training(kept, STEPS, metric="AP", data="train.txt", model=MODEL)
    return kept, model


def test_a_training_is_read_as_it_was_kept(files: tuple[Path, Path]) -> None:
    found = read_kept_training(*files)
    assert found is not None
    assert (found.metric, found.data, found.steps) == ("AP", "train.txt", (("start 0", 0, 0.25), ("start 0", 7, 0.5)))


def test_it_does_not_belong_to_another_model(files: tuple[Path, Path]) -> None:
    files[1].write_bytes(MODEL + b" ")
    assert read_kept_training(*files) is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[", "not a kept training"),
        (b"{}", "not a kept training"),
        (b"\xff", "not a kept training"),
        (b'{"metric": "AP", "data": "d", "model_hash": "", "steps": [], "version": 2}', "as this version keeps it"),
    ],
)
def test_what_is_none_is_told_and_stands_in_no_way(files: tuple[Path, Path], content: bytes, said: str) -> None:
    files[0].write_bytes(content)
    with pytest.raises(DataFormatError, match=rf"a\.training\.json: .*{said}"):
        read_kept_training(*files)
    assert Project.at(files[0].parent).trained_names == []
