"""What the page is told is what the library computes."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.evaluation.comparison import compare_systems
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.metrics import AP
from rankmax.models import LinearModel
from rankmax.studio import responses
from rankmax.studio.messages import Compare, Follow, ListQueries, SaveWeights, Setting, Table
from rankmax.studio.session import Session
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
    assert told["n_steps"] == profile.function.breakpoints.size


def test_models_are_compared_as_the_command_line_does(session: Session) -> None:
    LinearModel([0.0, 0.0, 1.0], ("f1", "f2", "f3")).save(session.project.folder / "third.json")
    LinearModel([-1.0], ("f1",)).save(session.project.folder / "wrong.json")
    told = responses.compare_models(
        session, Table(data="train.npz", metric="AP", reference=BEFORE, models=("third.json", "wrong.json"))
    )
    names = {"third.json": Setting(model="third.json"), "wrong.json": Setting(model="wrong.json")}
    expected = compare_systems({"b": values(session, BEFORE)} | {n: values(session, s) for n, s in names.items()}, "b")
    assert [row["comparison"] for row in told["rows"]] == list(expected.rows)
    assert told["rows"][0]["distance"].geodesic == pytest.approx(np.pi)
    assert told["rows"][1]["distance"].geodesic is None


def test_weights_are_saved_as_a_model(session: Session) -> None:
    assert responses.save_weights(session, SaveWeights(data="train.npz", current=NOW, name="mine")) == {
        "name": "mine.json"
    }
    model = session.project.model("mine.json")
    assert (model.weights.tolist(), model.normalization.name, model.metric) == ([1, 0, 2, 0], "min-max", "nDCG@10")
    assert responses.weights_of(session, "mine.json")["weights"]["f3"] == 2.0
