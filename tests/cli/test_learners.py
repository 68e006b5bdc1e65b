from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import pytest

from rankmax.learners.registry import DIRECT, LEARNERS
from rankmax.metrics.registry import parse_metric
from rankmax.models.model_files import load_model

OTHERS = [name for name in LEARNERS if name != DIRECT]


BY_OTHER_MEANS = {"memory", "alpha", "epsilon"}  # the backend's, and those of the parts of a surrogate


@pytest.mark.parametrize("name", LEARNERS)
def test_options_are_parameters_of_the_learner_with_the_same_defaults(name: str) -> None:
    ranker = LEARNERS.load(name).from_options(parse_metric("AP"), "none", {})
    parameters = {**inspect.signature(type(ranker)).parameters, **inspect.signature(ranker.fit_dataset).parameters}
    for option in LEARNERS.load(name).options:
        assert option.name in {*parameters, *BY_OTHER_MEANS}
        if option.default is not None:
            assert parameters[option.name].default == option.default
        assert option.help.strip()


def test_one_option_is_one_kind_of_value_whatever_the_learner() -> None:
    kinds: dict[str, set[object]] = {}
    for learner in LEARNERS.load_all().values():
        for option in learner.options:
            same = (option.type, option.choices, option.many, option.minimum, option.above, option.spelled)
            kinds.setdefault(option.name, set()).add(same)
    assert [name for name, found in kinds.items() if len(found) > 1] == []


def test_help_has_every_option_and_every_learner_described(rankmax) -> None:
    text = rankmax("train", "--help").out
    for name, learner in LEARNERS.load_all().items():
        assert re.search(rf"{name} +{re.escape(LEARNERS.describe(name))}", text)
        assert [option.name for option in learner.options if f"--{option.spelled} " not in text] == []


@pytest.mark.parametrize("name", OTHERS)
def test_every_learner_writes_a_model_that_ranks(rankmax, letor_files: Path, name: str) -> None:
    done = rankmax("train", "data.txt", "-o", "model.json", "--learner", name, "-m", "AP", "--json")
    assert done.status == 0
    assert json.loads(done.out)["metrics"]["training"]["AP"] == 1.0
    learner = type(LEARNERS.load(name).from_options(parse_metric("AP"), "none", {})).__name__
    assert load_model(letor_files / "model.json").provenance.learner == learner
    assert rankmax("rank", "model.json", "data.txt", "-o", "ranked.run").status == 0
    assert rankmax("inspect", "model.json").status == 0
    assert (letor_files / "ranked.run").read_text().count("\n") > 1


def test_validation_queries_choose_among_several_costs(rankmax, letor_files: Path) -> None:
    options = ("--C", "0.1", "--C", "10", "--validation", "data.txt", "-m", "AP")
    assert rankmax("train", "data.txt", "-o", "model.json", "--learner", "ranking-svm", *options).status == 0
    assert load_model(letor_files / "model.json").training.validation_value is not None


def test_validation_queries_choose_alpha_and_epsilon(rankmax, letor_files: Path) -> None:
    def chosen(*options: str) -> dict[str, str]:
        command = ("train", "data.txt", "-o", "model.json", "--learner", "expected-gain", "--validation", "data.txt")
        assert rankmax(*command, *options).status == 0
        model = load_model(letor_files / "model.json")
        return {**model.provenance.parameters, "tried": model.training.n_ascents}

    assert chosen("--ridge", "10")["tried"] == 8 * 5
    told = chosen("--alpha", "3", "--epsilon", "0.75", "--epsilon", "0.85")
    assert (told["tried"], "alpha=3.0" in told["loss"]) == (2, True)
    told = chosen("--loss", "cosine", "--epsilon", "0.75", "--restarts", "2", "--seed", "3")
    assert (told["tried"], told["n_restarts"], "epsilon=0.75" in told["scoring"]) == (1, 2, True)


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("--alpha", "1", "--alpha", "2"), 1, "2 combinations of loss, scoring and ridge are given, and no validation"),
        (("--alpha", "1", "--loss", "cosine"), 2, "--alpha is not for the loss cosine; it is for cross-entropy"),
        (("--epsilon", "0.5"), 2, "0.5 is not in the range 0.5<x<=1"),
        (("--learner", "surrogate", "--epsilon", "0.9"), 2, "--epsilon is not for the learner surrogate"),
    ],
)
def test_alpha_and_epsilon_that_cannot_be(
    rankmax, letor_files: Path, options: tuple[str, ...], status: int, message: str
) -> None:
    done = rankmax("train", "data.txt", "-o", "model.json", "--learner", "expected-gain", *options)
    assert (done.status, message in done.err) == (status, True)


@pytest.mark.parametrize("name", OTHERS)
def test_bins_are_applied_to_raw_features_when_ranking(rankmax, letor_files: Path, name: str) -> None:
    options = ("--bins", "3", "--learner", name, "-m", "AP")
    assert rankmax("train", "data.txt", "-o", "model.json", *options).status == 0
    assert all(">" in name for name in load_model(letor_files / "model.json").feature_names)
    assert rankmax("rank", "model.json", "data.txt", "-o", "ranked.run").status == 0


def test_features_are_normalized_before_they_are_binned(rankmax, letor_files: Path) -> None:
    options = ("--bins", "3", "--normalize", "percentile", "--learner", "classification-svm", "-m", "AP")
    assert rankmax("train", "data.txt", "-o", "acc3.json", *options).status == 0
    model = load_model(letor_files / "acc3.json")
    assert all(name.startswith("percentile(") for name in model.feature_names)
    assert model.normalization.name == "none"


def test_queries_that_teach_nothing_are_counted(rankmax, tmp_path: Path) -> None:
    lines = [f"{int(d < q < 2)} qid:{q} 1:{d} 2:{d * q}\n" for q in range(4) for d in range(3)]
    (tmp_path / "data.txt").write_text("".join(lines))
    done = rankmax("train", "data.txt", "-o", "model.json", "--learner", "structural-svm", "-m", "AP")
    assert done.status == 0
    assert "skipped 3 of 4 queries, whose documents are all alike, such as 0\n" in done.err


def test_an_option_names_the_learners_it_is_for(rankmax, letor_files: Path) -> None:
    done = rankmax("train", "data.txt", "-o", "model.json", "--learner", "ranking-svm", "--loss", "cosine")
    assert (done.status, "it is for expected-gain, surrogate" in done.err) == (2, True)
