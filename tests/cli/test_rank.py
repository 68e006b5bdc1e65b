from __future__ import annotations

import json
from pathlib import Path

from rankmax.formats.trec import read_run
from rankmax.models import LinearModel
from rankmax.preprocessing.run_normalization import ReciprocalRank


def test_a_run_that_evaluates_as_the_model_does(rankmax, letor_files: Path) -> None:
    rankmax("train", "data.txt", "-o", "model.json")
    assert rankmax("rank", "model.json", "data.txt", "-o", "ranked.run", "--tag", "mine").status == 0
    run = read_run(letor_files / "ranked.run")
    assert run.tag == "mine"
    assert next(iter(run.to_dict()["1"])) == "1-1"


def test_scores_in_the_order_of_the_data(rankmax, letor_files: Path) -> None:
    rankmax("train", "data.txt", "-o", "model.json")
    assert rankmax("rank", "model.json", "data.txt", "-o", "my.scores", "--as", "scores").status == 0
    done = rankmax("evaluate", "data.txt", "--scores", "my.scores", "--model", "model.json", "-m", "AP", "--json")
    by_scores, by_model = json.loads(done.out)
    assert by_scores["metrics"] == by_model["metrics"]


def test_a_model_that_is_no_model(rankmax, letor_files: Path) -> None:
    (letor_files / "model.json").write_text('{"weights": [1, 2]}')
    done = rankmax("rank", "model.json", "data.txt", "-o", "ranked.run")
    assert done.status == 1
    assert done.err.startswith("Error: model.json: ")
    assert not (letor_files / "ranked.run").exists()


def test_features_are_found_by_name(rankmax, letor_files: Path) -> None:
    rankmax("train", "data.txt", "-o", "model.json")
    (letor_files / "fewer.txt").write_text("1 qid:1 1:0.5\n")
    done = rankmax("rank", "model.json", "fewer.txt", "-o", "ranked.run")
    assert (done.status, "f2" in done.err) == (1, True)


def test_a_tag_with_a_blank_would_break_the_run(rankmax, letor_files: Path) -> None:
    rankmax("train", "data.txt", "-o", "model.json")
    done = rankmax("rank", "model.json", "data.txt", "-o", "ranked.run", "--tag", "my system")
    assert (done.status, done.err) == (1, "Error: tag 'my system' must not be empty or contain blanks\n")
    assert not (letor_files / "ranked.run").exists()


def test_runs_of_other_names_and_runs_that_the_model_does_not_know(rankmax, tmp_path: Path) -> None:
    LinearModel([1.0, 2.0], ("bm25", "e5"), ReciprocalRank(k=0)).save(tmp_path / "model.json")
    for name, documents in (("one", "ab"), ("two", "b"), ("three", "xyz")):
        lines = [f"q1 Q0 {d} 1 {9 - i} {name}\n" for i, d in enumerate(documents)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    done = rankmax("rank", "model.json", "three.run", "e5=two.run", "bm25=one.run", "-o", "fused.run")
    assert done.status == 0
    assert "note: ignored three: the model does not know it, it weights bm25, e5" in done.err
    assert read_run(tmp_path / "fused.run").to_dict() == {"q1": {"b": 2.5, "a": 1.0}}
    lacking = rankmax("rank", "model.json", "one.run", "e5=two.run", "-o", "fused.run")
    assert (lacking.status, "no run 'bm25' among one, e5" in lacking.err, "bm25=FILE" in lacking.err) == (1, True, True)


def test_one_run_of_several_is_a_run_and_no_data_file(rankmax, tmp_path: Path) -> None:
    LinearModel([0.3, 0.7], ("bm25", "e5"), ReciprocalRank()).save(tmp_path / "model.json")
    (tmp_path / "bm25.run").write_text("q1 Q0 d1 1 9 bm25\n")
    done = rankmax("rank", "model.json", "bm25.run", "-o", "fused.run")
    assert (done.status, "there is no run 'e5' among bm25" in done.err) == (1, True)
