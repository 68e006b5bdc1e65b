from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidParameterError
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.registry import normalization_names
from rankmax.retrieval.features import BM25, Dirichlet
from rankmax.retrieval.search.weighted_sum import WeightedSum


@pytest.mark.parametrize("normalization", [Normalization.named(name) for name in normalization_names()])
def test_it_scores_as_a_linear_model_does(normalization: Normalization) -> None:
    rng = np.random.default_rng(3)
    features = rng.normal(size=(40, 2))
    names = ("bm25", "dirichlet")
    data = RankingDataset.from_arrays(features, rng.integers(0, 2, 40), qid=[7] * 40, feature_names=names)
    model = LinearModel(np.array([0.3, -1.7]), names, normalization)
    weighted = WeightedSum((BM25(), Dirichlet()), (0.3, -1.7), normalization)
    np.testing.assert_array_equal(weighted.combine(list(features.T.copy())), model.scores(data))


def test_no_documents_have_no_scores() -> None:
    assert WeightedSum((BM25(),), (1.0,), Normalization.named("z-score")).combine([np.zeros(0)]).size == 0


@pytest.mark.parametrize(("features", "weights"), [((), ()), ((BM25(),), (1.0, 2.0))])
def test_every_feature_has_a_weight(features, weights) -> None:
    with pytest.raises(InvalidParameterError, match="one weight for each of at least one feature"):
        WeightedSum(features, weights)
