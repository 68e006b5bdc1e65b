from __future__ import annotations

from pathlib import Path

import pytest

from rankmax.errors import DataFormatError
from rankmax.papers.store import StoredStep, StoredStudy


def test_round_trip(tmp_path: Path) -> None:
    stored = StoredStudy("growth", {"seed": 7})
    stored.get("a", lambda: {"values": [0.25, 1.0]})
    stored.save(tmp_path / "morgan" / "growth.json")
    again = StoredStudy.load(tmp_path / "morgan" / "growth.json")
    assert (again.study, again.settings, again.versions, again.steps) == (
        stored.study,
        stored.settings,
        stored.versions,
        stored.steps,
    )


def test_times_are_those_of_all_steps() -> None:
    steps = {"a": StoredStep(None, 2.0, 1.5), "b": StoredStep(None, 1.0, 0.5)}
    stored = StoredStudy("growth", {}, steps=steps)
    assert (stored.seconds, stored.cpu_seconds) == (3.0, 2.0)


@pytest.mark.parametrize("content", ["", "[]", '{"steps": {}}', '{"steps": 3}'])
def test_other_files_are_refused_by_name(tmp_path: Path, content: str) -> None:
    path = tmp_path / "growth.json"
    path.write_text(content)
    with pytest.raises(DataFormatError, match=r"growth\.json"):
        StoredStudy.load(path)


@pytest.mark.parametrize(
    "content",
    [b"\xff", b'{"study": "\xed\xa0\x80"}', b'{"study": "a", "x": ' + b"[" * 100_000, b'{"study": 7, "settings": {}}'],
)
def test_bytes_that_are_no_text_or_no_end_of_brackets_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "growth.json").write_bytes(content)
    with pytest.raises(DataFormatError, match=r"growth\.json: not the results of a study"):
        StoredStudy.load(tmp_path / "growth.json")
