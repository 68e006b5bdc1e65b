from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.metrics import AP
from rankmax.papers.yue2007.learning import METHODS, OURS, SVM_ACC2, Binned, average_over_trials
from rankmax.papers.yue2007.random_trials import deal_rounds


@pytest.fixture(scope="module")
def binned() -> Binned:
    return Binned(planted_linear(20, 12, 3, noise=0.2, seed=1).data)


@pytest.mark.parametrize("method", [*METHODS, OURS])
def test_every_method_beats_the_functions_it_combines(binned: Binned, method: str) -> None:
    (deals,) = deal_rounds(20, seed=1, n_trials=4)
    found = average_over_trials(binned, method, deals, small=True, seed=1)
    assert found.shape == (20,)
    data = binned.data
    alone = [AP().per_query(data.column(j), data.judgments).mean() for j in range(data.n_features)]
    assert found.mean() > max(alone)


@pytest.mark.parametrize("method", ["SVM-map", "SVM-acc", OURS])
def test_trials_at_once_find_what_they_find_alone(binned: Binned, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (deals,) = deal_rounds(20, seed=1, n_trials=4)
    together = average_over_trials(binned, method, deals, small=True, seed=1)
    monkeypatch.setattr("rankmax._kernels.threads.n_threads", lambda: 1)
    np.testing.assert_array_equal(average_over_trials(binned, method, deals, small=True, seed=1), together)


def test_the_cost_ratio_is_that_of_the_whole_data_set(binned: Binned, monkeypatch: pytest.MonkeyPatch) -> None:
    n_relevant = int((binned.data.grades >= 1).sum())
    asked = []
    kind, learner = METHODS[SVM_ACC2]

    def recorded(**options: Any) -> Any:
        asked.append(options["cost_ratio"])
        return learner(**options)

    monkeypatch.setitem(METHODS, SVM_ACC2, (kind, recorded))
    (deals,) = deal_rounds(20, seed=1, n_trials=4)
    average_over_trials(binned, SVM_ACC2, deals, small=True, seed=1)
    assert set(asked) == {(binned.data.n_documents - n_relevant) / n_relevant}


def test_absent_scores_are_worth_nothing() -> None:
    data = planted_linear(20, 12, 3, noise=0.2, seed=1).data
    features = np.array(data.features)
    features[::3, 0] = np.nan
    binned = Binned(replace(data, features=features))
    for form in (binned.sensitive, binned.percentiles, binned.scaled):
        own = [j for j, name in enumerate(form.feature_names) if "f1" in name]
        assert not form.features.toarray()[::3, own].any()
    scaled = np.asarray(binned.unbinned.features)
    assert not scaled[::3, 0].any()
    assert np.nanmax(scaled[:, 0]) == 1


def test_thresholds(binned: Binned) -> None:
    assert set(np.unique(binned.sensitive.features.toarray())) == {0, 1}
    assert all(name.startswith("percentile(") for name in binned.percentiles.feature_names)
    assert all(name.startswith("min-max(") for name in binned.scaled.feature_names)
