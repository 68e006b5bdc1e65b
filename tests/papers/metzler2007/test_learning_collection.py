from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankmax.papers.corpora import FolderCorpus
from rankmax.papers.metzler2007.learning_collection import TestCollection, average_precision, one_tailed
from rankmax.papers.setup import Setup
from rankmax.retrieval.features import BM25


@pytest.fixture
def collection(tmp_path: Path) -> TestCollection:
    texts = ["wing", "wing wing flow", "heat", "flow heat", "a wing"]
    (tmp_path / "docs.tsv").write_text("".join(f"d{n}\t{text}\n" for n, text in enumerate(texts)))
    (tmp_path / "topics.tsv").write_text("q1\twing\nq2\theat\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d4 1\nq2 0 d2 1\n")
    corpus = FolderCorpus(tmp_path)
    return TestCollection(corpus, Setup((corpus,), (), (), tmp_path))


def test_the_first_of_functions_are_a_pool_where_only_relevant_ones_were_judged(collection: TestCollection) -> None:
    data = collection.training_data(collection.corpus.queries.topics, [BM25()])
    ids = list(map(str, data.document_ids or ()))
    assert ids == ["d0", "d1", "d4", "d2", "d3"]  # those that have the query's term
    np.testing.assert_array_equal(data.grades, [0, 0, 1, 1, 0])


def test_judged_documents_suffice_where_others_were_judged(collection: TestCollection, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d4 1\nq1 0 d0 0\nq2 0 d2 1\nq2 0 d1 0\n")
    data = collection.training_data(collection.corpus.queries.topics, [BM25()])
    assert list(map(str, data.document_ids or ())) == ["d0", "d4", "d1", "d2"]


def test_the_whole_collection_is_ranked(collection: TestCollection) -> None:
    queries = collection.judged({"q1": "wing"})
    assert average_precision(queries, BM25())[0] in (1.0, 0.5, 1 / 3)
    assert collection.tuned_language_model(queries).mu > 0


def test_one_tail() -> None:
    high, low = np.array([0.5, 0.6, 0.8]), np.array([0.4, 0.4, 0.5])
    assert one_tailed(high, low) < 0.05 < 0.95 < one_tailed(low, high)
