"""Turning scores of a data set into a run, and runs into one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.documents import check_ids
from rankmax.data.ids import Ids
from rankmax.data.retrieved import ZERO_SCORE, RetrievedNormalisation
from rankmax.data.trec import Qrels, Run
from rankmax.errors import IncompatibleError
from rankmax.fusion.signals import signals_of_runs
from rankmax.models import LinearModel
from rankmax.models.expected_gain import ExpectedGainModel
from rankmax.models.varying import VaryingModel

RankingModel: TypeAlias = LinearModel | ExpectedGainModel | VaryingModel
"""A model of any kind that ranks."""


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


def scores_by(model: RankingModel, data: RankingDataset, values: Mapping[str, str] | None = None) -> F64:
    """Return the score of each document by a model of any kind.

    Parameters
    ----------
    model : LinearModel, ExpectedGainModel or VaryingModel
    data : RankingDataset
    values : mapping of str to str, optional
        For weights that vary with the query: what they depend on, by query.

    Examples
    --------
    >>> model = VaryingModel("kind", None, ("what",), [[0.5]], [1.0], ("bm25",))
    >>> data = RankingDataset.from_arrays([[3.0], [3.0]], [0, 0], qid=["q1", "q2"], feature_names=["bm25"])
    >>> scores_by(model, data, {"q1": "what", "q2": "who"})
    array([1.5, 3. ])
    """
    if not isinstance(model, VaryingModel):
        if values is not None:
            raise IncompatibleError("the model has the same weights for every query: leave the topics out")
        return model.scores(data)
    if values is None:
        raise IncompatibleError(f"the model's weights depend on {model.column!r} of the query: give --topics FILE")
    return model.scores(data, values)


def require_runs(model: RankingModel, names: Collection[str]) -> list[str]:
    """Raise where a model weighs a system that is not among some runs; return the runs that it does not know.

    Parameters
    ----------
    model : LinearModel, ExpectedGainModel or VaryingModel
    names : collection of str
        Of the runs.

    Examples
    --------
    >>> require_runs(LinearModel([1.0, 2.0], ("bm25", "e5")), ["bm25", "e5", "splade"])
    ['splade']
    """
    missing = [name for name in model.feature_names if name not in names]
    if missing:
        raise IncompatibleError(
            f"the model weighs {', '.join(model.feature_names)}, and there is no run {missing[0]!r} among "
            f"{', '.join(names)}; runs are known by the names of their files, unless a name is given: {missing[0]}=FILE"
        )
    return [name for name in names if name not in model.feature_names]


def fuse_runs(
    model: RankingModel, runs: Mapping[str, Run], *, values: Mapping[str, str] | None = None, tag: str = "rankmax"
) -> Run:
    """Return the run that a model of several systems makes of their runs.

    Parameters
    ----------
    model : LinearModel, ExpectedGainModel or VaryingModel
        As `rankmax tune` writes it: its features are the names of the runs.
    runs : mapping of str to Run
        Those that the model does not know are left out.
    values : mapping of str to str, optional
        As in :func:`scores_by`.
    tag : str
        Name of the fused system.

    Examples
    --------
    >>> from rankmax.data.retrieved import ReciprocalRank
    >>> runs = {"bm25": Run.from_dict({"q1": {"d1": 9.0, "d2": 7.0}}), "e5": Run.from_dict({"q1": {"d2": 0.5}})}
    >>> fuse_runs(LinearModel([1.0, 2.0], ("bm25", "e5"), ReciprocalRank(k=0)), runs).to_dict()
    {'q1': {'d2': 2.5, 'd1': 1.0}}
    """
    require_runs(model, runs)
    runs = {name: runs[name] for name in model.feature_names}  # others must not add candidates
    found = {query for run in runs.values() for query in run.query_ids}
    queries = sorted(found, key=lambda query: (len(query), query))  # however the runs are ordered; 9 before 10
    data = signals_of_runs(runs, Qrels.from_dict({query: {} for query in queries})).data
    if not isinstance(model.normalisation, RetrievedNormalisation):  # to which 0 is a number like any other
        scores = np.asarray(data.features)
        data = replace(data, features=np.where(scores == ZERO_SCORE, 0.0, scores))
    return run_of(data, scores_by(model, data, values), tag=tag)
