from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write data that feature 1 ranks perfectly, of three features."""
    lines = [(int(d == 1), q, 4 - d, (q * d) % 3, (q + d) % 2) for q in (1, 2, 3, 4) for d in (1, 2, 3)]
    (tmp_path / "data.txt").write_text("".join(f"{y} qid:{q} 1:{a} 2:{b} 3:{c}\n" for y, q, a, b, c in lines))
    return tmp_path


THREE = ("surface", "data.txt", "--features", "f1,f2,f3", "-m", "RR", "--resolution", "6")
TWO = ("surface", "data.txt", "--features", "f2,f1", "-m", "RR")


def test_tells_the_best_weights_and_the_plateau(rankmax, files: Path) -> None:
    done = rankmax(*THREE)
    told = dict(line.strip().split("   ", 1) for line in done.out.strip().splitlines())
    assert list(told) == ["metric", "best value", "f1", "f2", "f3", "standard error", "plateau", "proven"]
    assert told["best value"].strip() == "1.000000"
    assert float(told["f1"]) > max(float(told["f2"]), float(told["f3"]))
    assert sum(float(told[name]) for name in ("f1", "f2", "f3")) == pytest.approx(1.0, abs=2e-6)
    assert told["plateau"].strip().endswith("% of all weights are within one standard error of the best")


def test_json_and_csv_agree(rankmax, files: Path) -> None:
    told = json.loads(rankmax(*THREE, "--json").out)
    rows = list(csv.DictReader(rankmax(*THREE, "--csv").out.splitlines()))
    assert len(rows) == len(told["values"]) == 36
    assert [float(row["value"]) for row in rows] == told["values"]
    assert [[float(row[name]) for name in told["features"]] for row in rows] == told["weights"]
    assert [row["plateau"] == "1" for row in rows] == told["plateau"]
    assert told["plateau_share"] == pytest.approx(sum(told["plateau"]) / 36)
    assert told["optimum"]["value"] == 1.0 >= max(told["values"])
    assert (told["metric"], told["resolution"], told["normalization"]) == ("RR", 6, "none")


def test_two_features_give_the_exact_function(rankmax, files: Path) -> None:
    told = json.loads(rankmax(*TWO, "--json").out)
    rows = list(csv.DictReader(rankmax(*TWO, "--csv").out.splitlines()))
    assert [float(row["low"]) for row in rows] == [0.0, *told["breakpoints"]]
    assert [float(row["high"]) for row in rows] == [*told["breakpoints"], 1.0]
    assert [float(row["value"]) for row in rows] == told["values"]
    assert told["values"][0] == told["optimum"]["value"] == 1.0
    assert told["optimum"]["weights"][1] > 0.5
    assert "best value" in rankmax(*TWO).out


def test_normalizes_first(rankmax, files: Path) -> None:
    plain, normalized = (
        json.loads(rankmax(*THREE, "--json", "--normalize", name).out) for name in ("none", "percentile")
    )
    assert normalized["normalization"] == "percentile"
    assert plain["values"] != normalized["values"]


@pytest.mark.parametrize(
    ("command", "name", "start"),
    [
        (THREE, "s.png", b"\x89PNG"),
        (THREE, "s.svg", b"<?xml"),
        (THREE, "s.HTML", b"<!doctype"),
        (TWO, "s.svg", b"<?xml"),
    ],
)
def test_draws(rankmax, files: Path, command: tuple[str, ...], name: str, start: bytes) -> None:
    if name != "s.HTML":
        pytest.importorskip("matplotlib")
    done = rankmax(*command, "-o", name)
    assert (done.status, done.err) == (0, f"note: wrote {name}\n")
    assert (files / name).read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (("--features", "f1,f2,f3,f1"), 2, "4 named, but a surface is over the weights of three features"),
        (("--features", "f1"), 2, "1 named"),
        (("--features", "f1,f2,f33"), 1, "unknown feature 'f33'; did you mean 'f3'"),
        (("--features", "f1,f2,f1"), 1, "each feature may be given once, not f1, f2, f1"),
        (("--features", "f1,f2,f3", "-o", "s.pdf"), 1, "'s.pdf': the name must end in .png, .svg or .html"),
        (("--features", "f1,f2", "-o", "s.html"), 2, "an .html page shows three features"),
        (("--features", "f1,f2,f3", "--resolution", "1"), 2, "2<=x<=300"),
        ((), 2, "Missing option '--features'"),
    ],
)
def test_mistakes(rankmax, files: Path, arguments: tuple[str, ...], status: int, complaint: str) -> None:
    done = rankmax("surface", "data.txt", *arguments)
    assert (done.status, complaint in done.err, done.out) == (status, True, "")
    assert [path.name for path in files.iterdir()] == ["data.txt"]
