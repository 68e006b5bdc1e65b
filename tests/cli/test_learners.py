from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

from rankmax.losses.named import LOSSES as KNOWN_LOSSES
from rankmax.metrics.parse import parse
from rankmax.model_files import load_model
from rankmax.workflows.learners import DIRECT, LEARNERS, LOSSES

OTHERS = [name for name in LEARNERS if name != DIRECT]


@pytest.mark.parametrize("name", LEARNERS)
def test_options_are_parameters_of_the_learner(name: str) -> None:
    ranker = LEARNERS[name].build(parse("AP"), "none", {})
    assert LEARNERS[name].options - {"checkpoint"} <= set(inspect.signature(type(ranker)).parameters)
    assert LEARNERS[name].takes_validation == ("validation" in inspect.signature(ranker.fit_dataset).parameters)


def test_losses_are_those_that_are_known() -> None:
    assert set(LOSSES) == set(KNOWN_LOSSES)


@pytest.mark.parametrize("name", OTHERS)
def test_every_learner_writes_a_model_that_ranks(rankmax, letor_files: Path, name: str) -> None:
    done = rankmax("train", "data.txt", "-o", "model.json", "--learner", name, "-m", "AP", "--json")
    assert done.status == 0
    assert json.loads(done.out)["metrics"]["training"]["AP"] == 1.0
    learner = type(LEARNERS[name].build(parse("AP"), "none", {})).__name__
    assert load_model(letor_files / "model.json").provenance.learner == learner
    assert rankmax("rank", "model.json", "data.txt", "-o", "ranked.run").status == 0
    assert rankmax("inspect", "model.json").status == 0
    assert (letor_files / "ranked.run").read_text().count("\n") > 1


def test_validation_queries_choose_among_several_costs(rankmax, letor_files: Path) -> None:
    options = ("--C", "0.1", "--C", "10", "--validation", "data.txt", "-m", "AP")
    assert rankmax("train", "data.txt", "-o", "model.json", "--learner", "ranking-svm", *options).status == 0
    assert load_model(letor_files / "model.json").training.validation_value is not None


@pytest.mark.parametrize("name", OTHERS)
def test_bins_are_applied_to_raw_features_when_ranking(rankmax, letor_files: Path, name: str) -> None:
    options = ("--bins", "3", "--learner", name, "-m", "AP")
    assert rankmax("train", "data.txt", "-o", "model.json", *options).status == 0
    assert all(">" in name for name in load_model(letor_files / "model.json").feature_names)
    assert rankmax("rank", "model.json", "data.txt", "-o", "ranked.run").status == 0


def test_an_option_names_the_learners_it_is_for(rankmax, letor_files: Path) -> None:
    done = rankmax("train", "data.txt", "-o", "model.json", "--learner", "ranking-svm", "--loss", "cosine")
    assert (done.status, "it is for expected-gain, surrogate" in done.err) == (2, True)
