"""Turning scores of a data set into a run."""

from __future__ import annotations

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.documents import check_ids
from rankmax.data.ids import Ids
from rankmax.data.trec import Run


def run_of(data: RankingDataset, scores: F64, *, tag: str = "rankmax") -> Run:
    """Return the run that ranks the data's documents by `scores`.

    Parameters
    ----------
    data : RankingDataset
        Documents without an id are named after their query and their place in it.
    scores : array, shape (n_documents,)
    tag : str
        Name of the system.

    Examples
    --------
    >>> import numpy as np
    >>> data = RankingDataset.from_arrays([[0.2], [0.8], [0.5]], [0, 1, 0], qid=["q1", "q1", "q2"])
    >>> run_of(data, data.scores([1.0])).to_dict()
    {'q1': {'q1-1': 0.2, 'q1-2': 0.8}, 'q2': {'q2-1': 0.5}}
    """
    ids = data.document_ids
    if ids is None:
        counts = data.judgments.documents_by_query.tolist()
        ids = Ids.from_strings(
            f"{query}-{place}" for query, n in zip(data.query_ids, counts, strict=True) for place in range(1, n + 1)
        )
    check_ids("query id", data.query_ids)
    check_ids("document id", ids)
    check_ids("tag", [tag])
    return Run(data.query_ids, data.query_offsets, ids, scores, tag)
