from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def two_systems(tmp_path: Path) -> np.ndarray:
    """Write data and scores of systems a (random) and b (better); return grades by query."""
    rng = np.random.default_rng(5)
    grades = rng.integers(0, 3, (30, 10))
    rows = [(y, q) for q, query in enumerate(grades) for y in query]
    (tmp_path / "data.txt").write_text("".join(f"{y} qid:{q} 1:0\n" for y, q in rows))
    noise = rng.normal(size=grades.shape)
    np.savetxt(tmp_path / "a.scores", noise.ravel())
    np.savetxt(tmp_path / "b.scores", (grades + noise).ravel())
    return grades


@pytest.mark.usefixtures("two_systems")
class TestCompare:
    def test_table_marks_a_real_difference(self, rankmax) -> None:
        done = rankmax("compare", "data.txt", "--scores", "a.scores", "--scores", "b.scores", "-m", "nDCG@5")
        assert done.status == 0
        (row,) = [line.split() for line in done.out.splitlines() if line.split()[:1] == ["b"]]
        assert row[1].endswith("▲")
        assert "a (baseline)" in done.out
        assert "Fisher's paired randomization test, two-sided; marked: p < 0.05" in done.out

    @pytest.mark.parametrize(("test", "marker"), [("t", "†"), ("wilcoxon", "**"), ("randomization", "▲")])
    def test_every_test_has_its_marker(self, rankmax, test: str, marker: str) -> None:
        done = rankmax(
            "compare", "data.txt", "--scores", "a.scores", "--scores", "b.scores", "-m", "AP", "--test", test
        )
        assert marker in done.out

    def test_json_agrees_with_scipy(self, rankmax) -> None:
        from scipy import stats

        systems = ("--scores", "a.scores", "--scores", "b.scores", "-m", "nDCG@5")
        values = [
            [query["nDCG@5"] for query in system["per_query"].values()]
            for system in json.loads(rankmax("evaluate", "data.txt", *systems, "--per-query", "--json").out)
        ]
        done = rankmax("compare", "data.txt", *systems, "--test", "t", "--alternative", "greater", "--json")
        row = json.loads(done.out)["nDCG@5"]["rows"][0]
        expected = stats.ttest_rel(values[1], values[0], alternative="greater")
        assert row["test"]["p_value"] == pytest.approx(expected.pvalue, rel=1e-9)
        assert row["difference"] == pytest.approx(np.mean(values[1]) - np.mean(values[0]))
        assert row["wins"]["wins"] == sum(b > a for a, b in zip(*values, strict=True))

    def test_csv_has_one_row_a_system_and_metric(self, rankmax) -> None:
        done = rankmax(
            *("compare", "data.txt", "--scores", "a.scores", "--scores", "b.scores", "--scores", "data.txt"),
            *("-m", "AP", "-m", "RR", "--csv", "--baseline", "b"),
        )
        assert done.status == 1  # data.txt is no file of scores
        done = rankmax(
            *("compare", "data.txt", "--scores", "a.scores", "--scores", "b.scores"),
            *("-m", "AP", "-m", "RR", "--csv", "--baseline", "b"),
        )
        rows = list(csv.DictReader(io.StringIO(done.out)))
        assert [(row["metric"], row["system"], row["baseline"]) for row in rows] == [("AP", "a", "b"), ("RR", "a", "b")]
        assert all(float(row["difference"]) < 0 for row in rows)

    @pytest.mark.parametrize("suffix", ["png", "svg"])
    def test_plot(self, rankmax, tmp_path: Path, suffix: str) -> None:
        pytest.importorskip("matplotlib")
        systems = ("--scores", "a.scores", "--scores", "b.scores")
        done = rankmax("compare", "data.txt", *systems, "-m", "AP", "--plot", f"plot.{suffix}")
        assert done.status == 0
        assert (tmp_path / f"plot.{suffix}").read_bytes()[:5] == {"png": b"\x89PNG\r", "svg": b"<?xml"}[suffix]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--scores", "a.scores"], "comparing needs at least two systems"),
            (["--scores", "a.scores", "--scores", "b.scores", "--plot", "x.png"], "--plot draws one metric"),
            (["--scores", "a.scores", "--scores", "b.scores", "--baseline", "c"], "no system 'c'; there are a, b"),
            (["--scores", "a.scores", "--scores", "b.scores", "--level", "1"], "--level"),
        ],
    )
    def test_bad_arguments(self, rankmax, arguments: list[str], message: str) -> None:
        done = rankmax("compare", "data.txt", *arguments)
        assert done.status == 2
        assert message in done.err

    def test_unknown_plot_format_leaves_no_file(self, rankmax, tmp_path: Path) -> None:
        systems = ("--scores", "a.scores", "--scores", "b.scores", "-m", "AP")
        done = rankmax("compare", "data.txt", *systems, "--plot", "plot.bmp")
        assert done.status == 2
        assert "must end in .png or .svg" in done.err
        assert not (tmp_path / "plot.bmp").exists()
