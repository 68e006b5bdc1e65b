from __future__ import annotations

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


def test_a_filled_table_is_a_file_of_judgments(rankmax, files: Path) -> None:
    found = rm.judge_next(files / "qrels.txt", [files / "a.run", files / "b.run"], "nDCG@5", repeats=1)
    assert HOSTILE in {one.document for one in found.documents}
    found.save(files / "to-judge.csv")
    frame = pytest.importorskip("pandas").read_csv(files / "to-judge.csv")
    frame["grade"] = 1
    frame.to_csv(files / "judged.csv", index=False)
    assert rm.read_qrels(files / "judged.csv").n_documents == len(found.documents)


def test_json_is_that_of_the_function(rankmax, files: Path) -> None:
    told = json.loads(rankmax(*NEXT, "--json", "--budget", 3, "--topics", "topics.tsv").out)
    runs = [files / "a.run", files / "b.run"]
    found = rm.judge_next(files / "qrels.txt", runs, "nDCG@5", repeats=1, budget=3, topics=files / "topics.tsv")
    assert told == json.loads(json.dumps(found.to_dict()))
    assert len(told["documents"]) == 3 <= told["candidates"]
    assert set(told["documents"][0]) == {
        *("query", "document", "share", "pick_rank", "current_rank", "chance", "change", "importance", "text", "why")
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "table.xlsx"), "give a name that ends in .csv"),
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
