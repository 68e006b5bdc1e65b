"""Candidates: judged, retrieved and best documents, against sets of pairs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.search import best_documents
from oracles.texts import Case, cases, indexed
from rankmax.data.runs import Qrels, Run
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.retrieval.extraction.candidate_pools import Candidates, listed_candidates, top_candidates
from rankmax.retrieval.features import parse_feature
from rankmax.retrieval.queries.query import Query

INDEX = indexed([{"text": "wing"}, {"text": "wing flow"}, {"text": "heat"}])

grades = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]), st.dictionaries(st.sampled_from(["d0", "d1", "d2", "x"]), st.integers(-1, 3))
)


def nested(candidates: Candidates) -> dict[str, list[int]]:
    offsets = candidates.query_offsets.tolist()
    parts = [candidates.documents[a:b].tolist() for a, b in pairwise(offsets)]
    return dict(zip(candidates.query_ids, parts, strict=True))


@given(grades, st.dictionaries(st.sampled_from(["q1", "q2", "q9"]), st.sampled_from(["d0", "d2", "x"])))
def test_judged_documents(judged: dict[str, dict[str, int]], excluded: dict[str, str]) -> None:
    found = listed_candidates(INDEX, Qrels.from_dict(judged), excluded=excluded)
    assert nested(found) == {
        query: sorted(int(d[1]) for d in documents if d != "x" and d != excluded.get(query))
        for query, documents in judged.items()
    }
    assert found.n_unknown == sum("x" in documents for documents in judged.values())
    assert found.unknown_example == ("x" if found.n_unknown else "")
    assert found.n_documents == found.documents_by_query.sum()


@given(grades, grades)
def test_the_union_has_the_candidates_of_either(
    one: dict[str, dict[str, int]], other: dict[str, dict[str, int]]
) -> None:
    parts = [listed_candidates(INDEX, Qrels.from_dict(judged)) for judged in (one, other)]
    both = parts[0] | parts[1]
    a, b = map(nested, parts)
    assert nested(both) == {query: sorted({*a.get(query, ()), *b.get(query, ())}) for query in [*a, *(set(b) - set(a))]}
    assert list(both.query_ids) == list(dict.fromkeys([*one, *other]))
    assert both.n_unknown == parts[0].n_unknown + parts[1].n_unknown


def test_documents_of_a_run_come_in_the_order_of_the_index() -> None:
    run = Run.from_dict({"q1": {"d2": 3.0, "d0": 2.0, "x": 1.0}})
    assert nested(listed_candidates(INDEX, run)) == {"q1": [0, 2]}


@settings(max_examples=20)
@given(cases(), st.integers(1, 5), st.booleans())
def test_the_best_documents_of_each_function(case: Case, depth: int, excludes: bool) -> None:
    index = indexed(case.texts)
    functions = [parse_feature("bm25"), parse_feature("dirichlet"), parse_feature("occurrences:title")]
    excluded = {"q1": "d0"} if excludes else {}
    found = top_candidates(index, {"q1": case.text, "q2": "wing"}, functions, depth, excluded=excluded)
    for query_id, text in (("q1", case.text), ("q2", "wing")):
        without = 0 if query_id in excluded else None
        best = [best_documents(Query(index, text), one, depth, exclude=without)[0] for one in functions]
        assert nested(found)[query_id] == sorted({int(d) for documents in best for d in documents})


def test_queries_are_selected_in_order() -> None:
    candidates = listed_candidates(INDEX, Qrels.from_dict({"q1": {"d0": 1}, "q2": {"d1": 1, "d2": 0}, "q3": {"x": 1}}))
    assert nested(candidates.select(["q3", "q2"])) == {"q3": [], "q2": [1, 2]}
    assert candidates.n_queries == 3
    with pytest.raises(UnknownNameError, match="unknown query 'q9'"):
        candidates.select(["q9"])


@pytest.mark.parametrize(("functions", "depth"), [([], 10), (["bm25"], 0)])
def test_nothing_to_rank_by_is_an_error(functions: list[str], depth: int) -> None:
    with pytest.raises(InvalidParameterError, match="at least one function and a depth of at least 1"):
        top_candidates(INDEX, {"q1": "wing"}, [parse_feature(name) for name in functions], depth)


def test_no_topics_have_no_candidates() -> None:
    found = top_candidates(INDEX, {}, [parse_feature("bm25")], 5)
    assert (found.n_queries, found.n_documents) == (0, 0)
    np.testing.assert_array_equal(found.query_offsets, [0])
