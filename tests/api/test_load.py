from __future__ import annotations

from pathlib import Path

import pytest

import rankmax
from rankmax.data.synthetic import planted_linear
from rankmax.errors import DataFormatError


def test_models_and_certificates_are_told_by_their_files(tmp_path: Path) -> None:
    rankmax.LinearModel([1.0], ("bm25",)).save(tmp_path / "model.json")
    certificate = rankmax.prove(planted_linear(6, 4, 2, seed=1).data, "AP")
    certificate.save(tmp_path / "certificate.json")
    assert rankmax.load(tmp_path / "model.json").feature_names == ("bm25",)
    assert rankmax.load(tmp_path / "certificate.json").value == certificate.value
    (tmp_path / "other.json").write_text('{"schema": "rankmax/tree/1"}')
    with pytest.raises(DataFormatError, match=r"other\.json: schema is 'rankmax/tree/1'"):
        rankmax.load(tmp_path / "other.json")
