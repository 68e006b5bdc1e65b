"""`rankmax.check`: inputs in every form, the same result, and mistakes that are named."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

import rankmax
from rankmax.api.check import COLUMNS
from rankmax.errors import DataFormatError, IncompatibleError, InvalidDataError, InvalidParameterError

N_QUERIES = 30


def made(seed: int, *, relevant_first: float) -> dict[str, dict[str, float]]:
    """Make a run of ten documents per query; a share of its queries has d0, which is relevant, at the top."""
    rng = np.random.default_rng(seed)
    run = {}
    for q in range(N_QUERIES):
        order = rng.permutation(np.arange(1, 10)).tolist()
        order.insert(0 if rng.random() < relevant_first else 7, 0)
        run[f"q{q}"] = {f"d{d}": 10.0 - rank for rank, d in enumerate(order)}
    return run


QRELS = {f"q{q}": {"d0": 1, **{f"d{d}": 0 for d in range(1, 10)}} for q in range(N_QUERIES)}
OLD, GOOD, BAD = made(1, relevant_first=0.8), made(2, relevant_first=0.8), made(3, relevant_first=0.2)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rankmax.write_qrels(rankmax.as_qrels(QRELS), "qrels.txt")
    for name, run in (("old", OLD), ("good", GOOD), ("bad", BAD)):
        rankmax.write_run(rankmax.as_run(run), f"{name}.run")
    (tmp_path / "topics.tsv").write_text(
        "id\ttext\tkind\n" + "".join(f"q{q}\twords {q}\t{'brand' if q % 2 else 'other'}\n" for q in range(N_QUERIES))
    )
    return tmp_path


def test_objects_and_files_give_the_same(files: Path) -> None:
    of_files = rankmax.check(qrels="qrels.txt", baseline="old.run", candidate="bad.run", metrics=["RR", "nDCG@10"])
    of_objects = rankmax.check(qrels=QRELS, baseline={"old": OLD}, candidate={"bad": BAD}, metrics=["RR", "nDCG@10"])
    assert of_files.to_dict() == of_objects.to_dict()
    assert (of_files.exit_status, of_files.passed) == (1, False)
    evaluated = rankmax.evaluate("qrels.txt", ["old.run", "bad.run"], ["RR", "nDCG@10"]).means
    for cell in of_files.cells:
        assert (cell.baseline, cell.value) == (evaluated["old"][cell.metric], evaluated["bad"][cell.metric])


def test_a_baseline_that_was_written_gives_the_same_as_its_run(files: Path) -> None:
    common = {"qrels": "qrels.txt", "metrics": ["RR", "AP"], "segments": ["kind"], "topics": "topics.tsv"}
    written = rankmax.check(**common, baseline="base.tsv", candidate="old.run", update_baseline=True)
    assert (written.updated, written.exit_status) == ("base.tsv", 0)
    by_run = rankmax.check(**common, baseline="old.run", candidate="bad.run")
    by_file = rankmax.check(**common, baseline="base.tsv", candidate="bad.run")
    assert by_file.to_dict() == by_run.to_dict()
    assert by_file.fallen[0].before == by_run.fallen[0].before
    assert by_file.fallen[0].text == f"words {by_file.fallen[0].query[1:]}"
    assert {cell.segment for cell in by_file.cells} == {None, "kind=brand", "kind=other"}
    again = rankmax.check(**common, baseline="base.tsv", candidate="bad.run", update_baseline=True)
    assert (again.exit_status, again.outcome.value) == (0, "fail")  # shown, and accepted
    assert rankmax.check(**common, baseline="base.tsv", candidate="bad.run").passed


def test_the_result_shows_itself(files: Path) -> None:
    result = rankmax.check(qrels="qrels.txt", baseline="old.run", candidate=["good.run", "bad.run"], metrics="RR")
    frame = result.to_frame()
    assert list(frame.columns) == list(COLUMNS)
    assert frame["candidate"].tolist() == ["good", "bad"]
    assert "verdict" in repr(result)
    assert "good against old" in repr(result)
    assert "<table>" in result._repr_html_()
    plain = json.loads(msgspec.json.encode(result.to_dict()))
    assert plain["outcome"] == "fail"
    assert plain["cells"][1]["corrected_p_value"] <= 0.04
    assert result.to_markdown().startswith("## ❌")
    assert result.to_junit().startswith(b"<?xml")
    assert result.annotations()[0].startswith("::error title=bad%3A RR::")


def test_models_fuse_runs_or_score_data(files: Path) -> None:
    rankmax.LinearModel([1.0, 0.0], ("old", "bad")).save("first.json")
    rankmax.LinearModel([0.0, 1.0], ("old", "bad")).save("second.json")
    fused = rankmax.check(
        qrels="qrels.txt", baseline="first.json", candidate="second.json", runs=["old.run", "bad.run"], metrics="RR"
    )
    direct = rankmax.check(qrels="qrels.txt", baseline="old.run", candidate="bad.run", metrics="RR")
    assert [(cell.baseline, cell.value) for cell in fused.cells] == [(one.baseline, one.value) for one in direct.cells]
    with pytest.raises(IncompatibleError, match="give the runs that it fuses"):
        rankmax.check(qrels="qrels.txt", baseline="old.run", candidate="second.json")

    rng = np.random.default_rng(0)
    grades = rng.integers(0, 2, 200)
    X = np.column_stack([grades + rng.normal(0, 0.3, 200), rng.normal(0, 1, 200)])
    data = rankmax.RankingDataset.from_arrays(X, grades, qid=np.arange(200) // 10, feature_names=["a", "b"])
    models = [rankmax.LinearModel(weights, ("a", "b")) for weights in ([1.0, 0.0], [0.0, 1.0])]
    scored = rankmax.check(qrels=data, baseline={"old": models[0]}, candidate={"new": models[1]}, metrics="AP")
    assert scored.exit_status == 1
    expected = rankmax.evaluate(data, {"old": models[0], "new": models[1]}, "AP").means
    assert (scored.cells[0].baseline, scored.cells[0].value) == (expected["old"]["AP"], expected["new"]["AP"])


def test_a_project_file_gives_everything_and_arguments_go_first(files: Path) -> None:
    (files / "rankmax.toml").write_text(
        'qrels = "qrels.txt"\ntopics = "topics.tsv"\n[check]\nbaseline = "old.run"\ncandidate = "bad.run"\n'
        'metrics = ["RR"]\nsegments = ["kind"]\n'
    )
    assert rankmax.check("rankmax.toml").exit_status == 1
    assert rankmax.check("rankmax.toml", candidate="old.run").exit_status == 0
    assert len(rankmax.check("rankmax.toml", segments=[]).cells) == 1


def test_latency_of_a_table(files: Path) -> None:
    def table(name: str, latency: float) -> str:
        rows = [f"{q},{d},{s},{latency}" for q, scores in OLD.items() for d, s in scores.items()]
        (files / name).write_text("query,document,score,latency_ms\n" + "\n".join(rows) + "\n")
        return name

    slow, quick = table("slow.csv", 90), table("quick.csv", 50)
    common = {"qrels": "qrels.txt", "latency": {"slowdown": 1.5}}
    assert rankmax.check(**common, baseline=quick, candidate=slow).exit_status == 1
    assert rankmax.check(**common, baseline=slow, candidate=quick).exit_status == 0
    rankmax.check(qrels="qrels.txt", baseline="base.tsv", candidate=quick, update_baseline=True)
    assert rankmax.check(**common, baseline="base.tsv", candidate=slow).exit_status == 1
    with pytest.raises(IncompatibleError, match=r"old.run carries no latency"):
        rankmax.check(**common, baseline=slow, candidate="old.run")


def changed_qrels(files: Path) -> None:
    text = (files / "qrels.txt").read_text()
    (files / "qrels.txt").write_text(text.replace("q3 0 d1 0", "q3 0 d1 1"))


def test_bad_input_never_passes(files: Path) -> None:
    common = {"qrels": "qrels.txt", "metrics": ["RR"]}
    rankmax.check(**common, baseline="base.tsv", candidate="old.run", update_baseline=True)
    rankmax.write_run(rankmax.as_run({q: scores for q, scores in GOOD.items() if q != "q5"}), "short.run")
    rankmax.write_run(rankmax.as_run({f"x{q}": scores for q, scores in GOOD.items()}), "queries.run")
    rankmax.write_run(rankmax.as_run({q: {"e1": 1.0} for q in GOOD}), "documents.run")
    with pytest.raises(InvalidDataError, match=r"short.run: has nothing for 1 of 30 queries of qrels.txt \(q5\)"):
        rankmax.check(**common, baseline="base.tsv", candidate="short.run")
    assert rankmax.check(**common, baseline="base.tsv", candidate="short.run", missing_queries="zero").exit_status == 0
    with pytest.raises(InvalidDataError, match="no query in common"):
        rankmax.check(**common, baseline="base.tsv", candidate="queries.run")
    with pytest.raises(InvalidDataError, match="none of its documents is judged"):
        rankmax.check(**common, baseline="base.tsv", candidate="documents.run")
    with pytest.raises(IncompatibleError, match="baseline of RR, not of AP"):
        rankmax.check(qrels="qrels.txt", metrics=["AP"], baseline="base.tsv", candidate="good.run")
    with pytest.raises(DataFormatError, match="no such baseline"):
        rankmax.check(**common, baseline="absent.tsv", candidate="good.run")
    with pytest.raises(IncompatibleError, match="is a file of baseline values"):
        rankmax.check(**common, baseline="old.run", candidate="base.tsv")
    with pytest.raises(InvalidParameterError, match="no candidate"):
        rankmax.check(**common, baseline="old.run")
    with pytest.raises(IncompatibleError, match=r"segments are columns of the topics"):
        rankmax.check(**common, baseline="old.run", candidate="good.run", segments=["kind"])
    with pytest.raises(IncompatibleError, match=r"old.run is no baseline file, and is not overwritten"):
        rankmax.check(**common, baseline="old.run", candidate="good.run", update_baseline=True)
    with pytest.raises(InvalidParameterError, match="several candidates"):
        rankmax.check(**common, baseline="b", candidate=["good.run", "bad.run"], update_baseline=True)
    with pytest.raises(IncompatibleError, match="asked of an engine"):
        rankmax.check(**common, baseline="old.run", candidate="engine:bm25")
    changed_qrels(files)
    with pytest.raises(IncompatibleError, match=r"other judgments of 1 query \(q3\)"):
        rankmax.check(**common, baseline="base.tsv", candidate="good.run")
    (files / "base.tsv").write_text((files / "base.tsv").read_text().replace("baseline 1", "baseline 9"))
    with pytest.raises(DataFormatError, match="format version '9'"):
        rankmax.check(**common, baseline="base.tsv", candidate="good.run")
    assert rankmax.check(**common, baseline="base.tsv", candidate="old.run", update_baseline=True).exit_status == 0
    assert rankmax.check(**common, baseline="base.tsv", candidate="old.run").passed


def test_unjudged_documents_are_told_from_a_drop(files: Path) -> None:
    unknown = {q: {"new": 11.0, **scores} for q, scores in OLD.items()}  # a document that nobody has judged, on top
    result = rankmax.check(qrels=QRELS, baseline={"old": OLD}, candidate={"new": unknown}, metrics="RR")
    assert result.exit_status == 2
    assert "missing judgments alone" in result.findings[0].message
    (cell,) = result.cells
    said = f"10.0% of the top documents; RR is {cell.value:.4f} if none is relevant, 1.0000 if all are"
    assert said in str(result)
    judged = {q: {"new": 0, **grades} for q, grades in QRELS.items()}
    known = rankmax.check(qrels=judged, baseline={"old": OLD}, candidate={"new": unknown}, metrics="RR")
    assert known.exit_status == 1
