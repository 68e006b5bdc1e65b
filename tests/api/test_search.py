"""Searching from Python: documents and queries in every form."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankmax
from rankmax.errors import InvalidDataError, InvalidParameterError


@pytest.mark.parametrize(
    "documents",
    [{"d1": "wing flutter", "d2": "heat"}, [{"id": "d1", "text": "wing flutter"}, {"id": "d2", "text": "heat"}]],
)
def test_queries_are_texts_by_id_or_in_a_row(tmp_path: Path, documents: object) -> None:
    index = rankmax.index(documents, tmp_path / "docs.index")
    by_id = rankmax.search(index, {"1": "wing", "2": "heat"}).to_dict()
    assert {query: list(found) for query, found in by_id.items()} == {"1": ["d1"], "2": ["d2"]}
    assert rankmax.search(index, ["wing", "heat"]).to_dict() == by_id
    with pytest.raises(InvalidParameterError, match="give the text of a query as"):
        rankmax.search(index, "wing flutter")


@pytest.mark.parametrize("wrong", [{"text": "no id"}, 7])
def test_documents_without_ids_are_refused(tmp_path: Path, wrong: object) -> None:
    with pytest.raises(InvalidDataError, match="expected a mapping such as"):
        rankmax.index([wrong], tmp_path / "docs.index")
    assert not (tmp_path / "docs.index").exists()
