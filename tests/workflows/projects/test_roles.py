from __future__ import annotations

from pathlib import Path

import pytest

from rankmax.errors import InvalidParameterError
from rankmax.workflows.projects.project import Project
from rankmax.workflows.projects.roles import HeldOutDataError, require_no_test_data, role_of


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("train.npz", "train"),
        ("Training.txt", "train"),
        ("vali.txt", "validation"),
        ("validation.npz", "validation"),
        ("dev.parquet", "validation"),
        ("TEST.txt", "test"),
        ("contest.txt", None),
    ],
)
def test_a_name_tells_the_role(name: str, role: str | None) -> None:
    assert role_of(name) == role


def test_test_queries_need_a_confirmation_whichever_file_has_them() -> None:
    require_no_test_data("train", "train.txt", None, confirmed=False)
    for names in (("test.txt", None), ("train.txt", "test.txt")):
        require_no_test_data("train", *names, confirmed=True)
        with pytest.raises(HeldOutDataError, match=r"no longer tells how they do on new queries. To train, use"):
            require_no_test_data("train", *names, confirmed=False)
    assert issubclass(HeldOutDataError, InvalidParameterError)


def test_parts_are_ordered_and_the_file_that_is_shown_stands_for_its_role(tmp_path: Path) -> None:
    for name in ("test-1.txt", "test-2.txt", "train.txt", "vali.txt", "other.txt"):
        (tmp_path / name).write_text("1 qid:7 1:0.5")
    project = Project.at(tmp_path)
    assert project.parts("train.txt") == [("train.txt", "train"), ("vali.txt", "validation"), ("test-1.txt", "test")]
    assert project.parts("test-2.txt")[-1] == ("test-2.txt", "test")
    assert project.parts("other.txt")[0] == ("other.txt", None)
    assert len(project.parts("other.txt")) == 4
