"""Products are found where two features matter only together, and not where they do not."""

from __future__ import annotations

import numpy as np

from rankmax.data.dataset import RankingDataset
from rankmax.learners.additive.additive_ranker import AdditiveRanker

RNG = np.random.default_rng(3)
X = RNG.normal(size=(900, 4))


def ranker(grades: np.ndarray, n_products: int, monotone: str | tuple[()] = ()) -> AdditiveRanker:
    data = RankingDataset.from_arrays(X, grades, qid=np.arange(900) // 15)
    return AdditiveRanker("AP", n_knots=4, smoothness=300.0, n_products=n_products, monotone=monotone).fit_dataset(data)


def test_two_features_that_matter_together_are_multiplied() -> None:
    score = X[:, 0] + X[:, 2] + 2 * X[:, 0] * X[:, 2] + 0.3 * X[:, 1]
    found = ranker((score > 2).astype(float), 2)
    first = found.model_.products[0]
    assert {first.first, first.second} == {"f1", "f3"}
    assert first.weight > 0
    assert found.value_ > ranker((score > 2).astype(float), 0).value_ + 0.01


def test_there_are_no_products_of_features_that_add_up() -> None:
    found = ranker((X[:, 0] + X[:, 2] > 1).astype(float), 3)
    assert len(found.model_.products) <= 1
    assert ranker((X[:, 0] > 1).astype(float), 0).model_.products == ()


def test_monotone_curves_are_not_multiplied() -> None:
    score = X[:, 0] + X[:, 2] + 2 * X[:, 0] * X[:, 2]  # falls with the first where the third is below -0.5
    model = ranker((score > 2).astype(float), 2, monotone="f1=up").model_
    assert all("f1" not in (product.first, product.second) for product in model.products)
    rows = [[x, 0.0, -2.0, 0.0] for x in np.linspace(-3, 3, 50)]
    scores = model.scores(RankingDataset.from_arrays(rows, np.zeros(50), qid=np.zeros(50)))
    assert (np.diff(scores) >= 0).all()
    assert scores[-1] > scores[0]
