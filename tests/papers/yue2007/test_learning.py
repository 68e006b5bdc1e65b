from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.metrics import AP
from rankmax.papers.yue2007.learning import METHODS, OURS, Binned, average_over_trials, base_values
from rankmax.papers.yue2007.random_trials import deal_rounds


@pytest.fixture(scope="module")
def binned() -> Binned:
    return Binned(planted_linear(20, 12, 3, noise=0.2, seed=1).data)


@pytest.mark.parametrize("method", [*METHODS, OURS])
def test_every_method_beats_the_functions_it_combines(binned: Binned, method: str) -> None:
    (deals,) = deal_rounds(20, seed=1, n_trials=4)
    found = average_over_trials(binned, method, deals, small=True, seed=1)
    assert found.shape == (20,)
    assert found.mean() > max(np.mean(values) for values in base_values(binned.data).values())


@pytest.mark.parametrize("method", ["SVM-map", "SVM-acc", OURS])
def test_trials_at_once_find_what_they_find_alone(binned: Binned, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (deals,) = deal_rounds(20, seed=1, n_trials=4)
    together = average_over_trials(binned, method, deals, small=True, seed=1)
    monkeypatch.setattr("rankmax._kernels.threads.n_threads", lambda: 1)
    np.testing.assert_array_equal(average_over_trials(binned, method, deals, small=True, seed=1), together)


def test_values_of_functions_are_those_of_their_columns(binned: Binned) -> None:
    data = binned.data
    found = base_values(data)
    assert list(found) == list(data.feature_names)
    np.testing.assert_allclose(found["f2"], AP().per_query(data.column(1), data.judgments), atol=1e-5)


def test_thresholds(binned: Binned) -> None:
    assert set(np.unique(binned.sensitive.features.toarray())) == {0, 1}
    assert all(name.startswith("percentile(") for name in binned.percentiles.feature_names)
    assert all(name.startswith("min-max(") for name in binned.scaled.feature_names)
