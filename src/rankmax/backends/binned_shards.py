"""Shards whose features are binned where they are read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.backends.training_data import Part, TrainingData
from rankmax.formats.shards import Shards
from rankmax.preprocessing.binning import Binning, value_counts
from rankmax.preprocessing.feature_normalization import Normalization

_Counts = tuple[F64, I64]


@dataclass(frozen=True)
class BinnedShards(Shards):
    """Shards whose features become indicators when a backend reads them.

    Codes are held in memory, one byte per document and feature, also where the features themselves stay on disk.

    Attributes
    ----------
    binning : Binning
    """

    binning: Binning

    @classmethod
    def fit(cls, shards: Shards, data: TrainingData, *, n_thresholds: int, normalization: str = "none") -> BinnedShards:
        """Choose thresholds by quantiles over all shards: the same as over the joined data.

        Only the distinct values of one feature are brought together at a time.

        Parameters
        ----------
        shards : Shards
        data : TrainingData
            Their data, not normalized.
        n_thresholds : int
            Maximum number of thresholds of a feature.
        normalization : str
            Applied within each query before binning.
        """
        chosen = Normalization.named(normalization)

        def counted() -> Iterator[tuple[str, F64, I64]]:
            for name in data.feature_names:
                parts = data.map(_counts_of, None, name, chosen, combine=_together)
                yield (name, *reduce(_together, parts))

        return cls(shards.files, Binning.fit_counts(counted(), n_thresholds=n_thresholds, normalization=chosen))

    @property
    def content_hash(self) -> str:
        """Hash of the shards' content and of the indicators' names, which define them."""
        digest = hashlib.blake2b(super().content_hash.encode(), digest_size=16)
        for name in self.binning.feature_names:
            digest.update(name.encode() + b"\n")
        return f"blake2b:{digest.hexdigest()}"


def _counts_of(part: Part, name: str, normalization: Normalization) -> _Counts:
    return value_counts(part.data, name, normalization)


_counts_of.reads_few = True  # type: ignore[attr-defined]  # one column


def _together(one: _Counts, other: _Counts) -> _Counts:
    values, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    counts = np.bincount(place, np.concatenate([one[1], other[1]]))  # whole numbers, exact below 2^53
    return values, counts.astype(np.int64)
