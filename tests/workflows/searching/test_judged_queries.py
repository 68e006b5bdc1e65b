from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.judging import judge
from rankmax.data.runs import Qrels
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.metrics import parse_metric
from rankmax.retrieval.features import BM25, Dirichlet
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document
from rankmax.retrieval.index.inverted_index import Index
from rankmax.workflows.searching.judged_queries import JudgedQueries

WORDS = ("wing", "flow", "heat", "shock", "layer", "plate")
METRICS = [parse_metric(name) for name in ("AP", "nDCG@5", "RR", "Bpref")]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 12))) for _ in range(60)]
    documents = [Document(f"d{n}", {"text": text}) for n, text in enumerate(texts)]
    return build_index(documents, tmp_path_factory.mktemp("index") / "index")


@pytest.fixture
def qrels() -> Qrels:
    rng = np.random.default_rng(4)
    return Qrels.from_dict(
        {f"q{q}": {f"d{d}": int(rng.integers(0, 3)) for d in rng.choice(70, 12, replace=False)} for q in range(8)}
    )


TOPICS = {f"q{q}": f"{WORDS[q % 6]} {WORDS[(q + 2) % 6]}" for q in range(8)}


@pytest.mark.parametrize("depth", [7, 1000])
def test_values_are_those_of_the_run_judged_by_ids(index: Index, qrels: Qrels, depth: int) -> None:
    queries = JudgedQueries.of(index, TOPICS, qrels, excluded={"q1": "d3", "q2": "not there"}, depth=depth)
    rankings = queries.rank(BM25())
    run = queries.run(rankings, "bm25")
    judged = judge(run, qrels)
    expected = evaluate_scores(judged.scores, judged.judgments, METRICS, ties="document-order").values
    np.testing.assert_array_equal(queries.values(BM25(), METRICS), expected)
    assert "d3" not in run.to_dict()["q1"]
    assert max(len(found) for found in run.to_dict().values()) <= depth


def test_parts_are_the_whole(index: Index, qrels: Qrels) -> None:
    queries = JudgedQueries.of(index, TOPICS, qrels)
    whole = queries.values(Dirichlet(), METRICS)
    for n_parts in (1, 3, 8, 20):
        parts = queries.parts(n_parts)
        assert len(parts) == min(n_parts, 8)
        np.testing.assert_array_equal(np.hstack([part.values(Dirichlet(), METRICS) for part in parts]), whole)


def test_a_query_that_finds_nothing_counts_as_zero(index: Index) -> None:
    queries = JudgedQueries.of(index, {"q1": "propeller", "q2": "wing"}, Qrels.from_dict({"q1": {"d1": 1}}))
    assert queries.query_ids == ("q1",)
    np.testing.assert_array_equal(queries.values(BM25(), [parse_metric("AP")]), [[0.0]])


def test_nothing_to_judge(index: Index, qrels: Qrels) -> None:
    with pytest.raises(InvalidDataError, match="no topic has judgments"):
        JudgedQueries.of(index, {"other": "wing"}, qrels)
    with pytest.raises(InvalidParameterError, match="depth is 0"):
        JudgedQueries.of(index, TOPICS, qrels, depth=0)
