"""Sums of losses over parts of the data, against the loss of all of it."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidDataError
from rankmax.losses.feature_products import FeatureProducts
from rankmax.losses.query_sums import LossSums, MeanLoss, loss_sums
from rankmax.losses.registry import LOSSES, loss_named

DATA = planted_linear(9, 7, 3, noise=0.5, seed=3).data
WEIGHTS = np.array([1.0, 0.5, 2.0, 0.0, 1.0, 1.0, 0.25, 3.0, 1.0])
RNG = np.random.default_rng(0)
SCORES, SLOPES = RNG.normal(size=DATA.n_documents), RNG.normal(size=(2, DATA.n_documents))


def sums(loss: str, queries: np.ndarray, data: RankingDataset = DATA) -> LossSums:
    part, inside = data.select(queries), np.isin(data.judgments.query_of_document, queries)
    products = FeatureProducts.of(part)
    return loss_sums(
        loss_named(loss), part.judgments, products, SCORES[inside], WEIGHTS[queries], slopes=SLOPES[:, inside]
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_parts_add_up_to_the_whole_bit_by_bit(loss: str) -> None:
    whole = MeanLoss.of([sums(loss, np.arange(9))])
    value, gradient = loss_named(loss).value_and_gradient(SCORES, DATA.judgments, query_weights=WEIGHTS)
    assert whole.value == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(whole.moments, (SLOPES * gradient) @ DATA.features, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(whole.totals, (SLOPES * gradient).sum(axis=1), rtol=1e-9, atol=1e-12)
    parts = [sums(loss, np.array(queries)) for queries in ([0, 4], [1, 2, 3], [5, 6, 7, 8])]
    for cut in (MeanLoss.of(parts), MeanLoss.of([reduce(add, parts)])):
        assert [cut.value, *cut.moments.ravel(), *cut.totals] == [whole.value, *whole.moments.ravel(), *whole.totals]


def test_nothing_to_learn_from_is_said_once_all_parts_are_known() -> None:
    silent = RankingDataset.from_arrays(DATA.features, np.ones(DATA.n_documents), qid=DATA.judgments.query_of_document)
    nothing = sums("squared", np.array([0]), silent)
    assert MeanLoss.of([nothing, sums("squared", np.array([1]))]).value > 0
    with pytest.raises(InvalidDataError, match="no query has documents of different gain"):
        MeanLoss.of([nothing])
    assert (nothing + nothing).judged
