"""Query features: bounds, invariances, and what is taken of a table of topics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.preprocessing.query_features import (
    QueryFeature,
    agreement,
    deviation,
    entropy,
    gap,
    overlap,
    query_feature_values,
    usual_features,
)

LISTS = st.lists(st.floats(-100, 100).map(lambda x: round(x, 3)), min_size=1, max_size=30)


@given(LISTS, st.floats(0.1, 10), st.floats(-10, 10))
def test_gap_and_entropy_do_not_depend_on_the_units_of_scores(scores: list[float], scale: float, shift: float) -> None:
    own = -np.sort(-np.array(scores))
    for statistic in (gap, entropy):
        value = statistic(own)
        assert -1e-12 <= value <= 1 + 1e-12
        assert statistic(scale * own + shift) == pytest.approx(value, abs=1e-6)
    assert deviation(scale * own) == pytest.approx(scale * deviation(own), abs=1e-9)


def test_empty_lists_and_equal_scores() -> None:
    assert [f(np.empty(0)) for f in (gap, entropy, deviation)] == [0.0, 1.0, 0.0]
    assert [f(np.full(4, 2.0)) for f in (gap, entropy, deviation)] == [0.0, 1.0, 0.0]
    nothing = [np.empty(0, np.int64)] * 2
    assert overlap(nothing) == agreement(nothing) == overlap([np.arange(3)]) == 0.0
    assert overlap([np.arange(3)] * 3) == 1.0


@given(st.lists(st.lists(st.integers(0, 9), max_size=14, min_size=14), min_size=2, max_size=4))
def test_all_features_of_lists_by_their_definitions(columns: list[list[int]]) -> None:
    from scipy import stats

    names = [f"s{j}" for j in range(len(columns))]
    data = RankingDataset.from_arrays(np.array(columns, float).T, [0] * 14, qid=[1] * 14, feature_names=names)
    features = usual_features(names)
    (row,) = query_feature_values(features, data, names)
    found = dict(zip([one.name for one in features], row.tolist(), strict=True))
    ranked = [[d for d in sorted(range(14), key=lambda d, own=own: -own[d]) if own[d]] for own in columns]
    for name, own, order in zip(names, columns, ranked, strict=True):
        scores = [own[d] for d in order]
        varied = bool(scores) and scores[0] > scores[-1]
        heights = np.array([s - scores[-1] for s in scores], float)
        share = stats.entropy(heights) / np.log(len(scores)) if varied else 1.0  # which normalizes its argument
        assert found[f"entropy of {name}"] == pytest.approx(float(share))
        assert found[f"gap of {name}"] == (
            pytest.approx((scores[0] - scores[1]) / (scores[0] - scores[-1])) if varied else 0.0
        )
        assert found[f"deviation of {name}"] == pytest.approx(np.std(scores) if scores else 0.0)
    pairs = [(a, b) for i, a in enumerate(ranked) for b in ranked[i + 1 :]]
    jaccard = [len([d for d in a if d in b]) / max(len({*a, *b}), 1) for a, b in pairs]
    top = [len([d for d in a[:10] if d in b[:10]]) / 10 for a, b in pairs]
    assert (found["overlap"], found["agreement"]) == (pytest.approx(np.mean(jaccard)), pytest.approx(np.mean(top)))


def test_a_score_of_zero_is_in_no_list() -> None:
    data = RankingDataset.from_arrays([[4.0, 0.0], [2.0, 0.0], [0.0, 0.0]], [0, 0, 1], qid=[1, 1, 1])
    features = usual_features(data.feature_names)
    values = dict(
        zip([one.name for one in features], query_feature_values(features, data, ["f1", "f2"])[0], strict=True)
    )
    assert (values["gap of f1"], values["deviation of f1"], values["entropy of f2"], values["overlap"]) == (1, 1, 1, 0)


def test_scores_whose_squares_overflow_are_named() -> None:
    data = RankingDataset.from_arrays([[4e200], [-2e200]], [0, 0], qid=[1, 1])
    with pytest.raises(InvalidDataError, match="deviation of f1 of query '1' is too large"):
        query_feature_values(usual_features(["f1"]), data, ["f1"])


def test_only_what_all_queries_have_is_taken() -> None:
    rows = {"q1": {"text": "heat", "n": "1", "m": "2"}, "q2": {"text": "flow", "n": "x", "m": "3"}, "q3": {"m": "1e3"}}
    told = [one for one in usual_features(["a"], rows) if one.needs_topics]
    assert told == [QueryFeature("column", "m")]
    huge = {query: row | {"m": f"{n}e300", "n": "nan"} for n, (query, row) in enumerate(rows.items())}
    assert not any(one.needs_topics for one in usual_features(["a"], huge))  # their variance would be infinite
    with pytest.raises(InvalidDataError, match="no kind of query feature"):
        QueryFeature("color")
    data = RankingDataset.from_arrays([[1.0]], [0], qid=[1])
    with pytest.raises(InvalidDataError, match="'gap of b' is of no system"):
        query_feature_values([QueryFeature("gap", "b")], data, ["f1"])
