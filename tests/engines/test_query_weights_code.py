"""Exported weights that fit the query, in Python, against the model's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.query_weights import (
    EVERY,
    HOSTILE,
    QUERIES,
    SYSTEMS,
    Scores,
    expected,
    hostile_model,
    in_python,
    lists,
    model_of,
)
from rankmax.engines.registry import TARGETS, export_model
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.preprocessing.query_features import QueryFeature


@settings(max_examples=60)
@given(lists(), QUERIES, st.integers(0, 20))
def test_python_has_the_weights_and_scores_of_the_model(found: Scores, query: dict[str, str], seed: int) -> None:
    model = model_of(seed)
    weights, scores = expected(model, found, query)
    client = in_python(export_model(model, "client-python").text)
    np.testing.assert_allclose(client["weights"](found, query), weights, rtol=1e-9, atol=1e-9)
    pairs = {name: list(own.items())[::-1] for name, own in found.items()}  # in any order, and as pairs
    np.testing.assert_allclose(client["weights"](pairs, query), weights, rtol=1e-9, atol=1e-9)
    whole = in_python(export_model(model, "python").text)
    ids = sorted({d for own in found.values() for d in own})
    features = {d: {name: own[d] for name, own in found.items() if d in own} for d in ids}
    by_id = dict(zip(ids, whole["scores"](list(features.values()), query, ids), strict=True))
    assert by_id == pytest.approx({d: scores[d] for d in ids}, rel=1e-9, abs=1e-9)
    assert whole["ranking"](features, query) == sorted(ids, key=lambda d: (by_id[d], d), reverse=True)
    assert whole["scores"]([], query) == []


def test_weights_that_do_not_vary_are_exported_as_a_linear_model() -> None:
    model = model_of(0, variation=np.zeros((len(EVERY), 3)))
    for target in ("sql", "python"):
        same = LinearModel(model.weights, SYSTEMS, model.normalization, "nDCG@10")
        assert export_model(model, target).text == export_model(same, target).text
    client = in_python(export_model(model, "client-python").text)
    assert dict(zip(client["SYSTEMS"], client["weights"]({}), strict=True)) == {"bm25": 0.5, 'the "dense" one': 0.3}


def test_other_targets_say_what_to_do() -> None:
    for name, target in TARGETS.load_all().items():
        if target.write_query_weights is None:
            with pytest.raises(IncompatibleError, match="client-python or client-javascript"):
                export_model(model_of(0), name)
    with pytest.raises(IncompatibleError, match="reads as a threshold"):
        export_model(
            model_of(
                0,
                feature_names=("bm25>3", *SYSTEMS[1:]),
                query_features=EVERY[3:] + tuple(QueryFeature("column", c) for c in "abc"),
            ),
            "python",
        )
    with pytest.raises(IncompatibleError, match="a table cannot have"):
        export_model(
            model_of(
                0,
                feature_names=(SYSTEMS[0], SYSTEMS[1], "CLICKS"),
                query_features=(*EVERY[:2], QueryFeature("gap", "CLICKS"), *EVERY[3:]),
                variation=np.ones((len(EVERY), 3)),
            ),
            "sql",
        )


@settings(max_examples=60)
@given(HOSTILE)
def test_hostile_names_do_nothing_in_python(name: str) -> None:
    for target in ("client-python", "python"):
        text = export_model(hostile_model(name, name), target).text
        text.encode()
        assert in_python(text)["weights"]({name: {"a": 3.0, "b": 1.0}}, {name: 5}) == [2.0]
