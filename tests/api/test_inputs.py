from __future__ import annotations

import gzip
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from rankmax import LinearModel, Run
from rankmax.api.inputs import (
    as_metric,
    as_metrics,
    as_model,
    as_systems,
    is_array,
    is_data_file,
    is_model,
    is_model_file,
)
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.metrics import AP


def test_one_system_and_systems_by_name_are_told_apart() -> None:
    run = {"q1": {}, "q2": {"d1": 1.0}}
    assert as_systems(run) == {"system": run}
    assert as_systems({"bm25": run, "e5": run}) == {"bm25": run, "e5": run}
    assert list(as_systems([Run.from_dict(run, tag="x"), run, np.ones(3)])) == ["x", "system 2", "system 3"]
    with pytest.raises(InvalidDataError, match="no systems"):
        as_systems({})


def test_files_have_the_names_that_the_command_gives_them() -> None:
    assert as_systems(["a/e5.run", Path("b/e5.run"), "dense=c.run"]) == {
        "a/e5": "a/e5.run",
        "b/e5": "b/e5.run",
        "dense": "c.run",
    }


def test_metrics_are_objects_or_names() -> None:
    assert as_metrics("AP") == as_metrics([AP()]) == (AP(),)
    assert as_metrics("AP", "skip")[0].name == "AP(no_relevant='skip')"


def test_metrics_of_other_kinds_are_read_or_refused_with_the_remedy() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    assert as_metric(ir_measures.nDCG @ 10) == as_metric("nDCG@10")
    assert as_metric(AP) == AP()
    for wrong in (len, 10, None):
        with pytest.raises(InvalidParameterError, match="from_function"):
            as_metrics(wrong)
        with pytest.raises(InvalidParameterError, match="from_function"):
            as_metrics(["AP", wrong])


def test_a_tuning_stands_for_its_model() -> None:
    model = LinearModel([1.0], ("f",))
    assert as_model(SimpleNamespace(model=model)) is model
    with pytest.raises(InvalidDataError, match="SimpleNamespace is no model"):
        as_model(SimpleNamespace(model="model.json"))


def test_what_scores_documents_is_known() -> None:
    assert is_model(LinearModel([1.0], ("f",)))
    assert not is_model(Run.from_dict({"q": {"d": 1.0}}))
    assert [is_array(x) for x in (np.ones(2), [1.0], [], {"q": 1}, "text")] == [True, True, False, False, False]


@pytest.mark.parametrize("content", ["# a comment\n\n2 qid:1 1:0.5 # d1\n", "0 qid:q7\n"])
def test_letor_is_told_from_qrels(tmp_path: Path, content: str) -> None:
    (tmp_path / "data.gz").write_bytes(gzip.compress(content.encode()))
    (tmp_path / "qrels").write_text("q1 0 qid:3 1\n")
    assert is_data_file(tmp_path / "data.gz")
    assert not is_data_file(tmp_path / "qrels")


def test_models_are_told_from_scores(tmp_path: Path) -> None:
    LinearModel([1.0], ("f",)).save(tmp_path / "model")
    (tmp_path / "scores").write_text("0.5\n")
    assert (is_model_file(tmp_path / "model"), is_model_file(tmp_path / "scores")) == (True, False)
