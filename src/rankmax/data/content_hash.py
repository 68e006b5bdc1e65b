"""Content hash of a data set, equal for equal content."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmax.data.binned_matrix import BinnedMatrix
from rankmax.data.dataset import RankingDataset
from rankmax.data.mixed_judgments import MixedJudgments
from rankmax.data.packed_strings import pack


def data_hash(data: RankingDataset) -> str:
    """Return a hash of a data set's content: features, names, grades, queries and document ids.

    Equal content has equal hashes on every machine, in any file format that keeps all of it.

    Parameters
    ----------
    data : RankingDataset

    Examples
    --------
    >>> data_hash(RankingDataset.from_arrays([[0.5], [0.1]], [1, 0], qid=[7, 7]))
    'blake2b:...'
    """
    digest = hashlib.blake2b(digest_size=16)

    def add(label: str, array: NDArray[Any]) -> None:
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{label} {little.dtype.str} {little.shape}\n".encode())
        digest.update(np.ascontiguousarray(little).data)

    if isinstance(data.features, np.ndarray):
        add("features", data.features.T)
    elif isinstance(data.features, BinnedMatrix):
        add("codes", data.features.codes.T)
        add("code bases", data.features.bases)
        add("code cuts", data.features.cuts)
    else:
        add("sparse values", data.features.data)
        add("sparse rows", data.features.indices.astype(np.int64))
        add("sparse offsets", data.features.indptr.astype(np.int64))
    judgments = data.judgments
    add("grades", data.grades)
    add("query offsets", judgments.query_offsets)
    add("unretrieved grades", judgments.levels[judgments.unretrieved_levels])
    add("unretrieved offsets", judgments.unretrieved_offsets)
    if isinstance(judgments, MixedJudgments):
        add("coefficients", judgments.coefficients)
        for source in judgments.sources:
            add("source grades", source.grades)
            add("source unretrieved grades", source.levels[source.unretrieved_levels])
    for label, strings in (
        ("feature names", data.feature_names),
        ("query ids", data.query_ids),
        ("document ids", data.document_ids or ()),
    ):
        packed, lengths = pack(strings)
        add(label, packed)
        add(f"{label} lengths", lengths)
    return f"blake2b:{digest.hexdigest()}"
