"""Weights that fit the query: the model scores by w + V z, in files too, and refuses what it cannot read."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.errors import DataFormatError, IncompatibleError, InvalidDataError
from rankmax.models import LinearModel, load_any_model, load_model
from rankmax.models.query_weights_model import QueryWeightsModel
from rankmax.preprocessing.query_features import QueryFeature, usual_features
from rankmax.preprocessing.run_normalization import ReciprocalRank, RetrievedMinMax

FEATURES = (
    QueryFeature("gap", "bm25"),
    QueryFeature("entropy", "e5"),
    QueryFeature("deviation", "e5"),
    QueryFeature("overlap"),
    QueryFeature("agreement"),
    QueryFeature("length"),
    QueryFeature("question"),
    QueryFeature("column", "clicks"),
)
RNG = np.random.default_rng(5)
MODEL = QueryWeightsModel(
    FEATURES,
    RNG.random(8),
    0.5 + RNG.random(8),
    [0.3, 0.7],
    0.2 * RNG.normal(size=(8, 2)),
    ("bm25", "e5"),
    RetrievedMinMax(),
    "nDCG@10",
)
RUNS = {
    "bm25": {"q1": {"d1": 9.0, "d2": 7.0, "d3": 1.0}, "q2": {"d1": 3.0, "d5": 2.5}},
    "e5": {"q1": {"d2": 0.8, "d3": 0.7, "d4": 0.0}, "q2": {"d7": 0.9, "d5": 0.4, "d6": 0.3}},
}
TOPICS = {"q1": {"text": "what is wing flutter", "clicks": "3"}, "q2": {"text": "heat transfer", "clicks": "0.5"}}


def by_hand(query: str) -> list[float]:
    """Return the query features by their definitions; a score of 0 is in no list."""
    lists = {name: sorted((s for s in run[query].values() if s), reverse=True) for name, run in RUNS.items()}
    docs = [{d for d, s in RUNS[name][query].items() if s} for name in ("bm25", "e5")]
    bm25, e5 = lists["bm25"], lists["e5"]
    shares = [(s - e5[-1]) / sum(t - e5[-1] for t in e5) for s in e5]
    mean = sum(e5) / len(e5)
    shared = len(docs[0] & docs[1])
    return [
        (bm25[0] - bm25[1]) / (bm25[0] - bm25[-1]),
        -sum(p * math.log(p) for p in shares if p > 0) / math.log(len(e5)),
        math.sqrt(sum((s - mean) ** 2 for s in e5) / len(e5)),
        shared / (len(docs[0]) + len(docs[1]) - shared),
        shared / 10,
        len(TOPICS[query]["text"].split()),
        float(query == "q1"),
        float(TOPICS[query]["clicks"]),
    ]


@pytest.mark.parametrize("normalization", [RetrievedMinMax(), ReciprocalRank()], ids=lambda one: one.name)
def test_each_query_is_ranked_by_its_own_linear_model(normalization) -> None:
    from dataclasses import replace

    model = replace(MODEL, normalization=normalization)
    fused = model.rank(RUNS, topics=TOPICS).to_dict()
    for query in TOPICS:
        z = np.clip((np.array(by_hand(query)) - model.means) / model.deviations, -3, 3)
        weights = np.maximum(model.weights + z @ model.variation, 0)
        own = {name: {query: run[query]} for name, run in RUNS.items()}
        expected = LinearModel(weights, model.feature_names, normalization).rank(own).to_dict()[query]
        assert fused[query] == pytest.approx(expected, abs=1e-12)


def test_files(tmp_path) -> None:
    path = tmp_path / "model.json"
    MODEL.save(path)
    loaded = load_any_model(path)
    assert isinstance(loaded, QueryWeightsModel)
    assert loaded.to_json() == MODEL.to_json()
    assert loaded.rank(RUNS, topics=TOPICS).to_dict() == MODEL.rank(RUNS, topics=TOPICS).to_dict()
    with pytest.raises(IncompatibleError, match="depend on the query"):
        load_model(path)
    document = json.loads(path.read_text())
    document["features"][0]["variation"].pop()
    path.write_text(json.dumps(document))
    with pytest.raises(DataFormatError, match="8 numbers"):
        load_any_model(path)


def test_weights_are_never_negative_and_never_all_zero() -> None:
    model = QueryWeightsModel((QueryFeature("length"),), [4.0], [1.0], [0.5, 0.5], [[1.0, 1.0]], ("a", "b"))
    assert model.weights_at(np.array([[4.25], [1.0], [400.0]])).tolist() == [[0.75, 0.75], [0.5, 0.5], [3.5, 3.5]]


def test_what_is_missing_is_named() -> None:
    with pytest.raises(IncompatibleError, match="give --topics FILE"):
        MODEL.rank(RUNS)
    with pytest.raises(InvalidDataError, match="lack 1 query, such as 'q2'"):
        MODEL.rank(RUNS, topics={"q1": TOPICS["q1"]})
    with pytest.raises(InvalidDataError, match="has no 'clicks'"):
        MODEL.rank(RUNS, topics={query: row["text"] for query, row in TOPICS.items()})
    with pytest.raises(InvalidDataError, match="clicks of query 'q2' is 'x'"):
        MODEL.rank(RUNS, topics=TOPICS | {"q2": {"text": "heat", "clicks": "x"}})


def test_features_that_move_nothing_need_no_topics() -> None:
    from dataclasses import replace

    moved = np.array(MODEL.variation)
    moved[5:] = 0
    by_lists, fixed = replace(MODEL, variation=moved), replace(MODEL, variation=np.zeros((8, 2)))
    assert (MODEL.needs_topics, by_lists.needs_topics, fixed.needs_topics) == (True, False, False)
    assert by_lists.rank(RUNS).to_dict() == by_lists.rank(RUNS, topics=TOPICS).to_dict()
    assert fixed.rank(RUNS, topics={"q1": "wings"}).to_dict() == MODEL.fixed.rank(RUNS).to_dict()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"deviations": np.zeros(8)}, "positive standard deviation"),
        ({"weights": np.array([0.5, -0.5])}, "negative"),
        ({"weights": np.array([0.5, np.nan])}, "finite"),
        ({"query_features": (FEATURES[0],) * 8}, "occurs twice"),
    ],
)
def test_impossible_models_are_refused(change, message: str) -> None:
    from dataclasses import replace

    with pytest.raises(InvalidDataError, match=message):
        replace(MODEL, **change)


def test_many_systems_share_the_statistics_of_their_lists() -> None:
    names = [f"f{j}" for j in range(8)]
    data = RankingDataset.from_arrays(np.arange(24.0).reshape(3, 8) + 1, [0, 0, 1], qid=[1, 1, 1], feature_names=names)
    features = tuple(usual_features(names))
    assert [one.name for one in features] == ["mean gap", "mean entropy", "mean deviation", "overlap", "agreement"]
    model = QueryWeightsModel(features, np.zeros(5), np.ones(5), np.ones(8) / 8, np.zeros((5, 8)), tuple(names))
    gap, _, deviation, overlap, agreement = model.query_values(data)[0]
    assert (gap, overlap, agreement) == pytest.approx((0.5, 1.0, 0.3), abs=1e-12)
    assert deviation == pytest.approx(8 * math.sqrt(2 / 3))
