"""Columns of the index as features."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.retrieval.features import Column, parse_feature
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_columns import Columns
from rankmax.retrieval.index.document_files import Document
from rankmax.retrieval.queries.query import Query


def test_the_values_are_those_of_the_index_whatever_the_query(tmp_path: Path) -> None:
    columns = Columns.from_dict(["d0", "d1", "d2"], {"page rank": [0.5, 0.25, 2.0]})
    documents = [Document(f"d{n}", {"text": "wing"}) for n in range(3)]
    index = build_index(documents, tmp_path / "index", columns=columns)
    feature = parse_feature("column('page rank')")
    assert feature == Column("page rank")
    for text in ("wing", ""):
        assert feature.values(Query(index, text), np.array([2, 0, 2])).tolist() == [2.0, 0.5, 2.0]
    with pytest.raises(UnknownNameError, match="unknown column 'depth'"):
        parse_feature("column(depth)").values(Query(index, "wing"), np.arange(3))


@pytest.mark.parametrize("name", ["column", "column()", "column(a,b)", "column(a):title"])
def test_a_column_has_a_name_and_no_fields(name: str) -> None:
    with pytest.raises(InvalidParameterError):
        parse_feature(name)
