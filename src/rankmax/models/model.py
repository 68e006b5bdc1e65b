"""The interface of all models."""

from __future__ import annotations

from typing import Protocol

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.preprocessing.feature_normalization import Normalization


class Model(Protocol):
    """A trained ranking function: scores the documents of any data that has its features."""

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names by which features are found in the data."""

    @property
    def normalization(self) -> Normalization:
        """Score normalization applied within each query."""

    def scores(self, data: RankingDataset) -> F64:
        """Return the score of each document.

        Parameters
        ----------
        data : RankingDataset
        """
