from __future__ import annotations

from pathlib import Path

import numpy as np
import pytrec_eval

from rankmax.papers.corpora import FolderCorpus
from rankmax.papers.run_sets import RunSet
from rankmax.papers.setup import Setup
from rankmax.papers.yue2007.base_functions import RetrievalFunctions, SubmittedRuns


def test_five_methods_over_three_indexes(tmp_path: Path) -> None:
    (tmp_path / "docs.tsv").write_text("d1\tthe wings\nd2\ta wing\nd3\tthe heat\n")
    (tmp_path / "topics.tsv").write_text("q1\tthe wings\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d2 1\n")
    corpus = FolderCorpus(tmp_path)
    data = RetrievalFunctions(corpus, Setup((corpus,), (), (), tmp_path)).data
    assert data.n_features == 15
    assert list(map(str, data.document_ids or ())) == ["d1", "d2", "d3"]  # d3 shares a stop word in some indexes
    np.testing.assert_array_equal(data.grades, [0, 1, 0])
    columns = dict(zip(data.feature_names, np.asarray(data.features).T, strict=True))
    assert columns["cosine, plain"][1] == 0  # not the same word
    assert columns["cosine, stemmed"][1] > 0
    assert columns["cosine, stemmed and stopped"][2] == 0


def test_runs_keep_only_queries_that_tell_something(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d2 1\nq2 0 d1 0\n")
    for name in "ab":
        (tmp_path / f"{name}.run").write_text("q1 Q0 d1 1 9 x\nq1 Q0 d2 2 7 x\nq2 Q0 d1 1 5 x\n")
    data = SubmittedRuns(RunSet(tmp_path, tmp_path / "qrels.txt")).data
    assert data.query_ids == ("q1",)
    np.testing.assert_array_equal(data.grades, [1, 0])  # documents stand in trec_eval's order, d2 before d1


def test_runs_are_evaluated_as_they_were_submitted(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d2 1\nq1 0 d3 1\nq2 0 d1 1\n")
    (tmp_path / "short.run").write_text("q1 Q0 d1 1 9 x\nq1 Q0 d2 2 7 x\n")  # neither d3 nor q2
    (tmp_path / "long.run").write_text("q1 Q0 d3 1 5 x\nq1 Q0 d2 2 5 x\nq2 Q0 d1 1 1 x\n")
    runs = RunSet(tmp_path, tmp_path / "qrels.txt")
    functions = SubmittedRuns(runs)
    assert {name: values.tolist() for name, values in functions.values.items()} == {
        "short": [0.25, 0.0],
        "long": [1.0, 1.0],
    }
    evaluator = pytrec_eval.RelevanceEvaluator(runs.content[1].to_dict(), {"map"})
    for name, run in runs.content[0].items():
        theirs = evaluator.evaluate(run.to_dict())
        expected = [theirs.get(query, {"map": 0.0})["map"] for query in functions.data.query_ids]
        np.testing.assert_allclose(functions.values[name], expected)
