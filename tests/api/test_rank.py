from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rankmax
from rankmax import LinearModel, RankingDataset, Run, VaryingModel, write_letor, write_run
from rankmax.errors import IncompatibleError, InvalidDataError

RUNS = {"bm25": {"q1": {"d1": 9.0, "d2": 7.0}}, "e5": {"q1": {"d2": 4.0, "d3": 1.0}}}
FUSED = {"q1": {"d1": 9.0, "d2": 15.0, "d3": 2.0}}
MODEL = LinearModel([1.0, 2.0], ("bm25", "e5"))


def test_runs_are_fused_from_every_form(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "model.json")
    for name, run in RUNS.items():
        write_run(Run.from_dict(run), tmp_path / f"{name}.run")
    paths = [tmp_path / "e5.run", tmp_path / "bm25.run"]
    rows = [("q1", d, s) for d, s in RUNS["e5"]["q1"].items()]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    for model in (MODEL, tmp_path / "model.json"):
        for runs in (RUNS, paths, {"bm25": Run.from_dict(RUNS["bm25"]), "e5": frame}):
            assert rankmax.rank(model, runs).to_dict() == FUSED
    assert rankmax.load(tmp_path / "model.json").rank(RUNS, tag="mine").tag == "mine"


def test_documents_of_a_data_set_are_ranked(tmp_path: Path) -> None:
    data = RankingDataset.from_arrays([[0.2], [0.8]], [0, 1], qid=["q1", "q1"])
    write_letor(data, tmp_path / "data.txt")
    learner = rankmax.LeastSquaresRanker().fit_dataset(data)
    for ranked in (rankmax.rank(learner, data), rankmax.rank(learner.model_, tmp_path / "data.txt")):
        np.testing.assert_array_equal(ranked.scores, learner.model_.scores(data))


def test_weights_that_depend_on_the_query_take_topics() -> None:
    model = VaryingModel("kind", None, ("what",), [[0.0, 1.0]], [1.0, 0.0], ("bm25", "e5"))
    assert model.rank(RUNS, topics={"q1": "what"}).to_dict()["q1"]["d1"] == 0.0
    with pytest.raises(IncompatibleError, match="depend on 'kind'"):
        model.rank(RUNS)
    with pytest.raises(IncompatibleError, match="leave the topics out"):
        MODEL.rank(RUNS, topics={"q1": "what"})


def test_mistakes_are_explained() -> None:
    with pytest.raises(InvalidDataError, match="int is no model"):
        rankmax.rank(7, RUNS)
    with pytest.raises(InvalidDataError, match="cannot rank int"):
        MODEL.rank(7)
    with pytest.raises(IncompatibleError, match="no run 'e5' among bm25"):
        MODEL.rank({"bm25": RUNS["bm25"]})
    with pytest.raises(InvalidDataError, match="run 'e5' has no queries"):
        MODEL.rank({"bm25": RUNS["bm25"], "e5": {}})
