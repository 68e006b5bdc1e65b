from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import rankmax as rm

HOSTILE = '=cmd|"<b>'


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write qrels with half of the judgments, two runs and topics."""
    rng = np.random.default_rng(2)
    qrels, a, b = [], [], []
    for q in range(8):
        relevant = rng.choice(12, 4, replace=False)
        qrels += [f"q{q} 0 d{d} {int(d in relevant)}\n" for d in range(12) if d % 2 or d == relevant[0]]
        for lines, bias in ((a, 1.0), (b, 1.5)):
            scores = 5 + rng.normal(size=12) + bias * np.isin(range(12), relevant)
            lines += [f"q{q} Q0 d{d} 1 {scores[d]:.4f} x\n" for d in np.argsort(-scores)[:8]]
        b.append(f"q{q} Q0 {HOSTILE} 1 9 x\n")
    for name, lines in (("qrels.txt", qrels), ("a.run", a), ("b.run", b)):
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "topics.tsv").write_text("".join(f"q{q}\twings, and flutter {q}\n" for q in range(8)))
    return tmp_path


NEXT = ("judge-next", "qrels.txt", "a.run", "b.run", "-m", "nDCG@5", "--repeats", 1)


def test_lists_documents_with_reasons(rankmax, files: Path) -> None:
    done = rankmax(*NEXT, "--budget", 5, "--topics", "topics.tsv", "-o", "to-judge.csv")
    assert done.status == 0
    for shown in ("wings, and flutter", "5 of ", " verdict so far "):
        assert shown in done.out
    assert "wrote to-judge.csv" in done.err
    lines = (files / "to-judge.csv").read_text().splitlines()
    assert (lines[0], len(lines)) == ("query,text,doc,grade,why", 6)
    assert "of equally good weights" in lines[1]


def filled(table: str, form: str) -> str:
    """Return a table for annotators with grades 0, 1, 0, 1, ... in its lines."""
    if form == "jsonl":
        lines = [json.loads(line) | {"grade": i % 2} for i, line in enumerate(table.splitlines())]
        return "".join(json.dumps(line) + "\n" for line in lines)
    rows = list(csv.DictReader(io.StringIO(table)))
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(row | {"grade": i % 2} for i, row in enumerate(rows))
    return text.getvalue()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_filled_table_is_a_file_of_judgments(rankmax, files: Path, form: str) -> None:
    told = rankmax(*NEXT, "--budget", 100, "--topics", "topics.tsv", "-o", f"to-judge.{form}", "--json")
    documents = json.loads(told.out)["documents"]
    assert HOSTILE in {one["document"] for one in documents}
    table = files / f"to-judge.{form}"
    unfilled = rankmax("evaluate", table.name, "a.run", "-m", "nDCG@5")
    assert "has no grade: fill it in, or leave the line out" in unfilled.err
    table.write_text(filled(table.read_text(), form))
    expected: dict[str, dict[str, int]] = {}
    for i, one in enumerate(documents):
        expected.setdefault(one["query"], {})[one["document"]] = i % 2
    assert rm.read_qrels(table).to_dict() == expected
    assert rankmax("evaluate", table.name, "a.run", "b.run", "-m", "nDCG@5").status == 0
    done = rankmax("data", "judgments", table.name, "judged.txt")
    assert f"wrote judged.txt: {len(expected)} queries, {len(documents)} judgments" in done.err
    assert rm.read_qrels(files / "judged.txt").to_dict() == expected


def test_documents_of_the_json_are_judgments_once_they_have_grades(rankmax, files: Path) -> None:
    """A user interface adds a grade to each, and writes one per line."""
    documents = json.loads(rankmax(*NEXT, "--budget", 1, "--json").out)["documents"]
    (files / "judged.jsonl").write_text("".join(json.dumps(one | {"grade": 1}) + "\n" for one in documents))
    assert rm.read_qrels(files / "judged.jsonl").to_dict() == {documents[0]["query"]: {documents[0]["document"]: 1}}
    assert "judged.txt: 1 query, 1 judgment" in rankmax("data", "judgments", "judged.jsonl", "judged.txt").err


@pytest.mark.parametrize("header", ["id,text", "query,text", "query_id,clicks,title"])
def test_topics_may_be_a_table(rankmax, files: Path, header: str) -> None:
    names = header.split(",")
    with (files / "topics.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [names, *([f"q{q}", *["7"] * (len(names) - 2), f"wings, and flutter {q}"] for q in range(8))]
        )
    by_table, by_lines = (
        json.loads(rankmax(*NEXT, "--json", "--topics", topics).out) for topics in ("topics.csv", "topics.tsv")
    )
    assert by_table == by_lines
    assert all(one["text"] == f"wings, and flutter {one['query'][1:]}" for one in by_table["documents"])


def test_json_is_that_of_the_function(rankmax, files: Path) -> None:
    told = json.loads(rankmax(*NEXT, "--json", "--budget", 3, "--topics", "topics.tsv").out)
    runs = [files / "a.run", files / "b.run"]
    found = rm.judge_next(files / "qrels.txt", runs, "nDCG@5", repeats=1, budget=3, topics=files / "topics.tsv")
    assert told == json.loads(json.dumps(found.to_dict()))
    assert len(told["documents"]) == 3 <= told["candidates"]
    assert set(told["documents"][0]) == {
        *("query", "document", "share", "pick_rank", "current_rank", "chance", "change", "importance", "text", "why")
    }


def test_a_budget_takes_the_first(rankmax, files: Path) -> None:
    few, many = (json.loads(rankmax(*NEXT, "--json", "--budget", n).out) for n in (3, 1000))
    assert few["documents"] == many["documents"][:3]
    assert few["candidates"] == many["candidates"] == len(many["documents"]) > 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "table.xlsx"), "give a name that ends in .csv or .jsonl"),
        (("--budget", 0), "0 is not in the range"),
        (("--current", "dense"), "is not a known fusion"),
        (("--topics", "qrels.txt"), "expected id, tab, text"),
    ],
)
def test_mistakes_are_named(rankmax, files: Path, arguments: tuple[object, ...], message: str) -> None:
    done = rankmax(*NEXT, *arguments)
    assert done.status != 0
    assert message in " ".join(done.err.split())
    assert "Traceback" not in done.err
