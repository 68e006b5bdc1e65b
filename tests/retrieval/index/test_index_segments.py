"""Segments on disk, and what merging refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankmax.errors import InvalidDataError
from rankmax.retrieval.index.index_segments import Segment, count_rows, field_lengths, merge_rows
from rankmax.retrieval.index.tokenized_batches import FieldTokens


def segment(first_document: int, n_terms: int, *documents: list[int]) -> Segment:
    arrays = [len(terms) for terms in documents], [term for terms in documents for term in terms]
    tokens = FieldTokens(*(np.array(values, np.int32) for values in arrays))
    return Segment.group([tokens], n_terms=n_terms, first_document=first_document)


def test_a_segment_comes_back_from_disk(tmp_path: Path) -> None:
    made = segment(5, 3, [0, 2, 0], [], [2])
    stored = made.spill(tmp_path / "segment0")
    assert (stored.first_document, made.lengths.tolist()) == (5, [3, 0, 1])
    for name in Segment.__dataclass_fields__.keys() - {"first_document"}:
        assert getattr(stored, name).tolist() == getattr(made, name).tolist()
        assert not getattr(stored, name).flags.writeable
        assert not getattr(made, name).flags.writeable  # so that one compiled kernel serves both


def test_an_empty_segment_comes_back_from_disk(tmp_path: Path) -> None:
    assert segment(0, 0, []).spill(tmp_path / "segment0").documents.size == 0


def test_documents_without_a_field_have_no_length() -> None:
    segments = [segment(1, 2, [0, 1]), segment(4, 2, [], [1])]
    assert field_lengths(segments, 7).tolist() == [0, 2, 0, 0, 0, 1, 0]


def test_terms_met_later_are_missing_in_early_segments() -> None:
    segments = [segment(0, 1, [0, 0]), segment(1, 2, [1, 0])]
    order = np.array([1, 0])
    df, cf = count_rows(segments, order)
    assert (df.tolist(), cf.tolist()) == ([1, 2], [1, 3])
    (rows,) = merge_rows(segments, order, df, cf)
    assert rows.documents.tolist() == [1, 0, 1]
    assert rows.position_offsets.tolist() == [0, 1, 0, 2, 3]
    assert rows.positions.tolist() == [0, 0, 1, 1]


def test_blocks_do_not_change_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    segments = [segment(0, 4, [0, 3, 3, 1], [2, 2]), segment(2, 5, [4, 3, 0])]
    order = np.array([3, 0, 4, 1, 2])
    whole = list(merge_rows(segments, order, *count_rows(segments, order)))
    monkeypatch.setattr("rankmax.retrieval.index.index_segments._BLOCK", 5)
    parts = list(merge_rows(segments, order, *count_rows(segments, order)))
    assert len(whole) == 1
    assert len(parts) > 2
    for name in ("documents", "position_offsets", "positions"):
        assert np.concatenate([getattr(part, name) for part in parts]).tolist() == getattr(whole[0], name).tolist()


def test_more_occurrences_than_offsets_can_count_are_refused() -> None:
    nothing = np.zeros(0, np.int32)
    huge = Segment(0, nothing, np.array([0, 1]), nothing, nothing, np.array([0, 2**31]), nothing)
    with pytest.raises(InvalidDataError, match="a term occurs more than 2,147,483,647 times"):
        count_rows([huge], np.array([0]))
