"""Values of a feature as a curve or a threshold sees them: normalized, and NaN where a document has none."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.preprocessing.binning import normalized_column
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.run_normalization import RetrievedNormalization


def present_values(data: RankingDataset, name: str, normalization: Normalization) -> F64:
    """Return a feature's normalized values, NaN where a document has none.

    A document has none where its value is NaN, and where the normalization is one of retrieved documents' scores and
    the value is exactly 0: the system did not retrieve it.

    Parameters
    ----------
    data : RankingDataset
    name : str
    normalization : Normalization

    Examples
    --------
    >>> from rankmax.preprocessing import RetrievedMinMax, Unchanged
    >>> data = RankingDataset.from_arrays([[9.0], [7.0], [0.0]], [1, 0, 0], qid=[1, 1, 1], feature_names=["bm25"])
    >>> present_values(data, "bm25", RetrievedMinMax())
    array([ 1.,  0., nan])
    >>> present_values(data, "bm25", Unchanged())
    array([9., 7., 0.])
    """
    column = data.column(data.feature_names.index(name))
    absent = np.isnan(column)
    if absent.any():
        values = normalized_column(data, name, normalization)
    else:
        one = data.select_features([name])
        values = np.array(normalization.apply(one).column(0))  # which may look at ids, as ranks do
    if isinstance(normalization, RetrievedNormalization):
        values[column == 0] = np.nan
    return values
