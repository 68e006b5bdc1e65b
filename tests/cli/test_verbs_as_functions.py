"""The functions of the smaller verbs, held to the commands of the same names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rankmax as rm
from rankmax.data import planted_linear
from rankmax.errors import InvalidParameterError
from rankmax.formats import read_run, write_dataset

TEXTS = {"d1": "flow over a swept wing", "d2": "heat flow", "d3": "wing flutter"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write_dataset(planted_linear(12, 6, 3, noise=0.5, seed=2).data, tmp_path / "data.npz")
    rm.LinearModel([0.5, 0.3, 0.2], ("f1", "f2", "f3"), metric="AP").save(tmp_path / "model.json")
    return tmp_path / "data.npz"


def test_index_and_search(rankmax, tmp_path: Path) -> None:
    (tmp_path / "docs.tsv").write_text("".join(f"{name}\t{text}\n" for name, text in TEXTS.items()))
    (tmp_path / "topics.tsv").write_text("q1\twing flow\n")
    assert rankmax("index", "docs.tsv", "-o", "command.index", "--stem", "porter2").status == 0
    assert rankmax("search", "command.index", "--topics", "topics.tsv", "-o", "command.run").status == 0
    built = rm.index(TEXTS, tmp_path / "function.index", stem="porter2")
    assert built.n_documents == rm.index(tmp_path / "docs.tsv", tmp_path / "other.index").n_documents == 3
    found = rm.search(built, {"q1": "wing flow"})
    assert found.to_dict() == read_run(tmp_path / "command.run").to_dict()
    assert rm.search(tmp_path / "command.index", tmp_path / "topics.tsv").to_dict() == found.to_dict()


def test_profile(rankmax, data: Path) -> None:
    told = json.loads(rankmax("profile", "data.npz", "model.json", "--feature", "f1", "--json").out)
    found = rm.profile(data, data.parent / "model.json", "f1")
    assert found.function.values.tolist() == told["values"]
    with pytest.raises(InvalidParameterError, match="names no metric"):
        rm.profile(data, rm.LinearModel([1.0], ("f1",)), "f1")


def test_profile_takes_the_old_order(data: Path) -> None:
    path = data.parent / "model.json"
    expected = rm.profile(data, path, "f1").function.values.tolist()
    for old in ((path, data), (rm.load(path), rm.read_dataset(data))):
        with pytest.warns(DeprecationWarning, match=r"profile\(model, data, ...\) is now profile\(data, model, ...\)"):
            assert rm.profile(*old, "f1").function.values.tolist() == expected


def test_prove_and_verify(rankmax, data: Path) -> None:
    certificate = rm.prove(data, "AP", features=["f1", "f2"])
    certificate.save(data.parent / "proof.json")
    told = json.loads(rankmax("verify", "proof.json", "data.npz", "--json").out)
    found = rm.verify(data.parent / "proof.json", data)
    assert found.value == told["value"] == pytest.approx(certificate.value, abs=1e-12)


def test_surface(rankmax, data: Path) -> None:
    command = ("surface", "data.npz", "--features", "f1,f2,f3", "-m", "AP", "--resolution", 4, "--json")
    told = json.loads(rankmax(*command).out)
    found = rm.surface(data, ["f1", "f2", "f3"], "AP", resolution=4)
    assert told["optimum"]["value"] == found.optimum.value
    with pytest.raises(InvalidParameterError, match="two or three features; 1 are given"):
        rm.surface(data, ["f1"], "AP")


def test_distance(rankmax, data: Path) -> None:
    rm.LinearModel([1.0, 0.5], ("f1", "f2")).save(data.parent / "other.json")
    told = json.loads(rankmax("distance", "model.json", "other.json", "--json").out)
    assert rm.distance(data.parent / "model.json", data.parent / "other.json").cosine == told["cosine"]


def test_wrong_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(rm.RankmaxError, match=r"no\.index"):
        rm.search(tmp_path / "no.index", {"q1": "wing"})
