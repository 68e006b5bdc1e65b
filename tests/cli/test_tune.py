from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from rankmax.api import tune as rankmax_tune
from rankmax.errors import CannotWriteError
from rankmax.models.model_files import load_model
from rankmax.workflows.tuning.confidence import WeightConfidence, weight_confidence


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Write qrels and two runs of eight queries, and one more query of each file that the others lack."""
    rng = np.random.default_rng(2)
    qrels, a, b = [], [], []
    for q in range(8):
        relevant = rng.choice(12, 4, replace=False)
        qrels += [f"q{q} 0 d{d} {int(d in relevant)}\n" for d in range(12)]
        for lines, bias in ((a, 1.0), (b, 1.5)):
            scores = rng.normal(size=12) + bias * np.isin(range(12), relevant)
            lines += [f"q{q} Q0 d{d} 1 {scores[d]:.4f} x\n" for d in np.argsort(-scores)[:8]]
    a.append("q99 Q0 d1 1 1.0 x\n")
    qrels.append("q50 0 d1 1\n")
    for name, lines in (("qrels.txt", qrels), ("a.run", a), ("b.run", b)):
        (tmp_path / name).write_text("".join(lines))
    kinds = [f"q{q},{'long' if q < 5 else 'short'},{q}\n" for q in range(8)]
    (tmp_path / "topics.csv").write_text("id,kind,length\n" + "".join(kinds))
    return tmp_path


@pytest.fixture
def positive_runs(runs: Path) -> Path:
    """Raise the scores above 0, so that Solr can add them up as they are."""
    for name in ("a.run", "b.run"):
        lines = [line.split() for line in (runs / name).read_text().splitlines()]
        (runs / name).write_text("".join(f"{q} Q0 {d} 1 {float(s) + 9} x\n" for q, _, d, _, s, _ in lines))
    return runs


TUNE = ("tune", "--qrels", "qrels.txt", "a.run", "b.run", "-m", "AP", "--repeats", "1", "--folds", "4")


def test_tells_what_each_fusion_is_worth(rankmax, runs: Path) -> None:
    done = rankmax(*TUNE, "-o", "model.json", "--report", "tuning.html")
    assert done.status == 0
    for name in ("pick", "RRF (current)", "learned", "weighted RRF", "CombSUM", "equal weights", "a", "b"):
        assert f"\n {name} " in done.out
    assert "RRF (assumed; set it with --current)" in done.out
    assert " verdict " in done.out
    assert "left out 1 query (q50): no run has anything for" in done.err
    assert "left out 1 query (q99): without judgments" in done.err
    assert "next: rankmax rank model.json a.run b.run -o fused.run" in done.err
    assert (runs / "tuning.html").read_text().startswith("<!doctype html>")


def test_the_table_can_be_read_while_the_proof_goes_on(
    rankmax, runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = rankmax(*TUNE).out
    shown: list[str] = []

    def proving(*arguments: object, **options: object) -> WeightConfidence:
        shown.append(capsys.readouterr().out)
        return weight_confidence(*arguments, **options)

    monkeypatch.setattr(rankmax_tune, "weight_confidence", proving)
    rest = rankmax(*TUNE).out
    assert shown[0].count("\n") == 13
    assert shown[0].splitlines()[-2].startswith(" b ")
    assert shown[0] + rest == whole


def test_json_agrees_with_the_model_and_the_fused_run(rankmax, runs: Path) -> None:
    told = json.loads(rankmax(*TUNE, "-o", "model.json", "--json").out)
    model = json.loads((runs / "model.json").read_text())
    assert {feature["name"]: feature["weight"] for feature in model["features"]} == told["weights"]
    assert model["normalization"] == told["normalization"]
    assert rankmax("rank", "model.json", "a.run", "b.run", "-o", "fused.run").status == 0
    skipping = ("-m", "AP", "--missing-queries", "skip")  # q50, for which no run has anything
    told = rankmax("evaluate", "qrels.txt", "fused.run", *skipping).out
    assert f"{model['training']['value']:.4f}" in told


def test_round_weights_and_engines(rankmax, runs: Path) -> None:
    done = rankmax(*TUNE, "--engine", "opensearch", "-o", "model.json", "--round", "--json")
    told, model = json.loads(done.out), json.loads((runs / "model.json").read_text())
    assert "rankmax export model.json --to opensearch-hybrid" in done.err
    rounded = told["learned"]["rounded_weights"] if told["recommended"] == told["learned"]["label"] else told["weights"]
    assert [feature["weight"] for feature in model["features"]] == list(rounded.values())
    assert told["normalization"]["name"] in ("opensearch-min-max", "opensearch-z-score", "l2", "reciprocal-rank")
    fixed = json.loads(rankmax(*TUNE, "--normalize", "percentile", "--json").out)
    assert fixed["learned"]["normalization"] == "percentile"


@pytest.mark.parametrize("topics", [(), ("--topics", "topics.csv")], ids=["lists", "topics"])
def test_weights_that_fit_the_query(rankmax, runs: Path, topics: tuple[str, ...]) -> None:
    told = json.loads(rankmax(*TUNE, *topics, "--by", "auto", "-o", "model.json", "--json").out)
    varying, written = told["varying"], "model.by-auto.json"
    assert varying["name"] == "weights by auto"
    assert varying["verdict"]["current"] == "fixed weights"
    assert set(varying["weights"]["average query"]) == {"a", "b"}
    model = json.loads((runs / written).read_text())
    known = [(one["kind"], one["of"]) for one in model["query_features"]]
    assert ("entropy", "a") in known
    assert (("column", "length") in known) == bool(topics)  # kind is no number
    moves = any(any(feature["variation"]) for feature in model["features"])
    assert moves == bool(varying["query_features"])
    if topics:
        (runs / "topics.csv").write_text((runs / "topics.csv").read_text() + "q99,long,3\n")
    assert rankmax("rank", written, "a.run", "b.run", *topics, "-o", "fused.run").status == 0
    assert "QueryWeightsModel" in rankmax("inspect", written).out
    assert json.loads(rankmax("inspect", written, "--json").out)["query_features"] == model["query_features"]
    assert "by auto" in rankmax(*TUNE, *topics, "--by", "auto").out


def test_rare_terms_are_a_query_feature(rankmax, runs: Path) -> None:
    (runs / "texts.tsv").write_text(
        "".join(f"q{q}\t{'wing' if q % 2 else 'flutter of wings'}\n" for q in (*range(8), 99))
    )
    (runs / "frequencies.tsv").write_text("wing\t500\nof\t1000\n")
    given = ("--topics", "texts.tsv", "--terms", "frequencies.tsv")
    done = rankmax(*TUNE, *given, "--by", "auto", "-o", "model.json")
    assert done.status == 0, done.err
    model = json.loads((runs / "model.by-auto.json").read_text())
    (rare,) = (one for one in model["query_features"] if one["of"] == "rare terms")
    assert rare["mean"] == pytest.approx(1 / 3)
    command = ("rank", "model.by-auto.json", "a.run", "b.run", "-o", "fused.run")
    assert rankmax(*command).status == 0  # no weight moves, so nothing need be known
    for feature in model["features"]:
        feature["variation"] = [float(one is rare) for one in model["query_features"]]
    (runs / "model.by-auto.json").write_text(json.dumps(model))
    assert rankmax(*command, *given).status == 0
    refused = " ".join(rankmax(*command, *given[:2]).err.split())
    assert "has no 'rare terms' in the topics" in refused
    assert "give the index or document frequencies (terms), too" in refused


def test_the_current_fusion_is_named_and_any_row_is_written(rankmax, runs: Path) -> None:
    told = json.loads(rankmax(*TUNE, "--current", "a=0.3,b=0.7", "--write", "rrf", "-o", "model.json", "--json").out)
    assert told["current"]["label"] == "weights a=0.3,b=0.7 (retrieved-min-max)"
    assert not told["current"]["assumed"]
    assert told["verdict"]["current"] == told["current"]["label"]
    assert told["verdict"]["word"] in ("use it", "probably better", "cannot tell", "keep the current one")
    model = json.loads((runs / "model.json").read_text())
    assert [feature["weight"] for feature in model["features"]] == [0.5, 0.5]
    assert model["normalization"] == {"name": "reciprocal-rank", "k": 60.0}
    again = json.loads(rankmax(*TUNE, "--current", "model.json", "--json").out)
    (rrf,) = (row["mean"] for row in told["rows"] if row["name"] == "RRF")
    (current,) = (row["mean"] for row in again["rows"] if row["is_current"])
    assert current == rrf


@pytest.mark.parametrize(("column", "groups", "at"), [("kind", ["long", "others"], "long"), ("length", [], "7")])
def test_weights_by_a_column(rankmax, runs: Path, column: str, groups: list[str], at: str) -> None:
    told = json.loads(rankmax(*TUNE, "--topics", "topics.csv", "--by", column, "-o", "model.json", "--json").out)
    written = f"model.by-{column}.json"
    model = json.loads((runs / written).read_text())
    assert (model["column"], model["groups"]) == (column, groups)
    fuse = ("rank", written, "a.run", "b.run", "-o", "fused.run")
    assert "give --topics FILE" in rankmax(*fuse).err
    assert rankmax(*fuse, "--topics", "topics.csv").status == 1  # q99 is in a run, but not in the topics
    (runs / "topics.csv").write_text((runs / "topics.csv").read_text() + "q99,long,3\n")
    assert rankmax(*fuse, "--topics", "topics.csv").status == 0
    exported = rankmax("export", written, "--to", "python", "--at", at).out
    for j, name in enumerate(("a", "b")):
        weight = model["features"][j]["weights"][0 if groups else 1]
        assert not weight or f"({weight!r}, " in exported
        assert told["varying"]["weights"][at][name] >= 0
    assert "def weights(" in rankmax("export", written, "--to", "python").out
    assert "has one set of weights for all queries" in rankmax("export", written, "--to", "solr").err


def test_queries_that_a_run_lacks_are_told(rankmax, runs: Path) -> None:
    lines = (runs / "a.run").read_text().splitlines(keepends=True)
    (runs / "a.run").write_text("".join(line for line in lines if not line.startswith(("q1 ", "q2 "))))
    assert "a has nothing for 2 of the 8 queries" in rankmax(*TUNE).err


def test_topics_are_for_weights_that_depend_on_the_query(rankmax, runs: Path) -> None:
    rankmax(*TUNE, "-o", "model.json")
    done = rankmax("rank", "model.json", "a.run", "b.run", "--topics", "topics.csv", "-o", "fused.run")
    assert "the same weights for every query: leave the topics out" in done.err
    assert "has one set of them" in rankmax("export", "model.json", "--to", "sql", "--at", "long").err


def test_a_constraint_is_told(rankmax, runs: Path) -> None:
    done = rankmax(*TUNE, "--constrain", "P@1>=1.5")
    assert "P@1>=1.5 cannot be kept" in done.out
    assert "The constraint cannot be met, so nothing is recommended." in done.out
    assert done.status == 1
    assert "Error: P@1>=1.5 cannot be met: of all candidates, the highest value is " in done.err
    told = json.loads(rankmax(*TUNE, "--constrain", "P@1>=0.1", "--json").out)
    assert told["metrics"] == ["AP", "P@1"]
    assert told["constraint"]["value"] >= 0.1


def test_a_feature_log_is_tuned(rankmax, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    lines = []
    for q, d in product(range(6), range(5)):
        entry = [{"name": "title", "value": rng.random() + (d < 2)}, {"name": "body", "value": rng.random()}]
        hit = {"_id": f"d{d}", "label": int(d < 2), "fields": {"_ltrlog": [{"main": entry}]}}
        lines.append(json.dumps({"query": f"q{q}", **hit}))
    (tmp_path / "log.jsonl").write_text("\n".join(lines))
    told = json.loads(rankmax("tune", "log.jsonl", "-m", "AP", "--repeats", "1", "--json").out)
    assert told["weights"]["title"] > told["weights"]["body"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tune", "a.run", "b.run"), "2 files without qrels"),
        (("tune", "--qrels", "qrels.txt", "a.run"), "is the only system; give at least two"),
        (
            ("tune", "--qrels", "qrels.txt", "a.run", "other.run"),
            "run 'other' has nothing for any of the judged queries",
        ),
        (
            ("tune", "--qrels", "irrelevant.txt", "a.run", "b.run"),
            "no document to be ranked is judged relevant",
        ),
        ((*TUNE, "--report", "nowhere/tuning.html"), "cannot write: no folder nowhere"),
        ((*TUNE, "--by", "kind"), "give both, or neither"),
        ((*TUNE, "--by", "auto", "--constrain", "P@1>=current"), "cannot be learned with a constraint"),
        ((*TUNE, "--by", "auto", "--terms", "qrels.txt"), "give all three"),
        ((*TUNE, "--engine", "opensearch", "--normalize", "l2"), "not both"),
        ((*TUNE, "--round"), "give -o FILE"),
        ((*TUNE, "-o", "qrels.txt"), "qrels.txt is an input, and would be overwritten"),
        (("tune", "--qrels", "qrels.txt", "a.run", "rrf=b.run"), "a system cannot be called 'rrf'"),
        ((*TUNE, "--write", "RRF"), "give -o FILE"),
        ((*TUNE, "--write", "Borda", "-o", "m.json"), "unknown row 'Borda'"),
        ((*TUNE, "--current", "borda"), "'borda' is not a known fusion"),
        ((*TUNE, "--constrain", "P@1=0.5"), "expected METRIC>=NUMBER"),
        ((*TUNE, "--topics", "topics.csv", "--by", "color"), "unknown column"),
        (("rank", "model.json", "a.run", "b.run", "-o", "x.run", "--as", "scores"), "several runs are fused to a run"),
    ],
)
def test_mistakes_are_explained(rankmax, runs: Path, arguments: tuple[str, ...], message: str) -> None:
    (runs / "model.json").write_text("{}")
    (runs / "other.run").write_text("x1 Q0 d1 1 1.0 x\n")
    (runs / "irrelevant.txt").write_text("".join(f"q{q} 0 d1 0\n" for q in (*range(8), 99)))
    done = rankmax(*arguments)
    assert done.status != 0
    assert message in " ".join(done.err.split())


def test_runs_that_the_model_does_not_know_are_refused(rankmax, runs: Path) -> None:
    rankmax(*TUNE, "-o", "model.json")
    (runs / "b.run").rename(runs / "c.run")
    done = rankmax("rank", "model.json", "a.run", "c.run", "-o", "fused.run")
    assert done.status == 1
    assert "there is no run 'b' among a, c" in done.err


def test_models_apply_to_runs_of_other_names(rankmax, runs: Path) -> None:
    tune = ("tune", "--qrels", "qrels.txt", "-m", "AP", "--repeats", "1", "-o", "model.json", "x=a.run", "y=b.run")
    assert rankmax(*tune).status == 0
    assert load_model(runs / "model.json").feature_names == ("x", "y")
    assert rankmax("rank", "model.json", "x=a.run", "y=b.run", "-o", "fused.run").status == 0


def test_a_constraint_may_be_relative_to_the_current_fusion(rankmax, runs: Path) -> None:
    for change in ("", "-0.05"):
        done = rankmax(*TUNE, "--constrain", f"P@1>=current{change}", "--json")
        assert done.status == 0
        told = json.loads(done.out)
        (rrf,) = (row["means"]["P@1"] for row in told["rows"] if row["is_current"])
        least = rrf + float(change or 0)
        assert told["constraint"]["text"] == f"P@1>={least:g}"
        assert told["constraint"]["value"] >= least - 1e-9


def test_more_folds_than_queries_are_told(rankmax, runs: Path) -> None:
    done = rankmax("tune", "--qrels", "qrels.txt", "a.run", "b.run", "-m", "AP", "--repeats", "1", "--folds", "60")
    assert done.status == 0
    assert "note: --folds 60 is more than the 8 queries; using 8\n" in done.err
    (runs / "one.txt").write_text("q1 0 d1 1\n")
    done = rankmax("tune", "--qrels", "one.txt", "a.run", "b.run", "-m", "AP")
    assert done.status == 1
    assert "--folds" not in done.err


def test_a_report_is_a_web_page(rankmax, runs: Path) -> None:
    done = rankmax(*TUNE, "--report", "tuning.pdf", "-o", "model.json")
    assert done.status == 2
    assert "tuning.pdf is a web page: give a name that ends in .html" in done.err
    assert not (runs / "model.json").exists()


def test_runs_of_another_collection_are_told(rankmax, runs: Path) -> None:
    (runs / "c.run").write_text("".join(f"q{q} Q0 other{d} 1 {-d} x\n" for q in range(8) for d in range(12)))
    done = rankmax("tune", "--qrels", "qrels.txt", "a.run", "c.run", "-m", "AP", "--repeats", "1", "--normalize", "l2")
    assert "note: no document of c is judged" in done.err
    assert "note: c has negative scores, which l2 keeps" in done.err
    assert "of the top 10 documents of learned weights (l2) are not judged" in done.err


@pytest.mark.parametrize("engine", ["vespa", "solr", "sql", "elasticsearch"])
def test_what_is_tuned_for_an_engine_is_exported_to_it(rankmax, positive_runs: Path, engine: str) -> None:
    done = rankmax(*TUNE, "--engine", engine, "-o", "model.json")
    assert done.status == 0
    target = "elasticsearch-retriever" if engine == "elasticsearch" else engine
    assert f"rankmax export model.json --to {target}" in done.err.replace("\n", " ")
    text = rankmax("export", "model.json", "--to", target).out
    assert text
    if engine == "elasticsearch":
        assert '"rank_window_size": 8' in text  # as deep as the runs


@pytest.mark.parametrize(("row", "family"), [("rrf", "RRF"), ("weighted RRF", "weighted RRF"), ("current", "RRF")])
def test_a_row_that_the_engine_cannot_do_is_refused_before_the_work(
    rankmax, positive_runs: Path, row: str, family: str
) -> None:
    done = rankmax(*TUNE, "--engine", "solr", "--write", row, "-o", "model.json")
    assert done.status == 2
    assert f"--write {row}: {family} adds up reciprocal-rank scores, which --engine solr cannot do" in done.err
    assert not (positive_runs / "model.json").exists()


def test_given_weights_that_the_engine_cannot_do_are_told(rankmax, positive_runs: Path) -> None:
    write = ("--current", "l2:a=0.3,b=0.7", "--write", "current", "-o", "model.json")
    done = rankmax(*TUNE, "--engine", "solr", *write)
    assert done.status == 0
    assert "note: model.json is for l2 scores, which solr cannot add up" in done.err
    assert "rankmax export model.json --to python" in done.err
    assert "cannot add up" not in rankmax(*TUNE, "--engine", "solr", "--write", "learned", "-o", "model.json").err


def test_a_rescued_model_is_what_to_go_on_with(rankmax, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: str | Path, content: bytes) -> None:
        if path == "model.json":
            raise CannotWriteError(path, "No space left on device")
        Path(path).write_bytes(content)

    monkeypatch.setattr("rankmax._io.files.write_bytes", full)
    done = rankmax(*TUNE, "-o", "model.json", "--report", "tuning.html")
    assert done.status == 1
    rescued = re.search(r"the model is in (\S+) instead", done.err)[1]
    assert f"next: rankmax rank {rescued} a.run b.run -o fused.run; rankmax export {rescued} --to python" in done.err
    assert f"rankmax export {rescued} --to python" in (runs / "tuning.html").read_text()
    assert load_model(rescued).feature_names == ("a", "b")


def test_a_sixth_system_is_refused_for_opensearch_before_the_work(rankmax, runs: Path) -> None:
    more = [f"{name}.run" for name in "cdef"]
    for name in more:
        (runs / name).write_text((runs / "a.run").read_text())
    done = rankmax(*TUNE, *more, "--engine", "opensearch", "-o", "model.json")
    assert done.status == 1
    assert "combines at most 5 systems, and there are 6: tune the 5 most useful ones" in done.err
    assert not (runs / "model.json").exists()


def test_clicks_have_no_constraint_on_other_metrics(rankmax, runs: Path) -> None:
    (runs / "clicks.csv").write_text("query,doc,position,clicked\nq1,d1,1,1\n")
    done = rankmax("tune", "--clicks", "clicks.csv", "a.run", "b.run", "--constrain", "nDCG@10>=0.1")
    assert done.status == 1
    assert "clicks estimate DCG with a linear gain, such as DCG@10, not nDCG@10" in done.err
