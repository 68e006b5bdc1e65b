from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from rankmax._result_views import sparkline
from rankmax.cli.inspect import draw_bars
from rankmax.formats.letor import read_letor
from rankmax.models import LinearModel, Provenance, TrainingRecord
from rankmax.models.additive_model import AdditiveModel, Product
from rankmax.models.curve import Curve
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.models.varying_model import VaryingModel
from rankmax.preprocessing.feature_normalization import MinMax


@pytest.fixture
def model(tmp_path: Path) -> LinearModel:
    origin = Provenance(learner="LinearRanker", parameters={"space": "euclidean"}, seed=7, data_hash="blake2b:aa")
    model = LinearModel(
        np.array([1.0, -6.0, 0.0, 3.0]), ("bm25", "age", "clicks", "title"), MinMax(), "nDCG@10", origin
    )
    model.save(tmp_path / "model.json")
    return model


def table(out: str) -> list[list[str]]:
    lines = out.split("─\n")[1].split("\n\n")[0].splitlines()
    return [line.split() for line in lines]


def test_weights_by_magnitude_with_their_canonical_form(rankmax, model: LinearModel) -> None:
    rows = table(rankmax("inspect", "model.json").out)
    assert [row[:3] for row in rows] == [
        ["age", "-6", "-0.6000"],
        ["title", "3", "+0.3000"],
        ["bm25", "1", "+0.1000"],
        ["clicks", "0", "+0.0000"],
    ]


def test_what_the_model_holds_besides(rankmax, model: LinearModel) -> None:
    out = rankmax("inspect", "model.json").out
    facts = dict(line.split() for line in out.split("\n\n")[0].splitlines())
    assert facts["metric"] == "nDCG@10"
    assert facts["normalization"] == "min-max"
    assert (facts["learner"], facts["space"], facts["seed"]) == ("LinearRanker", "euclidean", "7")
    assert facts["data"] == "blake2b:aa"
    assert out.endswith("4 features: 3 used, 1 with a negative weight\n")


def test_bars_point_to_either_side_of_one_axis() -> None:
    bars = draw_bars([-4.0, 2.0, 1e-9, 0.0])
    assert len({bar.index("│") for bar in bars}) == 1
    assert [tuple(part.strip() for part in bar.split("│")) for bar in bars] == [
        ("█" * 24, ""),
        ("", "█" * 12),
        ("", "·"),
        ("", ""),
    ]


def test_no_room_for_negative_bars_where_there_are_none() -> None:
    assert draw_bars([2.0, 1.0])[0].startswith("│█")


def test_only_the_largest_unless_asked(rankmax, tmp_path: Path) -> None:
    LinearModel(np.arange(1.0, 31.0), tuple(f"f{j}" for j in range(30))).save(tmp_path / "model.json")
    done = rankmax("inspect", "model.json")
    assert [row[0] for row in table(done.out)] == [f"f{j}" for j in range(29, 9, -1)]
    assert "10 smaller not shown (--all)" in done.out
    whole = rankmax("inspect", "model.json", "--all").out
    assert len(table(whole)) == 30
    assert "not shown" not in whole


def test_json_has_every_weight_exactly(rankmax, model: LinearModel) -> None:
    told = json.loads(rankmax("inspect", "model.json", "--json").out)
    assert {row["feature"]: row["weight"] for row in told["weights"]} == dict(
        zip(model.feature_names, model.weights.tolist(), strict=True)
    )
    assert sum(abs(row["canonical"]) for row in told["weights"]) == pytest.approx(1)
    assert (told["metric"], told["normalization"]) == ("nDCG@10", {"name": "min-max"})
    assert (told["provenance"]["learner"], told["provenance"]["seed"]) == ("LinearRanker", 7)


def test_a_model_of_zeros_or_of_nothing(rankmax, tmp_path: Path) -> None:
    LinearModel(np.zeros(2), ("a", "b")).save(tmp_path / "zero.json")
    LinearModel(np.zeros(0), ()).save(tmp_path / "empty.json")
    for name in ("zero.json", "empty.json"):
        done = rankmax("inspect", name)
        assert (done.status, "every weight is 0: the model ranks nothing" in done.out) == (0, True)


def test_a_file_that_is_no_model(rankmax, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text("[]")
    done = rankmax("inspect", "model.json")
    assert (done.status, done.err.startswith("Error: model.json: not a rankmax model")) == (1, True)


def test_curves_rise_from_the_lowest_block_to_the_highest() -> None:
    assert sparkline([0.0, 0.5, 1.0], 40) == "▁▅█"
    assert sparkline([0.3], 40) == sparkline([0.3, 0.3], 40)[0] == "▁"
    long = sparkline([float(i) for i in range(1000)], 40)
    assert (len(long), long[0], long[-1]) == (40, "▁", "█")
    assert list(long) == sorted(long)


def test_how_it_was_trained(rankmax, tmp_path: Path) -> None:
    ascended = TrainingRecord(
        value=0.5, validation_value=0.4, n_ascents=10, n_lines=1234, stopped_by="seconds", curve=((0, 0.25), (9, 0.5))
    )
    LinearModel(np.ones(1), ("a",), training=ascended).save(tmp_path / "model.json")
    out = rankmax("inspect", "model.json").out
    assert " training        0.5000, 1,234 lines searched, ascents: 10, stopped by seconds\n" in out
    assert " validation      0.4000\n" in out
    assert " curve           0.2500 ▁█ 0.5000\n" in out
    assert json.loads(rankmax("inspect", "model.json", "--json").out)["training"]["n_lines"] == 1234
    LinearModel(np.ones(1), ("a",), training=TrainingRecord(value=0.5, bag_values=(0.25, 0.75))).save(
        tmp_path / "model.json"
    )
    assert " bags            0.2500 to 0.7500\n" in rankmax("inspect", "model.json").out


@pytest.fixture
def gain_model(letor_files: Path) -> ExpectedGainModel:
    model = ExpectedGainModel(
        [0, 1, 2], [0, 1, 3], [[1.0, 0.0], [2.0, 5.0], [4.0, 0.0]], [0.5, 0.0, -3.0], ("f1", "f2")
    )
    model.save(letor_files / "gain.json")
    return model


def test_log_odds_of_the_grades(rankmax, gain_model: ExpectedGainModel) -> None:
    done = rankmax("inspect", "gain.json")
    assert table(done.out) == [["(intercept)", "-0.5", "-3.5"], ["f2", "+5", "+0"], ["f1", "+1", "+3"]]
    assert "2 features: log-odds against grade 0 (gain 0)" in done.out
    told = json.loads(rankmax("inspect", "gain.json", "--json").out)
    assert told["weights"][0] == {"feature": "f2", "log_odds": {"0": 0.0, "1": 5.0, "2": 0.0}}
    assert told["intercepts"] == {"0": 0.0, "1": -0.5, "2": -3.5}
    assert "probabilities" not in told


def test_probabilities_of_the_grades(rankmax, gain_model: ExpectedGainModel, letor_files: Path) -> None:
    data = read_letor(letor_files / "data.txt")
    told = json.loads(rankmax("inspect", "gain.json", "--data", "data.txt", "--json").out)["probabilities"]
    assert [(row["grade"], row["documents"]) for row in told] == [("0", 8), ("1", 4)]
    for row in told:
        own = data.grades == float(row["grade"])
        expected = gain_model.probabilities(data)[own].mean(axis=0)
        np.testing.assert_allclose(list(row["probabilities"].values()), expected)
        assert row["expected_gain"] == pytest.approx(gain_model.scores(data)[own].mean())
    shown = rankmax("inspect", "gain.json", "--data", "data.txt").out.split("by the documents' grades")[1]
    assert [line.split()[:2] for line in shown.splitlines()[3:5]] == [["0", "8"], ["1", "4"]]


def test_only_expected_gain_has_probabilities(rankmax, model: LinearModel, letor_files: Path) -> None:
    done = rankmax("inspect", "model.json", "--data", "data.txt")
    assert (done.status, "--data is for a model of expected gain" in done.err) == (2, True)


def test_an_index_is_shown_and_checked(rankmax, tmp_path: Path) -> None:
    (tmp_path / "docs.tsv").write_text("id\ttitle\ttext\nd1\tFlutter\tof wings\n")
    built = rankmax("index", "docs.tsv", "-o", "docs.index", "--store", "title")
    assert rankmax("inspect", "docs.index").out == built.out
    assert json.loads(rankmax("inspect", "docs.index", "--json").out)["stored"] == ["title"]
    positions = tmp_path / "docs.index" / "positions.bin"
    positions.write_bytes(bytes([9]) * positions.stat().st_size)
    damaged = rankmax("inspect", "docs.index")
    assert damaged.status == 1
    assert "positions.bin: damaged: its checksum is wrong; build the index again" in damaged.err


def test_binned_features_are_drawn_as_functions(rankmax, tmp_path: Path, model: LinearModel) -> None:
    LinearModel(np.array([0.5, 1.0, -0.25]), ("bm25>1", "bm25>2", "age>4")).save(tmp_path / "binned.json")
    done = rankmax("inspect", "binned.json", "--plot", "functions.svg")
    assert (done.status, "wrote functions.svg" in done.err, "3 features" in done.out) == (0, True, True)
    drawn = (tmp_path / "functions.svg").read_text()
    assert ("<!-- bm25 -->" in drawn, "<!-- age -->" in drawn) == (True, True)
    refused = rankmax("inspect", "model.json", "--plot", "lines.svg")
    assert (refused.status, "no binned features" in refused.err) == (1, True)
    assert not (tmp_path / "lines.svg").exists()
    folder = rankmax("inspect", ".", "--plot", "functions.svg")
    assert (folder.status, "--plot draws a model" in folder.err) == (2, True)


def test_weights_that_depend_on_the_query(rankmax, tmp_path: Path) -> None:
    groups = VaryingModel("kind", None, ("what", "who"), [[0.25, 0.75], [1.0, 0.0]], [0.5, 0.5], ("bm25", "e5"))
    groups.save(tmp_path / "groups.json")
    assert table(rankmax("inspect", "groups.json").out) == [["bm25", "0.25", "1", "0.5"], ["e5", "0.75", "0", "0.5"]]
    assert "depend on the query" in rankmax("inspect", "groups.json", "--plot", "x.svg").err
    numbers = VaryingModel("length", (2.0, 8.5), (), [[0.25], [1.0]], [0.5], ("bm25",), metric="AP")
    numbers.save(tmp_path / "numbers.json")
    told = json.loads(rankmax("inspect", "numbers.json", "--json").out)
    assert (told["metric"], told["column"]) == ("AP", "length")
    assert told["weights"] == [{"feature": "bm25", "weights": {"2": 0.25, "8.5": 1.0}, "otherwise": 0.5}]
    assert "weights by length" in rankmax("inspect", "numbers.json").out


def test_curves_are_shown_and_drawn(rankmax, tmp_path: Path) -> None:
    age = Curve(
        np.array([0.0, 10.0, 40.0]), np.array([1.0, 0.5, -1.0]), deviations=np.array([0.1, 0.2, 0.3]), weight=-0.05
    )
    clicks = Curve(np.array([0.0, 1.0]), np.array([0.0, 3.0]), absent=-0.5)
    flat = Curve(np.array([2.0]), np.array([0.0]))
    names = ("age", "clicks", "flat")
    AdditiveModel((age, clicks, flat), names, (Product("age", "clicks", 0.25),)).save(tmp_path / "curves.json")
    done = rankmax("inspect", "curves.json", "--plot", "curves.svg")
    assert done.status == 0
    rows = table(done.out)
    assert [row[0] for row in rows if row and row[0] in names] == ["clicks", "age"]
    assert "█" in done.out
    assert "age * clicks" in done.out
    assert "features without effect: 1" in done.out
    assert (tmp_path / "curves.svg").read_bytes()[:5] == b"<?xml"
    told = json.loads(rankmax("inspect", "curves.json", "--json").out)
    assert told["features"][0]["knots"] == [0.0, 10.0, 40.0]


HOSTILE = "age\x1b]0;owned\x07\u202e\nbm25   9.9"


def test_names_from_files_do_not_command_the_terminal(rankmax, tmp_path: Path) -> None:
    AdditiveModel((Curve([0.0, 1.0], [0.0, 3.0]),), (HOSTILE,), metric=HOSTILE).save(tmp_path / "curves.json")
    LinearModel(np.ones(1), (HOSTILE,), metric=HOSTILE).save(tmp_path / "linear.json")
    commands = [
        ("inspect", "curves.json", "--plot", "curves.svg"),
        ("inspect", "curves.json", "--json"),
        ("inspect", "linear.json"),
        ("inspect", HOSTILE),
        *(("export", model, "--to", "opensearch-ltr") for model in ("curves.json", "linear.json")),
        *(("export", "curves.json", "--to", target) for target in ("python", "script-score", "solr", "vespa")),
    ]
    for command in commands:
        done = rankmax(*command)
        assert "age" in done.out + done.err, command
        assert not any(character in done.out + done.err for character in "\x1b\x07\u202e"), command
        assert not any(line.startswith("bm25") for line in done.out.splitlines()), command
    ElementTree.parse(tmp_path / "curves.svg")
