"""Names of indicators, which define them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.preprocessing.feature_normalization import MinMax, Percentile, Unchanged, ZScore
from rankmax.preprocessing.indicators import Indicator

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.text(min_size=1), finite, st.sampled_from([Unchanged(), MinMax(), Percentile(), ZScore()]))
def test_names_say_everything(feature: str, threshold: float, normalization: object) -> None:
    indicator = Indicator(feature, threshold, normalization)  # type: ignore[arg-type]
    read = Indicator.parse(indicator.name)
    assert read is not None
    assert read.name == indicator.name
    assert (read.base, read.threshold) == (indicator.base, threshold)


@pytest.mark.parametrize("name", ["", "bm25", "bm25>", ">3", "bm25>x", "bm25>nan", "bm25>inf", "a>b"])
def test_other_names_are_not_indicators(name: str) -> None:
    assert Indicator.parse(name) is None


def test_names_are_short() -> None:
    assert Indicator("f", 3.0).name == "f>3"
    assert Indicator("bm25", 0.31, MinMax()).name == "min-max(bm25)>0.31"
