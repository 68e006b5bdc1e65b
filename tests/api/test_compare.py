"""`rankmax.compare`: the command's numbers, and scipy's."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

import rankmax
from rankmax import Qrels, Run, write_qrels, write_run
from rankmax.errors import InvalidDataError, UnknownNameError

RNG = np.random.default_rng(5)
QRELS = {f"q{q}": {f"d{d}": int(RNG.integers(0, 3)) for d in range(8)} for q in range(20)}
RUNS = {
    name: {q: {d: float(g * signal + RNG.normal()) for d, g in grades.items()} for q, grades in QRELS.items()}
    for name, signal in (("bm25", 0.3), ("e5", 1.0), ("splade", 0.5))
}


def test_the_function_gives_the_numbers_of_the_command(tmp_path: Path, monkeypatch, capsys) -> None:
    from rankmax.cli import main

    monkeypatch.chdir(tmp_path)
    write_qrels(Qrels.from_dict(QRELS), "qrels.txt")
    for name, run in RUNS.items():
        write_run(Run.from_dict(run, tag=name), f"{name}.run")
    monkeypatch.setattr(sys, "argv", ["rankmax", "compare", "qrels.txt", *(f"{name}.run" for name in RUNS), "--json"])
    with pytest.raises(SystemExit):
        main()
    printed = json.loads(capsys.readouterr().out)
    assert json.loads(json.dumps(rankmax.compare(QRELS, RUNS).to_dict())) == printed


def test_p_values_are_scipys() -> None:
    comparison = rankmax.compare(QRELS, RUNS, "nDCG@10", baseline="e5", test="t", correction="none")
    values = {name: list(by["nDCG@10"].values()) for name, by in comparison.per_query.items()}
    for row in comparison.by_metric["nDCG@10"].rows:
        assert row.test.p_value == pytest.approx(scipy.stats.ttest_rel(values[row.system], values["e5"]).pvalue)


def test_it_shows_itself() -> None:
    comparison = rankmax.compare(QRELS, RUNS, ["AP", "RR"], permutations=1000)
    assert repr(comparison).endswith("two-sided, Holm-corrected; marked: p < 0.05")
    assert "bm25 (baseline)" in repr(comparison)
    assert comparison._repr_html_().count("<table>") == 2
    frame = comparison.to_frame()
    assert list(zip(frame["metric"], frame["system"], strict=True)) == [
        (metric, name) for metric in ("AP", "RR") for name in ("e5", "splade")
    ]
    assert frame["mean"][0] == comparison.means["e5"]["AP"]


def test_it_plots_each_difference() -> None:
    from matplotlib.figure import Figure

    comparison = rankmax.compare(QRELS, RUNS, "AP", permutations=1000)
    ax = comparison.plot(Figure().add_subplot())
    drawn = [container.lines[0].get_xdata()[0] for container in ax.containers]
    assert drawn == [row.difference for row in comparison.by_metric["AP"].rows]


def test_one_query_has_no_effect_size() -> None:
    one = rankmax.compare({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 1.0}}, "b": {"q1": {"d2": 1.0}}}, "RR")
    assert "nan" not in str(one)


def test_mistakes_are_explained() -> None:
    with pytest.raises(InvalidDataError, match="needs at least two systems"):
        rankmax.compare(QRELS, {"bm25": RUNS["bm25"]})
    with pytest.raises(UnknownNameError, match="unknown system 'bm52'; did you mean 'bm25'"):
        rankmax.compare(QRELS, RUNS, baseline="bm52")
