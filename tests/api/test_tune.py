"""`rankmax.tune`: the command's numbers and words, from every form of input."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rankmax
from rankmax import Qrels, Run, write_qrels, write_run
from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError, InvalidParameterError, UnknownNameError

RNG = np.random.default_rng(2)
QRELS = {f"q{q}": {f"d{d}": int(RNG.random() < 0.3) for d in range(12)} for q in range(10)}
RUNS = {
    name: {q: {d: round(float(g * signal + RNG.normal()), 4) for d, g in docs.items()} for q, docs in QRELS.items()}
    for name, signal in (("a", 1.0), ("b", 1.5))
}
FAST = {"folds": 4, "repeats": 1}


@pytest.fixture(scope="module")
def tuning() -> rankmax.Tuning:
    return rankmax.tune(RUNS, QRELS, "AP", **FAST)


def _command(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys, *options: str) -> str:
    from rankmax.cli import main

    monkeypatch.chdir(folder)
    monkeypatch.delenv("COLUMNS", raising=False)
    write_qrels(Qrels.from_dict(QRELS), "qrels.txt")
    for name, run in RUNS.items():
        write_run(Run.from_dict(run), f"{name}.run")
    given = ["tune", "--qrels", "qrels.txt", "a.run", "b.run", "-m", "AP", "--folds", "4", "--repeats", "1", *options]
    monkeypatch.setattr(sys, "argv", ["rankmax", *given])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    return capsys.readouterr().out


def test_the_function_gives_the_numbers_of_the_command(tuning, tmp_path: Path, monkeypatch, capsys) -> None:
    printed = json.loads(_command(tmp_path, monkeypatch, capsys, "--json", "-o", "model.json"))
    assert json.loads(json.dumps(tuning.summary)) == printed
    tuning.save(tmp_path / "mine.json")
    assert (tmp_path / "mine.json").read_text() == (tmp_path / "model.json").read_text()


def test_printed_it_is_what_the_command_prints(tuning, tmp_path: Path, monkeypatch, capsys) -> None:
    assert repr(tuning).split() == _command(tmp_path, monkeypatch, capsys).split()


def test_every_form_of_input_gives_the_same_numbers(tuning, tmp_path: Path) -> None:
    write_qrels(Qrels.from_dict(QRELS), tmp_path / "qrels.txt")
    for name, run in RUNS.items():
        write_run(Run.from_dict(run), tmp_path / f"{name}.run")
    rows = [(q, d, s) for q, documents in RUNS["b"].items() for d, s in documents.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    for runs, qrels in (
        ([tmp_path / "a.run", tmp_path / "b.run"], tmp_path / "qrels.txt"),
        ({"a": Run.from_dict(RUNS["a"]), "b": frame}, Qrels.from_dict(QRELS)),
    ):
        again = rankmax.tune(runs, qrels, "AP", **FAST)
        assert again.summary == tuning.summary
    assert again.files == ()


def test_what_runs_today_is_weights_or_a_model_or_a_name() -> None:
    by_text = rankmax.tune(RUNS, QRELS, "AP", current="a=0.25,b=0.75", **FAST)
    by_mapping = rankmax.tune(RUNS, QRELS, "AP", current={"a": 0.25, "b": 0.75}, **FAST)
    assert by_mapping.summary == by_text.summary
    model = by_text.model_of("current")
    by_model = rankmax.tune(RUNS, QRELS, "AP", current=model, **FAST)
    assert by_model.table[1]["mean"] == by_text.table[1]["mean"]
    assert by_model.summary["current"]["label"] == "model"


def test_weights_that_depend_on_the_query() -> None:
    topics = {query: ("long", "short")[i % 2] for i, query in enumerate(QRELS)}
    tuning = rankmax.tune(RUNS, QRELS, "AP", by="kind", topics=topics, **FAST)
    assert tuning.varying_model is not None
    assert tuning.varying_model.column == "kind"


def test_a_constraint_that_cannot_be_met_gives_no_model() -> None:
    tuning = rankmax.tune(RUNS, QRELS, "AP", constrain="P@1>=1.5", **FAST)
    assert not tuning.meets_constraint
    with pytest.raises(IncompatibleError, match="cannot be met: of all candidates, the highest value is"):
        _ = tuning.model


class TestResult:
    def test_the_model_ranks_and_is_exported(self, tuning) -> None:
        assert dict(zip(tuning.model.feature_names, tuning.model.weights, strict=True)) == tuning.summary["weights"]
        assert tuning.export("python").text == rankmax.export(tuning.model, "python").text
        fused = tuning.model.rank(RUNS)
        value = rankmax.evaluate(QRELS, fused, "AP").means["rankmax"]["AP"]
        assert value == pytest.approx(tuning.model.training.value)

    def test_rows_are_models_too(self, tuning) -> None:
        assert np.ptp(tuning.model_of("RRF").weights) == 0
        [row] = {row["name"] for row in tuning.table[1:] if row["label"] == tuning.summary["learned"]["label"]}
        rounded = tuning.model_of(row, rounded=True)
        assert dict(zip(("a", "b"), rounded.weights, strict=True)) == tuning.summary["learned"]["rounded_weights"]

    def test_it_shows_itself(self, tuning, tmp_path: Path) -> None:
        assert str(tuning.verdict) in repr(tuning)
        assert tuning._repr_html_().count("<table>") == 3
        frame = tuning.to_frame()
        assert frame["gain"].tolist() == [row["gain"] for row in tuning.table]
        tuning.report(tmp_path / "tuning.html")
        assert (tmp_path / "tuning.html").read_text().startswith("<!doctype html>")
        with pytest.raises(InvalidParameterError, match=r"ends in \.html"):
            tuning.report(tmp_path / "tuning.pdf")

    def test_it_plots_each_gain(self, tuning) -> None:
        from matplotlib.figure import Figure

        ax = tuning.plot(Figure().add_subplot())
        drawn = ax.containers[0].lines[0].get_xdata().tolist()
        assert drawn == [row["gain"] for row in tuning.table if not row["is_current"]]


def test_an_engine_decides_the_target() -> None:
    data = planted_linear(10, 6, 2, noise=0.3, seed=1).data
    tuning = rankmax.tune(data, metric="AP", engine="solr", **FAST)
    assert tuning.target == "solr"
    assert tuning.export().text == rankmax.export(tuning.model, "solr").text


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"by": "kind"}, InvalidParameterError, "give both, or neither"),
        ({"normalize": "l2", "engine": "solr"}, InvalidParameterError, "normalize or engine, not both"),
        ({"engine": "opensaerch"}, UnknownNameError, "did you mean 'opensearch'"),
        ({"by": "kind", "topics": {"q1": "x"}}, Exception, "topics lacks 9 judged queries"),
    ],
)
def test_mistakes_are_explained(options: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rankmax.tune(RUNS, QRELS, "AP", **options)
    with pytest.raises(IncompatibleError, match="runs need judgments"):
        rankmax.tune(RUNS, metric="AP")
