from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidParameterError
from rankmax.metrics import AP
from rankmax.workflows.surface.levels import surface_levels
from rankmax.workflows.surface.metric_surface import metric_surface
from rankmax.workflows.surface.surface_lines import SurfaceLines

DATA = planted_linear(12, 8, 3, noise=0.5, seed=3).data
NAMES = DATA.feature_names


def test_each_level_is_the_surface_of_its_resolution() -> None:
    rows = list(surface_levels(SurfaceLines(DATA, NAMES, AP()), (2, 6, 18)))
    assert Counter(row.resolution for row in rows) == {2: 2, 6: 6, 18: 18}
    for resolution in (2, 6, 18):
        told = np.concatenate([row.values for row in rows if row.resolution == resolution])
        expected = metric_surface(DATA, NAMES, AP(), resolution=resolution).values
        np.testing.assert_allclose(told, expected, atol=1e-12)


def test_no_line_is_followed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = SurfaceLines(DATA, NAMES, AP())
    followed: list[float] = []
    exchange = lines.exchange
    monkeypatch.setattr(lines, "exchange", lambda first: followed.append(first) or exchange(first))
    list(surface_levels(lines, (2, 6, 18)))
    assert len(followed) == len(set(followed)) == 18


def test_two_features_have_no_rows() -> None:
    with pytest.raises(InvalidParameterError, match="2 features given where 3 are needed"):
        list(surface_levels(SurfaceLines(DATA, NAMES[:2], AP())))
