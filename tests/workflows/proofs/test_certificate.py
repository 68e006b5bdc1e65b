from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankmax.errors import DataFormatError
from rankmax.metrics import parse_metric
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.proofs.certificate import Certificate


@pytest.fixture
def certificate() -> Certificate:
    return Certificate(
        metric=parse_metric("nDCG(gain='exp2')@5"),
        features=("bm25", "clicks"),
        normalization=Normalization.named("min-max"),
        space="simplex",
        weights=np.array([1 / 3, 2 / 3]),
        value=0.5,
        bound=0.5625,
        stopped_by="seconds",
        data_hash="blake2b:00",
        cuts=bytes([254, 254, 7, 255]),
    )


def test_a_file_keeps_everything(certificate: Certificate, tmp_path: Path) -> None:
    certificate.save(tmp_path / "proof.json")
    again = Certificate.load(tmp_path / "proof.json")
    assert again.to_json() == certificate.to_json()
    assert (again.metric, again.features, again.normalization) == (
        certificate.metric,
        certificate.features,
        certificate.normalization,
    )
    assert again.weights.tolist() == certificate.weights.tolist()
    assert (again.gap, again.is_maximum, again.cuts) == (0.0625, False, certificate.cuts)


def test_bounds_are_kept_by_feature(certificate: Certificate) -> None:
    box = replace(certificate, space="box", bounds=((1.0, 1.0), (-0.5, 2.0)))
    assert Certificate.from_json(box.to_json()).bounds == box.bounds
    assert json.loads(box.to_json())["bounds"] == {"bm25": [1.0, 1.0], "clicks": [-0.5, 2.0]}
    assert "bounds" not in json.loads(certificate.to_json())


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("schema", "rankmax/linear-model/1", "schema is"),
        ("schema", "rankmax/certificate/9", "another version"),
        ("metric", "nope", "unknown metric"),
        ("cuts", "!", "not a rankmax certificate"),
        ("cuts", "eJxr", "not a rankmax certificate"),
        ("weights", [1.0], "weights"),
        ("surplus", 1, "surplus"),
        ("bounds", {"bm25": [0.0, 1.0]}, "different features"),
    ],
)
def test_says_what_is_wrong_with_a_file(
    certificate: Certificate, tmp_path: Path, field: str, value: Any, complaint: str
) -> None:
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(json.loads(certificate.to_json()) | {field: value}))
    with pytest.raises(DataFormatError, match=complaint) as told:
        Certificate.load(path)
    assert str(path) in str(told.value)
