from __future__ import annotations

import os

import numpy as np
import pytest

from rankmax.errors import InvalidParameterError
from rankmax.formats.npz import write_npz
from rankmax.metrics import AP
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.curve import Curve
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.studio import session as module
from rankmax.studio.messages import Setting, View
from rankmax.studio.session import Session
from rankmax.workflows.projects.project import Project
from rankmax.workflows.projects.suggestions import suggest

TRAIN = View(data="train.npz")


def test_data_is_read_once_and_again_when_it_changes(project) -> None:
    session = Session(project)
    bench = session.bench(TRAIN)
    assert session.bench(View(data="train.npz", metric="RR")) is bench
    path = project.folder / "train.npz"
    write_npz(bench.data.select([0, 1, 2]), path)
    os.utime(path, ns=(1, 1))
    assert session.bench(TRAIN).data.n_queries == 3
    write_npz(bench.data, path)


def test_a_subset_of_the_queries_is_data_of_its_own(project) -> None:
    chosen = Session(project).bench(View(data="train.npz", queries=("q1", "q2*"))).data
    assert chosen.query_ids == ("q1", "q2", "q20", "q21", "q22", "q23")


def test_memory_is_bounded(project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_BENCHES", 2)
    session = Session(project)
    first = session.bench(TRAIN)
    for number in range(3):
        session.bench(View(data="test.npz", queries=(f"q{number}",)))
    assert session.bench(TRAIN) is not first


def test_a_model_without_weights_has_none_to_follow(project) -> None:
    model = ExpectedGainModel([0, 1], [0, 1], [[0.0], [1.0]], [0.0, 0.0], ("f1",))
    model.save(project.folder / "gain.json")
    session = Session(project)
    bench = session.bench(TRAIN)
    assert isinstance(session.model(Setting(model="gain.json"), bench), ExpectedGainModel)
    with pytest.raises(InvalidParameterError, match=r"gain\.json is not a linear model"):
        session.linear(Setting(model="gain.json"), bench)
    (project.folder / "gain.json").unlink()


def test_suggestions_for_test_queries_come_from_training_queries(project, tmp_path) -> None:
    train, test = (project.data(name) for name in ("train.npz", "test.npz"))
    assert suggest(train, AP()) != suggest(test, AP())
    session = Session(project)
    for queries in ((), ("q1", "q2")):
        assert session.suggestions(View(data="test.npz", queries=queries, metric="AP")) == suggest(train, AP())
    for name in ("test.npz", "vali.npz"):
        write_npz(test, tmp_path / name)
    alone = Session(Project.at(tmp_path))
    assert alone.suggestions(View(data="test.npz")) is None, "no training queries to choose by"
    assert alone.suggestions(View(data="vali.npz", metric="AP")) == suggest(test, AP())


def test_curves_of_an_additive_model_are_moved_and_saved(project, client) -> None:
    session, path = Session(project), project.folder / "curves.json"
    bench = session.bench(TRAIN)
    given = AdditiveModel([Curve([0.0, 1.0], [0.0, 2.0]), Curve([0.5], [1.0, -1.0], "constant")], ("f1", "f2"))
    given.save(path)
    told = client.get("/api/models/curves.json").json
    assert [curve["feature"] for curve in told["curves"]] == ["f1", "f2"]
    assert "curves.json" in client.get("/api/project").json["additive"]
    moved = {"model": "curves.json", "curves": {"f2": [1.0, 3.0]}}
    expected = AdditiveModel([given.curves[0], Curve([0.5], [1.0, 3.0], "constant")], ("f1", "f2"))
    found = session.model(Setting(model="curves.json", curves={"f2": (1.0, 3.0)}), bench)
    np.testing.assert_array_equal(found.scores(bench.data), expected.scores(bench.data))
    asked = {"data": "train.npz", "metric": "AP", "current": moved}
    reading = client.post("/api/read", {**asked, "reference": {"model": "curves.json"}}).json
    assert reading["value"] == pytest.approx(bench.mean(expected, AP()), abs=1e-12)
    assert client.post("/api/models", {**asked, "name": "moved"}).json == {"name": "moved.json"}
    kept = AdditiveModel.load(project.folder / "moved.json")
    np.testing.assert_array_equal(kept.scores(bench.data), expected.scores(bench.data))
    assert kept.training is None
    for curves, said in (({"f9": [1.0]}, "f9"), ({"f2": [1.0]}, "1 values for 1 knots")):
        wrong = {"model": "curves.json", "curves": curves}
        assert said in client.post("/api/read", {**asked, "current": wrong, "reference": moved}).json["error"]
    with pytest.raises(InvalidParameterError, match="it has no curves"):
        session.model(Setting(model="baseline.json", curves={"f1": (1.0,)}), bench)
    path.unlink()
    (project.folder / "moved.json").unlink()
