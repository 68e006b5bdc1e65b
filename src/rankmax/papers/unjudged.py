"""Treatment of unjudged documents."""

from __future__ import annotations

import numpy as np

from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments


def unjudged_as_not_relevant(data: RankingDataset) -> RankingDataset:
    """Return the data with grade 0 for unjudged documents, as evaluations do, so that learners use them as examples.

    Parameters
    ----------
    data : RankingDataset

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0], [2.0]], [np.nan, 1.0], qid=[1, 1])
    >>> unjudged_as_not_relevant(data).grades
    array([0., 1.])
    """
    judgments = data.judgments
    graded = Judgments.from_grades(
        np.nan_to_num(data.grades),
        judgments.query_offsets,
        query_ids=judgments.query_ids,
        document_ids=judgments.document_ids,
        unretrieved_grades=judgments.levels[judgments.unretrieved_levels],
        unretrieved_offsets=judgments.unretrieved_offsets,
    )
    return RankingDataset(data.features, data.feature_names, graded)
