"""Values of a feature, NaN where a document has none, are those of the normalized data set elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array

from rankmax.data.dataset import RankingDataset
from rankmax.preprocessing import Normalization, RetrievedNormalization, normalization_names
from rankmax.preprocessing.present_values import present_values


@pytest.mark.parametrize("name", sorted(normalization_names()))
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_values_are_those_of_the_normalized_data(name: str, sparse: bool) -> None:
    rng = np.random.default_rng(5)
    X = np.where(rng.random((30, 2)) < 0.4, 0.0, rng.integers(1, 6, (30, 2)).astype(float))
    ids = [f"d{i}" for i in rng.permutation(30)]
    normalization = Normalization.named(name)
    if sparse and not normalization.keeps_zeros:
        return
    data = RankingDataset.from_arrays(
        csc_array(X) if sparse else X, np.zeros(30), qid=np.arange(30) // 10, document_ids=ids
    )
    expected = normalization.apply(data).column(1)
    if isinstance(normalization, RetrievedNormalization):
        expected[X[:, 1] == 0] = np.nan
    np.testing.assert_array_equal(present_values(data, "f2", normalization), expected)
