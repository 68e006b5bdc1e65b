from __future__ import annotations

import os

import pytest

from rankmax.errors import InvalidParameterError
from rankmax.formats.npz import write_npz
from rankmax.metrics import AP
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
