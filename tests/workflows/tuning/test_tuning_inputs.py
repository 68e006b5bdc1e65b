from __future__ import annotations

from pathlib import Path

import pytest

from rankmax.errors import DataFormatError, IncompatibleError, InvalidDataError
from rankmax.workflows.tuning.tuning_inputs import column_of, read_signals


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.0 a\nq2 Q0 d1 1 1.0 a\n")
    (tmp_path / "b.txt").write_text("q1 Q0 d2 1 2.0 b\n")
    (tmp_path / "log.csv").write_text("query,doc,label,x,y\nq1,d1,0,1,2\nq1,d2,1,3,4\nq7,d1,0,0,0\n")
    return tmp_path


def test_runs_are_read_with_qrels_whatever_their_names(folder: Path) -> None:
    ticks = []
    paths = [str(folder / name) for name in ("a.run", "b.txt")]
    signals = read_signals(paths, str(folder / "qrels.txt"), tick=lambda: ticks.append(1))
    assert (signals.names, signals.from_runs, len(ticks)) == (("a", "b"), True, 2)


def test_a_log_is_read_with_its_own_labels_or_with_qrels(folder: Path) -> None:
    log = str(folder / "log.csv")
    own = read_signals([log])
    assert (own.names, own.from_runs, own.data.query_ids) == (("x", "y"), False, ("q1", "q7"))
    assert own.data.grades.tolist() == [0, 1, 0]
    judged = read_signals([log], str(folder / "qrels.txt"))
    assert judged.data.query_ids == ("q1",)
    assert judged.data.grades[0] == 1


def test_what_does_not_go_together_is_refused(folder: Path) -> None:
    with pytest.raises(IncompatibleError, match="2 files without qrels"):
        read_signals([str(folder / "a.run"), str(folder / "b.txt")])
    (folder / "other.txt").write_text("9 0 d1 1\n")
    with pytest.raises(InvalidDataError, match=r"no query of .*log\.csv is judged in .*other\.txt"):
        read_signals([str(folder / "log.csv")], str(folder / "other.txt"))
    (folder / "empty.run").write_text("")
    with pytest.raises(DataFormatError, match=r"empty\.run"):
        read_signals([str(folder / "a.run"), str(folder / "empty.run")], str(folder / "qrels.txt"))


def test_columns_are_of_the_judged_queries_in_their_order(folder: Path) -> None:
    signals = read_signals([str(folder / "log.csv")])
    (folder / "topics.csv").write_text("id,length\nq7,1\nq9,4\nq1,3\n")
    with pytest.raises(InvalidDataError, match="'length' makes one group"):
        column_of(signals, str(folder / "topics.csv"), "length")
    (folder / "topics.csv").write_text("id,length\nq9,4\nq1,3\n")
    with pytest.raises(InvalidDataError, match="lacks 1 judged query, such as 'q7'"):
        column_of(signals, str(folder / "topics.csv"), "length")
