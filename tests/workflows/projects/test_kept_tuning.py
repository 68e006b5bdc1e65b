from __future__ import annotations

import json
from pathlib import Path

import pytest

from oracles.tuning_pages import planted, tuned
from rankmax.errors import DataFormatError
from rankmax.workflows.projects.kept_tuning import kept_tuning, read_kept_model, read_kept_page
from rankmax.workflows.tuning.report.tuning_page_data import tuning_page_data


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    tuning, confidence = tuned(planted(2))
    page = tuning_page_data(tuning, confidence)
    path = tmp_path / "a.tuning.json"
    path.write_bytes(kept_tuning(page, tuning.model()))
    assert read_kept_page(path) == json.loads(json.dumps(page))
    assert read_kept_model(path).to_json() == tuning.model().to_json()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"[" * 100_000,
        b"\xff",
        b'{"format":"rankmax-tuning","version":1,"model":{},"page":{}}',
        b'{"format":"rankmax-tuning","version":2,"model":{},"page":{"summary":1}}',
        b'{"format":"rankmax-tuning","version":1,"model":{},"page":[]}',
    ],
)
def test_anything_else_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.tuning.json"
    path.write_bytes(content)
    for read in (read_kept_page, read_kept_model):
        with pytest.raises(DataFormatError, match="not a"):
            read(path)
