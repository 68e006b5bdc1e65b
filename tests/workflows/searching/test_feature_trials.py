from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankmax.data.runs import Qrels
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.metrics import AP, RR
from rankmax.retrieval.features import BM25, Dirichlet
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document
from rankmax.workflows.searching.feature_trials import Trials
from rankmax.workflows.searching.judged_queries import JudgedQueries


@pytest.fixture
def queries(tmp_path: Path) -> JudgedQueries:
    texts = ["wing", "wing flow", "flow flow wing", "heat", "heat of a wing in a flow"]
    index = build_index([Document(f"d{n}", {"text": text}) for n, text in enumerate(texts)], tmp_path / "index")
    qrels = Qrels.from_dict({"a": {"d4": 1}, "b": {"d1": 1, "d3": 2}, "c": {"d2": 1}})
    return JudgedQueries.of(index, {"a": "wing", "b": "heat flow", "c": "flow"}, qrels)


def test_processes_change_no_value_and_nothing_is_tried_twice(queries: JudgedQueries) -> None:
    seen = []
    with Trials(queries, [AP(), RR()], n_jobs=2, callback=lambda: seen.append(1)) as trials:
        for function in (BM25(), Dirichlet(mu=10), BM25(), BM25(b=0.75)):
            for row, metric in enumerate((AP(), RR())):
                np.testing.assert_array_equal(
                    trials.values(function, metric), queries.values(function, [AP(), RR()])[row]
                )
    assert len(seen) == 2


def test_the_error_of_a_process_is_that_of_this_one(queries: JudgedQueries) -> None:
    for n_jobs in (1, 2):
        with Trials(queries, [AP()], n_jobs=n_jobs) as trials, pytest.raises(UnknownNameError, match="unknown field"):
            trials.mean(BM25(fields=("title",)), AP())


def test_no_processes(queries: JudgedQueries) -> None:
    with pytest.raises(InvalidParameterError, match="n_jobs is 0"):
        Trials(queries, [AP()], n_jobs=0)
