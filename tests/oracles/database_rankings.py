"""Runs with ties, zeros and missing documents, as tables and as `rankmax rank` ranks them, and hostile names."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import hypothesis.strategies as st
import pytest

from rankmax.data.runs import Run
from rankmax.models.ranking_model import RankingModel, fuse_runs

SYSTEMS = ("bm25", 'the "dense" one')
DOCUMENTS = ("a", "B", "b", "A", "d10", "d2", "D2", "é")  # whose order depends on how texts are compared
SUMMED = (
    "l2",
    "sum",
    "z-score",
    "retrieved-z-score",
    "opensearch-z-score",
    "milvus-inner-product",
)  # databases round sums in their own ways
Scores = dict[str, dict[str, dict[str, float]]]  # by system, query, document


@st.composite
def scores_of_systems(draw: st.DrawFn) -> Scores:
    """Draw lists with many ties, scores of 0 and below, and documents that one system lacks."""
    scores = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 1.0, 2.0, 3.0, 5.0, -1.0, -0.3])
    lists = st.dictionaries(st.sampled_from(DOCUMENTS), scores, max_size=8)
    queries = st.fixed_dictionaries({"q1": lists, "q2": lists})
    found: Scores = draw(st.fixed_dictionaries(dict.fromkeys(SYSTEMS, queries)))
    found[SYSTEMS[0]]["q1"].setdefault("a", 1.0)
    found[SYSTEMS[1]]["q2"].setdefault("a", 1.0)
    return found


def ranked(model: RankingModel, scores: Scores, values: dict[str, Any] | None = None) -> list[tuple[str, str, float]]:
    """Return what `rankmax rank` writes: query, document, score."""
    fused = fuse_runs(model, {name: Run.from_dict(lists) for name, lists in scores.items()}, values=values)
    rows = [(q, d, s) for q, found in fused.to_dict().items() for d, s in found.items()]
    return sorted(sorted(rows, key=lambda row: (row[2], row[1].encode()), reverse=True), key=lambda row: row[0])


def outer_join(scores: Scores) -> dict[str, list[Any]]:
    """Return the columns of a full outer join of the systems' results: None where one lacks the document."""
    pairs = sorted({(q, d) for lists in scores.values() for q, found in lists.items() for d in found})
    columns: dict[str, list[Any]] = {"query": [q for q, _ in pairs], "document": [d for _, d in pairs]}
    return columns | {name: [lists.get(q, {}).get(d) for q, d in pairs] for name, lists in scores.items()}


def check_alike(found: list[tuple[str, str, float]], expected: list[tuple[str, str, float]], exact: bool) -> None:
    by_document = {(q, d): s for q, d, s in found}
    assert len(found) == len(expected)
    assert [by_document[q, d] for q, d, _ in expected] == pytest.approx([s for *_, s in expected], rel=1e-9, abs=1e-12)
    if exact:
        assert found == expected
        return
    theirs = {(q, d): s for q, d, s in expected}
    for (q, d, s), (next_q, next_d, next_s) in pairwise(found):
        if q == next_q:  # scores that differ by their last digits alone may be swapped; equal ones go by id
            assert theirs[q, d] >= theirs[q, next_d] - 1e-9
            assert s > next_s or d.encode() > next_d.encode()


def python_ranking(text: str, scores: Scores, values: dict[str, str] | None = None) -> list[tuple[str, str, float]]:
    module: dict[str, Any] = {}
    exec(text, module)
    rows = []
    for query in sorted({q for lists in scores.values() for q in lists}):
        documents = sorted({d for lists in scores.values() for d in lists.get(query, {})})
        features = {
            d: {name: lists[query][d] for name, lists in scores.items() if d in lists.get(query, {})} for d in documents
        }
        value = () if values is None else (values[query],)
        by_id = dict(zip(features, module["scores"](list(features.values()), *value, list(features)), strict=True))
        rows += [(query, d, by_id[d]) for d in module["ranking"](features, *value)]
    return rows


HOSTILE = [
    "\\' THEN 1 END FROM step1; DROP TABLE candidates; -- ",
    "' THEN 1 END FROM step1; DROP TABLE candidates; -- ",
    "'; DROP TABLE candidates; --",
    '"; DROP TABLE candidates; --',
    "`; DROP TABLE candidates; -- ",
    "*/ ; DROP TABLE candidates; /*",
    "\\",
    "~\\~",
    "\n; DROP TABLE candidates; --",
    "\r; DROP TABLE candidates; --",
    "%s %(x)s {x} :x ? $1 @x",
    "\u2028DROP TABLE candidates;",
]
hostile = st.one_of(
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from([*"'\"`\\;-*/#%$?{}~ \n\r\tax", "DROP TABLE candidates;", "--"]), min_size=1).map("".join),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12),
)
