from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest


@pytest.mark.usefixtures("trec_files")
class TestRuns:
    def test_table_of_one_run(self, rankmax) -> None:
        done = rankmax("evaluate", "qrels.txt", "bad.run", "-m", "RR", "-m", "P@1")
        assert done.status == 0
        rows = [line.split() for line in done.out.splitlines()]
        assert ["RR", "0.3333", "[0.3333,", "0.3333]", "3"] in rows
        assert ["P@1", "0.0000", "[0.0000,", "0.0000]", "3"] in rows

    def test_table_of_several_runs(self, rankmax) -> None:
        done = rankmax("evaluate", "qrels.txt", "good.run", "bad.run", "-m", "RR")
        rows = [line.split() for line in done.out.splitlines()]
        assert ["good", "1.0000", "[1.0000,", "1.0000]"] in rows
        assert ["bad", "0.3333", "[0.3333,", "0.3333]"] in rows

    def test_json_per_query(self, rankmax) -> None:
        done = rankmax("evaluate", "qrels.txt", "partial.run", "-m", "RR", "--per-query", "--json")
        (system,) = json.loads(done.out)
        assert system["system"] == "partial"
        assert system["missing_queries"] == ["q3"]
        assert system["unjudged_queries"] == ["q9"]
        assert system["metrics"]["RR"]["mean"] == pytest.approx(2 / 3)
        assert system["per_query"] == {"q1": {"RR": 1.0}, "q2": {"RR": 1.0}, "q3": {"RR": 0.0}}

    def test_what_is_left_out_is_counted_and_reported(self, rankmax) -> None:
        done = rankmax("evaluate", "qrels.txt", "partial.run", "-m", "RR")
        assert done.status == 0
        assert "partial.run: ignored 1 query (q9), not judged in qrels.txt" in done.err
        assert "partial.run: has nothing for 1 query (q3) of qrels.txt, counted as 0" in done.err

    def test_missing_queries_can_be_left_out(self, rankmax) -> None:
        done = rankmax("evaluate", "qrels.txt", "partial.run", "-m", "RR", "--missing-queries", "skip", "--json")
        (system,) = json.loads(done.out)
        found = system["metrics"]["RR"]
        assert found.pop("unjudged") == {"depth": 10, "share": 0.0, "lowest": 1.0, "highest": 1.0}
        assert found == {"mean": 1.0, "low": 1.0, "high": 1.0, "queries": 2}

    def test_csv(self, rankmax) -> None:
        done = rankmax("evaluate", "qrels.txt", "good.run", "bad.run", "-m", "RR", "--csv")
        rows = list(csv.DictReader(io.StringIO(done.out)))
        assert [(row["system"], row["metric"], row["queries"]) for row in rows] == [
            ("good", "RR", "3"),
            ("bad", "RR", "3"),
        ]
        assert float(rows[1]["mean"]) == pytest.approx(1 / 3, abs=1e-15)

    def test_csv_per_query(self, rankmax) -> None:
        done = rankmax("evaluate", "qrels.txt", "good.run", "-m", "RR", "--csv", "--per-query")
        assert done.out.splitlines() == ["system,query,metric,value", *(f"good,q{q},RR,1.0" for q in (1, 2, 3))]

    def test_queries_with_nothing_relevant(self, rankmax, tmp_path: Path) -> None:
        (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d1 0\n")
        for choice, mean, n_queries in (("zero", 0.5, 2), ("one", 1.0, 2), ("skip", 1.0, 1)):
            done = rankmax("evaluate", "qrels.txt", "good.run", "-m", "RR", "--no-relevant", choice, "--json")
            (metric,) = json.loads(done.out)[0]["metrics"].values()
            assert (metric["mean"], metric["queries"]) == (mean, n_queries)


@pytest.mark.usefixtures("letor_files")
class TestPredictions:
    def test_scores_and_model_on_a_data_file(self, rankmax) -> None:
        assert rankmax("train", "data.txt", "-o", "model.json").status == 0
        done = rankmax(
            *("evaluate", "data.txt", "--scores", "good.scores", "--scores", "bad.scores"),
            *("--model", "model.json", "-m", "RR", "--json"),
        )
        means = {system["system"]: system["metrics"]["RR"]["mean"] for system in json.loads(done.out)}
        assert means == {"good": 1.0, "bad": pytest.approx(1 / 3), "model": 1.0}

    def test_number_of_scores_must_fit(self, rankmax, tmp_path: Path) -> None:
        (tmp_path / "short.scores").write_text("1\n2\n")
        done = rankmax("evaluate", "data.txt", "--scores", "short.scores")
        assert done.status == 1
        assert done.err == "Error: short.scores: 2 scores for 12 documents; expected one per line\n"


@pytest.mark.usefixtures("trec_files")
@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["qrels.txt"], 2, "nothing to evaluate: give runs after QRELS, or --scores or --model for DATA"),
        (["qrels.txt", "good.run", "--scores", "good.run"], 2, "give either QRELS and runs, or DATA with --scores"),
        (["qrels.txt", "nothing.run"], 2, "File 'nothing.run' does not exist"),
        (["qrels.txt", "good.run", "-m", "nDGC@10"], 2, "did you mean 'nDCG'"),
        (["qrels.txt", "good.run", "-m", "nDCG@0"], 2, "cutoff"),
        (["qrels.txt", "good.run", "-m", "nDCG@-3"], 2, "cutoff"),
        (["qrels.txt", "good.run", "-m", "P"], 2, "P@10"),
        (["good.run", "good.run"], 1, "good.run:1: expected 4 columns"),
        (["qrels.txt", "qrels.txt"], 1, "qrels.txt:1: expected 6 columns"),
    ],
)
def test_bad_arguments(rankmax, arguments: list[str], status: int, message: str) -> None:
    done = rankmax("evaluate", *arguments)
    assert done.status == status
    assert message in done.err
    assert done.out == ""


RUN_LINE = "6 columns (query Q0 document rank score tag)"
QRELS_LINE = "4 columns (query iteration document grade)"
BAD_RUNS = {
    "columns": (b"q1 Q0 d1 1 2.0 x\nq1 Q0 d2 2 x\n", f"bad.run:2: expected {RUN_LINE}, found 5"),
    "score": (b"q1 Q0 d1 1 abc x\n", "bad.run:1: score 'abc' is not a finite number"),
    "nan": (b"q1 Q0 d1 1 2.0 x\nq1 Q0 d2 2 nan x\n", "bad.run:2: score 'nan' is not a finite number"),
    "empty": (b"", f"bad.run: empty file; expected lines of {RUN_LINE}"),
    "binary": (b"q1 Q0\n\x00\x01\x02\n", f"bad.run:2: binary file (null byte); expected lines of {RUN_LINE}"),
    "gzip": (gzip.compress(b"q1 Q0 d1 1 2.0 x\n", mtime=0)[:-9], "bad.run: damaged or truncated gzip file ("),
    "twice": (
        b"q1 Q0 d1 1 2.0 x\nq1 Q0 d1 2 1.0 x\n",
        "bad.run:2: document 'd1' occurs twice in query 'q1', first in line 1",
    ),
}
BAD_QRELS = {
    "columns": (b"q1 0 d1 1\nq1 0 d1\n", f"bad.qrels:2: expected {QRELS_LINE}, found 3"),
    "grade": (b"q1 0 d1 1\nq1 0 d2 1.5\n", "bad.qrels:2: grade '1.5' is not an integer"),
    "nan": (b"q1 0 d1 nan\n", "bad.qrels:1: grade 'nan' is not an integer"),
    "empty": (b"", f"bad.qrels: empty file; expected lines of {QRELS_LINE}"),
}


@pytest.mark.usefixtures("trec_files")
@pytest.mark.parametrize("kind", BAD_RUNS)
def test_bad_runs(rankmax, tmp_path: Path, kind: str) -> None:
    content, message = BAD_RUNS[kind]
    (tmp_path / "bad.run").write_bytes(content)
    done = rankmax("evaluate", "qrels.txt", "bad.run")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(f"Error: {message}")
    assert done.err.count("\n") == 1


@pytest.mark.usefixtures("trec_files")
@pytest.mark.parametrize("kind", BAD_QRELS)
def test_bad_qrels(rankmax, tmp_path: Path, kind: str) -> None:
    content, message = BAD_QRELS[kind]
    (tmp_path / "bad.qrels").write_bytes(content)
    done = rankmax("evaluate", "bad.qrels", "good.run")
    assert (done.status, done.out, done.err) == (1, "", f"Error: {message}\n")


def test_same_numbers_as_ir_measures(rankmax, shared_data: Path) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    folder = shared_data / "runs" / "dl19-passage"
    names = ["nDCG@10", "AP(rel=2)", "RR(rel=2)", "P(rel=2)@10", "R(rel=2)@100", "Bpref(rel=2)", "Rprec(rel=2)"]
    options = [option for name in names for option in ("-m", name)]
    done = rankmax("evaluate", folder / "qrels.trec.gz", folder / "splade.run.gz", *options, "--json")
    ours = {name: values["mean"] for name, values in json.loads(done.out)[0]["metrics"].items()}

    def unpack(name: str) -> list[str]:
        return subprocess.run(["gzip", "-dc", folder / name], capture_output=True, text=True, check=True).stdout

    theirs = ir_measures.calc_aggregate(
        [ir_measures.parse_measure(name) for name in names],
        list(ir_measures.read_trec_qrels(unpack("qrels.trec.gz"))),
        list(ir_measures.read_trec_run(unpack("splade.run.gz"))),
    )
    assert len(ours) == len(theirs) == len(names)
    for measure, value in theirs.items():
        assert ours[str(measure)] == pytest.approx(value, abs=1e-9)


def test_systems_may_be_named(rankmax, trec_files: Path) -> None:
    done = rankmax("evaluate", "qrels.txt", "mine=good.run", "bad.run", "-m", "AP", "--json")
    assert [(one["system"], one["path"]) for one in json.loads(done.out)] == [("mine", "good.run"), ("bad", "bad.run")]
    twice = rankmax("evaluate", "qrels.txt", "mine=good.run", "mine=bad.run")
    assert (twice.status, "mine-1=good.run mine-2=bad.run" in twice.err) == (1, True)
    absent = rankmax("evaluate", "qrels.txt", "mine=absent.run")
    assert (absent.status, "'absent.run' does not exist" in absent.err) == (2, True)


def test_models_and_scores_may_be_named(rankmax, letor_files: Path) -> None:
    rankmax("train", "data.txt", "-o", "model.json")
    done = rankmax("evaluate", "data.txt", "--scores", "x=good.scores", "--model", "y=model.json", "--json")
    assert [one["system"] for one in json.loads(done.out)] == ["x", "y"]


def test_tables_are_read_by_every_verb(rankmax, trec_files: Path) -> None:
    for name, header in (("qrels.txt", "query-id\tcorpus-id\tscore"), ("good.run", "qid,docno,score")):
        delimiter = "\t" if "\t" in header else ","
        lines = [line.split() for line in (trec_files / name).read_text().splitlines()]
        rows = [delimiter.join([cells[0], cells[2], cells[-1] if len(cells) == 4 else cells[4]]) for cells in lines]
        (trec_files / f"table-{name}").write_text("\n".join([header, *rows]))
    asked = ("-m", "AP", "--json")
    plain = json.loads(rankmax("evaluate", "qrels.txt", "good.run", *asked).out)
    tables = json.loads(rankmax("evaluate", "table-qrels.txt", "table-good.run", *asked).out)
    assert plain[0]["metrics"] == tables[0]["metrics"]
    joined = rankmax("data", "join", "table-qrels.txt", "table-good.run", "--missing", "zero", "-o", "x.npz")
    assert joined.status == 0


@pytest.mark.parametrize("verb", ["evaluate", "compare"])
def test_a_run_without_a_common_query_is_an_error(rankmax, trec_files: Path, verb: str) -> None:
    (trec_files / "other.run").write_text("topic1 Q0 d1 1 1.0 other\n")
    done = rankmax(verb, "qrels.txt", "good.run", "other.run")
    assert done.status == 1
    assert "other.run: ignored 1 query (topic1), not judged in qrels.txt" in done.err
    assert done.err.endswith("Error: other.run: no query in common with qrels.txt; the ids must be the same\n")


def test_clicks_judge_runs(rankmax, tmp_path: Path) -> None:
    rows = [f"q{q},d{d},{1 + (d + s) % 2},{int(d == 0)},9" for q in range(6) for d in (0, 1) for s in (0, 1)]
    (tmp_path / "clicks.csv").write_text("\n".join(["query,doc,position,clicked,count", *rows]))
    for name, order in (("a", (2, 1)), ("b", (1, 2))):
        lines = [f"q{q} Q0 d{d} 1 {order[d]} x\n" for q in range(6) for d in (0, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    done = rankmax("evaluate", "--clicks", "clicks.csv", "first=a.run", "b.run", "--csv", "--propensities", "1/rank^0")
    assert done.status == 0, done.err
    assert [line.split(",")[:3] for line in done.out.splitlines()[1:]] == [
        ["first", "DCG@10", "1.0"],
        ["b", "DCG@10", "0.6309297535714575"],
    ]
    assert "54 clicks in" in done.err or "108 clicks in" in done.err
    assert rankmax("compare", "--clicks", "clicks.csv", "a.run", "b.run").status == 0
    tuned = rankmax("tune", "--clicks", "clicks.csv", "a.run", "b.run", "--folds", "2", "--repeats", "1", "--json")
    assert tuned.status == 0, tuned.err
    assert rankmax("tune", "--clicks", "clicks.csv", "--qrels", "clicks.csv", "a.run").status == 2
    assert rankmax("evaluate", "--clicks", "clicks.csv", "a.run", "--model", "a.run").status == 2


def test_clicks_of_a_cascade_need_searches(rankmax, tmp_path: Path) -> None:
    """Of 8 searches a query, all click the first document that they look at, d0 or d1, and stop but for one."""
    rows, features = [], []
    for q in range(6):
        for s in range(8):
            shown = (0, 1) if s % 2 else (1, 0)
            rows += [f"q{q},d{d},{k},{int(k == 1 or s == 0)},s{s}" for k, d in enumerate(shown, 1)]
        features += [f"q{q},d{d},0,{d},{(d + q) % 3}" for d in (0, 1)]
    table = "\n".join(["query,doc,position,clicked,search", *rows])
    (tmp_path / "clicks.csv").write_text(table)
    (tmp_path / "plain.csv").write_text(table.replace("search", "who"))
    (tmp_path / "features.csv").write_text("\n".join(["query,doc,label,x,y", *features]))
    for name, order in (("a", (2, 1)), ("b", (1, 2))):
        lines = [f"q{q} Q0 d{d} 1 {order[d]} x\n" for q in range(6) for d in (0, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    cascade = ("--click-model", "cascade")
    done = rankmax("evaluate", "--clicks", "clicks.csv", "a.run", "b.run", *cascade, "--csv")
    assert done.status == 0, done.err
    assert "54 clicks in 48 sessions of 6 queries; users go on with probability" in done.err
    means = [float(line.split(",")[2]) for line in done.out.splitlines()[1:]]
    assert means == pytest.approx([1 + 1 / np.log2(3)] * 2, abs=1e-6)
    assert rankmax("compare", "--clicks", "clicks.csv", "a.run", "b.run", *cascade).status == 0
    asked = ("--folds", "2", "--repeats", "1")
    assert rankmax("tune", "--clicks", "clicks.csv", "a.run", "b.run", *cascade, *asked).status == 0
    trained = rankmax("train", "features.csv", "--clicks", "clicks.csv", "-o", "m.json", "-m", "DCG@10", *cascade)
    assert trained.status == 0, trained.err
    done = rankmax("evaluate", "--clicks", "plain.csv", "a.run", *cascade)
    assert done.status == 1
    assert "add a column search with the id of each search, or give UBI events" in done.err
    assert rankmax("evaluate", "--clicks", "clicks.csv", "a.run", *cascade, "--clip", "0.1").status == 1


@pytest.mark.parametrize("option", [("--clip", "0.1"), ("--propensities", "1/rank^1"), ("--click-model", "cascade")])
@pytest.mark.parametrize("verb", ["evaluate", "compare", "tune", "train"])
def test_options_of_clicks_need_clicks(rankmax, trec_files: Path, verb: str, option: tuple[str, str]) -> None:
    done = rankmax(verb, *option, "qrels.txt", *(["good.run"] if verb != "train" else []))
    assert done.status == 2
    assert f"{option[0]} is for the clicks that --clicks gives" in done.err
