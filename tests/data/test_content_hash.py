"""Equal content, equal hash; any other content, another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import mslr_like
from rankmax.formats.npz import read_npz, write_npz


def test_hash_goes_by_content(tmp_path: Path) -> None:
    data = mslr_like(3, seed=1)
    write_npz(data, tmp_path / "data.npz")
    assert data_hash(read_npz(tmp_path / "data.npz")) == data_hash(data) == data_hash(mslr_like(3, seed=1))


def test_hash_is_stable_across_versions() -> None:
    data = RankingDataset.from_arrays([[0.5, 1.0], [0.1, 0.0]], [1, 0], qid=["q", "q"], document_ids=["a", "b"])
    assert data_hash(data) == "blake2b:35c3ededad669fa06b99fc64794f86f2"


def test_hash_sees_every_part() -> None:
    base: dict[str, Any] = {
        "X": np.array([[0.5, 1.0], [0.1, 0.0]]),
        "grades": [1, 0],
        "qid": ["q", "q"],
        "feature_names": ["x", "y"],
        "document_ids": ["a", "b"],
    }
    variants = [
        base,
        {**base, "X": base["X"][::-1]},
        {**base, "X": base["X"].astype(np.float32)},
        {**base, "X": csc_array(base["X"])},
        {**base, "grades": [1, np.nan]},
        {**base, "qid": ["q", "r"]},
        {**base, "qid": ["r", "r"]},
        {**base, "feature_names": ["x", "z"]},
        {**base, "document_ids": ["ab", ""]},
        {**base, "document_ids": None},
    ]
    hashes = [data_hash(RankingDataset.from_arrays(**variant)) for variant in variants]
    assert len(set(hashes)) == len(variants)
    data = RankingDataset.from_arrays(**base)
    assert data_hash(replace(data, rows=np.array([1, 0]))) == hashes[0], "where rows came from is not content"
