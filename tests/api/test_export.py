from __future__ import annotations

from pathlib import Path

import pytest

import rankmax
from rankmax import LinearModel, RankingDataset, VaryingModel, write_letor
from rankmax.engines.export_target import Destination
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError, UnknownNameError

MODEL = LinearModel([0.3, 0.7], ("f1", "f2"))


def test_an_export_is_that_of_the_target_with_its_names(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "model.json")
    data = RankingDataset.from_arrays([[1.0, 5.0], [3.0, 2.0]], [0, 1], qid=[1, 1])
    write_letor(data, tmp_path / "data.txt")
    ranges = {"f1": (1.0, 3.0), "f2": (2.0, 5.0)}
    expected = export_model(MODEL, "solr", Destination("tuned", "mine", ranges))
    for given in (ranges, data, tmp_path / "data.txt"):
        found = rankmax.export(tmp_path / "model.json", "solr", name="tuned", feature_set="mine", ranges=given)
        assert found == expected


def test_weights_at_a_value_are_exported() -> None:
    model = VaryingModel("kind", None, ("what",), [[0.0, 1.0]], [1.0, 0.0], ("f1", "f2"))
    assert rankmax.export(model, "sql", at="what") == export_model(model.at("what"), "sql")
    with pytest.raises(IncompatibleError, match="one set of them"):
        rankmax.export(MODEL, "sql", at="what")


def test_mistakes_are_explained() -> None:
    with pytest.raises(UnknownNameError, match="unknown target 'slor'; did you mean 'solr'"):
        rankmax.export(MODEL, "slor")
    with pytest.raises(IncompatibleError, match="ranges are for engines that scale features: elasticsearch-ltr"):
        rankmax.export(MODEL, "sql", ranges={"f1": (0.0, 1.0)})
