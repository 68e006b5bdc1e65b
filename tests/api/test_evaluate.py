"""`rankmax.evaluate`: trec_eval's numbers from every kind of input, and results that show themselves."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import rankmax
from rankmax import LinearModel, Qrels, RankingDataset, Run, write_letor, write_qrels, write_run
from rankmax.errors import IncompatibleError, InvalidDataError, InvalidParameterError
from rankmax.evaluation.run_evaluation import evaluate_scores

METRICS = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@10": "P_10", "RR": "recip_rank"}
QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d2": 1, "d9": 1}, "q3": {"d1": 0}}
RUN = {"q1": {"d1": 1.0, "d2": 1.0, "d3": 1.0, "d4": 0.5}, "q2": {"d1": 3.0, "d2": 3.0}}

DOCUMENTS = st.sampled_from([f"d{i}" for i in range(12)])
QUERIES = st.sampled_from(["q1", "q2", "10", "9"])
JUDGED = st.dictionaries(QUERIES, st.dictionaries(DOCUMENTS, st.integers(0, 3), min_size=1), min_size=1, max_size=4)
RETRIEVED = st.dictionaries(
    QUERIES, st.dictionaries(DOCUMENTS, st.sampled_from([0.0, 0.5, 1.0, -2.0]), min_size=1), min_size=1
)


@given(JUDGED, RETRIEVED)
def test_values_are_trec_evals_also_where_scores_are_equal(qrels: dict, run: dict) -> None:
    if not qrels.keys() & run.keys():
        return
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(METRICS.values())).evaluate(run)
    ours = rankmax.evaluate(qrels, run, list(METRICS)).per_query["system"]
    for name, trec_name in METRICS.items():
        expected = {query: theirs.get(query, {}).get(trec_name, 0.0) for query in qrels}
        assert ours[name] == pytest.approx(expected, abs=1e-12)


def test_means_are_those_of_ir_measures_over_judged_queries() -> None:
    theirs = ir_measures.calc_aggregate([ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.P @ 10], QRELS, RUN)
    ours = rankmax.evaluate(QRELS, {"mine": RUN}, ["AP", "nDCG@10", "P@10"]).means["mine"]
    assert ours == pytest.approx({str(metric): value for metric, value in theirs.items()})


def test_the_function_gives_the_numbers_of_the_command(tmp_path: Path, monkeypatch, capsys) -> None:
    from rankmax.cli import main

    write_qrels(Qrels.from_dict(QRELS), tmp_path / "qrels.txt")
    write_run(Run.from_dict(RUN, tag="x"), tmp_path / "bm25.run")
    arguments = ["rankmax", "evaluate", tmp_path / "qrels.txt", tmp_path / "bm25.run", "--json", "--per-query"]
    monkeypatch.setattr(sys, "argv", list(map(str, arguments)))
    with pytest.raises(SystemExit):
        main()
    printed = json.loads(capsys.readouterr().out)
    evaluation = rankmax.evaluate(tmp_path / "qrels.txt", tmp_path / "bm25.run")
    assert json.loads(json.dumps(evaluation.to_dict()["systems"])) == printed


def _forms(tmp_path: Path) -> list[tuple[object, object]]:
    write_qrels(Qrels.from_dict(QRELS), tmp_path / "qrels.txt")
    write_run(Run.from_dict(RUN, tag="x"), tmp_path / "my.run")
    judged = [(q, d, g) for q, documents in QRELS.items() for d, g in documents.items()]
    found = [(q, d, s) for q, documents in RUN.items() for d, s in documents.items()]
    columns, scored = ["query_id", "doc_id", "relevance"], ["query_id", "doc_id", "score"]
    return [
        (QRELS, RUN),
        (Qrels.from_dict(QRELS), Run.from_dict(RUN)),
        (tmp_path / "qrels.txt", tmp_path / "my.run"),
        (str(tmp_path / "qrels.txt"), [str(tmp_path / "my.run")]),
        (pd.DataFrame(judged, columns=columns), pd.DataFrame(found, columns=scored)),
        (pl.DataFrame(judged, schema=columns, orient="row"), pl.DataFrame(found, schema=scored, orient="row")),
        ([ir_measures.Qrel(*row) for row in judged], [ir_measures.ScoredDoc(*row) for row in found]),
    ]


def test_every_form_of_input_gives_the_same_values(tmp_path: Path) -> None:
    all_values = [rankmax.evaluate(*form, "nDCG@10").systems[0].values.values for form in _forms(tmp_path)]
    for values in all_values[1:]:
        np.testing.assert_array_equal(values, all_values[0])


def test_models_scores_and_learners_are_judged_on_a_data_set(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    data = RankingDataset.from_arrays(rng.normal(size=(40, 2)), rng.integers(0, 3, 40), qid=np.repeat(range(8), 5))
    model = LinearModel([1.0, -0.5], data.feature_names)
    model.save(tmp_path / "model.json")
    write_letor(data, tmp_path / "data.txt")
    (tmp_path / "scores.txt").write_text("".join(f"{s!r}\n" for s in model.scores(data).tolist()))
    systems = {
        "model": model,
        "file": tmp_path / "model.json",
        "scores": model.scores(data),
        "list": model.scores(data).tolist(),
        "text": tmp_path / "scores.txt",
    }
    expected = evaluate_scores(model.scores(data), data, ["AP"]).means[0]
    for judgments in (data, tmp_path / "data.txt"):
        means = rankmax.evaluate(judgments, systems, "AP").means
        assert list(means) == list(systems)
        assert {mean["AP"] for mean in means.values()} == {expected}
    learner = rankmax.LeastSquaresRanker().fit_dataset(data)
    assert rankmax.evaluate(data, learner, "AP").means == rankmax.evaluate(data, learner.model_, "AP").means


def test_shards_are_evaluated_by_a_backend(tmp_path: Path) -> None:
    from rankmax.data.synthetic import planted_linear
    from rankmax.formats.shards import write_shards

    problem = planted_linear(12, 5, 3, noise=0.2, seed=2)
    write_shards([(problem.data, 3)], tmp_path / "shards")
    model = LinearModel([1.0, 0.5, 0.0], problem.data.feature_names)
    there, here = (rankmax.evaluate(data, model, "AP").means for data in (tmp_path / "shards", problem.data))
    assert there == here


class TestResult:
    evaluation = rankmax.evaluate(QRELS, {"a<b": RUN, "other": RUN}, ["AP", "RR"])

    def test_values_agree_in_every_view(self) -> None:
        means, values = self.evaluation.means, self.evaluation.per_query
        assert means["other"]["RR"] == pytest.approx(np.mean(list(values["other"]["RR"].values())))
        low, high = self.evaluation.intervals["other"]["RR"]
        assert low <= means["other"]["RR"] <= high
        frame = self.evaluation.to_frame()
        assert frame.set_index(["system", "metric"])["mean"].to_dict() == {
            (system, metric): mean for system, by_metric in means.items() for metric, mean in by_metric.items()
        }
        long = self.evaluation.to_frame(per_query=True)
        assert long.groupby(["system", "metric"])["value"].mean()["other", "RR"] == pytest.approx(means["other"]["RR"])

    def test_it_shows_itself(self) -> None:
        assert f"{self.evaluation.means['other']['AP']:.4f} [" in repr(self.evaluation)
        html = self.evaluation._repr_html_()
        assert "<th>a&lt;b</th>" in html
        assert "a<b" not in html

    def test_it_plots_each_mean(self) -> None:
        from matplotlib.figure import Figure

        ax = Figure().add_subplot()
        assert self.evaluation.plot(ax) is ax
        drawn = [container.lines[0].get_ydata().tolist() for container in ax.containers]
        assert drawn == [list(by_metric.values()) for by_metric in self.evaluation.means.values()]

    def test_left_out_queries_are_named(self) -> None:
        assert self.evaluation.missing_queries["other"] == ("q3",)
        skipped = rankmax.evaluate(QRELS, RUN, "RR", missing_queries="skip")
        assert np.isnan(skipped.per_query["system"]["RR"]["q3"])

    def test_it_cannot_be_changed(self) -> None:
        with pytest.raises(AttributeError):
            self.evaluation.seed = 1  # type: ignore[misc]

    def test_without_pandas_the_remedy_is_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(IncompatibleError, match="pip install pandas"):
            self.evaluation.to_frame()


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((np.zeros(3), QRELS), {}, InvalidDataError, "expected judgments first and then systems"),
        ((QRELS, LinearModel([1.0], ("f",))), {}, IncompatibleError, "qrels hold no features"),
        ((QRELS, {"x": {"other": {"d": 1.0}}}), {}, InvalidDataError, "x: no query in common with the judgments"),
        ((QRELS, []), {}, InvalidDataError, "no systems are given"),
        ((QRELS, [RUN, RUN], []), {}, InvalidParameterError, "no metrics are given"),
        ((QRELS, RUN), {"ties": "random"}, InvalidParameterError, "ties is 'random'; expected one of 'document-order'"),
        ((QRELS, RUN), {"missing_queries": "drop"}, InvalidParameterError, "expected 'zero' or 'skip'"),
        ((QRELS, RUN), {"no_relevant": "drop"}, InvalidParameterError, "no_relevant is 'drop'"),
        ((QRELS, RUN), {"confidence": 95}, InvalidParameterError, "confidence is 95"),
        ((QRELS, [Run.from_dict(RUN)] * 2), {}, InvalidDataError, "2 systems are called 'rankmax'"),
    ],
)
def test_mistakes_are_explained(arguments: tuple, options: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rankmax.evaluate(*arguments, **options)


def test_scores_of_a_wrong_length_are_refused() -> None:
    data = RankingDataset.from_arrays([[1.0], [2.0]], [0, 1], qid=[1, 1])
    with pytest.raises(InvalidDataError, match=r"shape \(3,\) for 2 documents"):
        rankmax.evaluate(data, [0.1, 0.2, 0.3], "AP")
    with pytest.raises(IncompatibleError, match="runs are judged by qrels"):
        rankmax.evaluate(data, {"x": Run.from_dict(RUN)}, "AP")
