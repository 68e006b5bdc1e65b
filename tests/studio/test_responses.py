"""What the page is told is what the library computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from oracles.tree_models import FILES
from rankmax.api.compare import compare
from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.formats.npz import write_npz
from rankmax.learners.pointwise.least_squares import LeastSquaresRanker
from rankmax.metrics import AP
from rankmax.models import LinearModel
from rankmax.models.tree_ensemble_model import TreeEnsembleModel, tree_model
from rankmax.models.trees.structure import Tree
from rankmax.studio import responses
from rankmax.studio.messages import Compare, Export, Follow, ListQueries, SaveWeights, Setting, Split, Table
from rankmax.studio.session import Session
from rankmax.workflows.projects.project import Project
from rankmax.workflows.weight_profile import profile_weight

NOW = Setting({"f1": 1.0, "f3": 2.0}, "min-max")
BEFORE = Setting(model="baseline.json")
ABOUT = {"data": "train.npz", "metric": "AP", "current": NOW, "reference": BEFORE}


@pytest.fixture
def session(project) -> Session:
    return Session(project)


def values(session: Session, setting: Setting) -> np.ndarray:
    data = session.project.data("train.npz")
    model = session.model(setting, session.bench(ListQueries(**ABOUT)))
    return evaluate_scores(model.scores(data), data, ["AP"]).values[0]


def test_queries_come_by_gain_and_by_loss(session: Session) -> None:
    gains = values(session, NOW) - values(session, BEFORE)
    by_gain = responses.list_queries(session, ListQueries(**ABOUT, order="gain"))
    by_loss = responses.list_queries(session, ListQueries(**ABOUT, order="loss"))
    assert [query["gain"] for query in by_gain["queries"]] == pytest.approx(sorted(gains, reverse=True))
    assert [query["gain"] for query in by_loss["queries"]] == pytest.approx(sorted(gains))
    assert by_gain["n_better"] == (gains > 0).sum() > 0
    in_order = responses.list_queries(session, ListQueries(**ABOUT, order="data", limit=2))
    assert [query["id"] for query in in_order["queries"]] == ["q0", "q1"]


def test_queries_are_found_by_id_and_text(session: Session) -> None:
    assert responses.list_queries(session, ListQueries(**ABOUT, search="Q2"))["n_found"] == 5
    assert responses.list_queries(session, ListQueries(**ABOUT, search="number 7"))["queries"][0]["id"] == "q7"


def test_rankings_have_texts_beside_them(session: Session) -> None:
    told = responses.compare_rankings(session, Compare(**ABOUT, query="q3", depth=3))
    assert told["text"] == "wing number 3"
    assert len(told["documents"]) >= 3
    pieces = told["snippets"][told["documents"][0].id]
    assert ("wing", True) in pieces


def test_following_a_weight_is_its_profile(session: Session) -> None:
    told = responses.follow(session, Follow(data="train.npz", metric="AP", current=NOW, feature="f2"))
    model = session.linear(NOW, session.bench(ListQueries(**ABOUT)))
    profile = profile_weight(model, session.project.data("train.npz"), "f2", AP())
    assert (told["best"]["low"], told["best"]["value"]) == (profile.best.low, profile.best.value)
    assert (told["within"]["low"], told["within"]["high"]) == (profile.within.low, profile.within.high)
    assert told["within"]["value"] >= profile.best.value - profile.standard_error
    assert told["n_steps"] == profile.function.breakpoints.size


def test_models_are_compared_as_the_command_line_does(session: Session) -> None:
    LinearModel([0.0, 0.0, 1.0], ("f1", "f2", "f3")).save(session.project.folder / "third.json")
    LinearModel([-1.0], ("f1",)).save(session.project.folder / "wrong.json")
    models = {name: session.project.model(name) for name in ("third.json", "wrong.json")}
    told = responses.compare_models(session, Table(data="train.npz", metric="AP", reference=BEFORE), models)
    assert [(part["data"], part["role"]) for part in told["parts"]] == [("train.npz", "train"), ("test.npz", "test")]
    for part in told["parts"]:
        data = session.project.data(part["data"])
        systems = {"b": session.project.model("baseline.json"), **models}
        scores = {name: model.scores(data) for name, model in systems.items()}
        expected = compare(data, scores, "AP").by_metric["AP"]
        assert (part["mean"], part["rows"]) == (expected.baseline_mean, expected.rows)
    assert told["distances"]["third.json"].geodesic == pytest.approx(np.pi)
    assert told["distances"]["wrong.json"].geodesic is None


def test_a_model_that_was_trained_on_the_test_queries_is_marked(session: Session) -> None:
    model = LeastSquaresRanker().fit_dataset(session.project.data("test.npz")).model_
    told = responses.compare_models(session, Table(data="train.npz", metric="AP", reference=BEFORE), {"seen": model})
    assert [part["seen"] for part in told["parts"]] == [[], ["seen"]]


def test_trees_are_compared_and_exported_and_have_no_weights(session: Session) -> None:
    data = session.project.data("test.npz")
    counts = [(data.column(0) <= 0.0).sum(), (data.column(0) > 0.0).sum()]
    stump = Tree([0], [0.0], [~0], [~1], [0.0, 1.0], [True], [2], counts)
    more = Tree([0], [0.5], [~0], [~1], [0.0, 1.0], [True], [2])
    model = TreeEnsembleModel((stump,), ("f1",))
    TreeEnsembleModel((stump, more), ("f1",)).save(session.project.folder / "trees.json")
    told = responses.compare_models(session, Table(data="train.npz", metric="AP", reference=BEFORE), {"seen": model})
    assert [part["seen"] for part in told["parts"]] == [[], ["seen"]]
    mean = evaluate_scores(model.scores(data), data, ["AP"]).means[0]
    assert told["parts"][1]["rows"][0].mean == pytest.approx(mean)
    assert told["distances"] == {"seen": None}
    assert "trees.json" in responses.project(session)["models"]
    assert responses.weights_of(session, "trees.json")["weights"] is None
    assert "MultipleAdditiveTreesModel" in responses.export_for(session, Export("trees.json", "solr"))["text"]


def test_a_model_that_does_not_fit_the_data_is_named(session: Session) -> None:
    models = {"trees.txt": tree_model((FILES / "lightgbm.txt").read_bytes(), "trees.txt")}
    with pytest.raises(IncompatibleError, match=r"^trees\.txt: the model knows its features by number"):
        responses.compare_models(session, Table(data="train.npz", metric="AP", reference=BEFORE), models)


def test_test_queries_choose_no_weight_without_a_confirmation(session: Session, client) -> None:
    asked = {"data": "test.npz", "metric": "AP", "current": {"weights": {"f1": 1.0}}}
    for path, more in (("follow", {"feature": "f1"}), ("survey", {"features": ["f1", "f2"]})):
        assert client.post(f"/api/{path}", asked | more).status == 409
        assert client.post(f"/api/{path}", asked | more | {"confirmed": True}).status == 200
    assert client.post("/api/read", asked | {"reference": {"weights": {"f2": 1.0}}}).status == 200, "looking is allowed"


def test_a_file_is_split_into_training_and_test_queries(tmp_path: Path) -> None:
    data = planted_linear(20, 5, 2, seed=1).data
    write_npz(data, tmp_path / "all.npz")
    session = Session(Project.at(tmp_path))
    assert responses.split(session, Split(data="all.npz")) == ["train-all.npz", "test-all.npz"]
    parts = [session.project.data(name) for name in ("train-all.npz", "test-all.npz")]
    assert [part.n_queries for part in parts] == [16, 4]
    assert {query for part in parts for query in part.query_ids} == set(data.query_ids)
    assert responses.project(session)["roles"] == {"train-all.npz": "train", "test-all.npz": "test", "all.npz": None}


def test_weights_are_saved_as_a_model(session: Session) -> None:
    assert responses.save_weights(session, SaveWeights(data="train.npz", current=NOW, name="mine")) == {
        "name": "mine.json"
    }
    model = session.project.model("mine.json")
    assert (model.weights.tolist(), model.normalization.name, model.metric) == ([1, 0, 2, 0], "min-max", "nDCG@10")
    assert responses.weights_of(session, "mine.json")["weights"]["f3"] == 2.0
