"""`rankmax.rank`: rankings by a model."""

from __future__ import annotations

from typing import Any

from rankmax.api.inputs import as_dataset, as_model
from rankmax.data.runs import Run
from rankmax.models.query_weights_model import rows_of
from rankmax.models.ranking_model import RankingModel, run_of
from rankmax.retrieval.queries.rare_terms import with_rare_terms


def rank(model: Any, data: Any, *, topics: Any = None, terms: Any = None, tag: str = "rankmax") -> Run:
    """Rank each query's documents by a model's scores, or fuse runs.

    Parameters
    ----------
    model : model, fitted learner, tuning, or path of a model file
        The model to score documents with.
    data : RankingDataset, path of a data file, mapping of str to run, or sequence of paths of runs
        A mapping has a run for each system that the model weights: a path, Run, ``{query: {document: score}}`` or
        data frame. Runs that are given as paths alone are named after their files.
    topics : path or mapping of str to str, optional
        For a model whose weights depend on the query: a table of the queries, or the value of each.
    terms : Index, path, or mapping of str to int, optional
        For a model whose weights depend on the queries' rare terms: an index, or document frequencies by word.
    tag : str, default "rankmax"
        Name of the system in the run.

    Returns
    -------
    Run

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> runs = {"bm25": {"q1": {"d1": 9.0, "d2": 7.0}}, "e5": {"q1": {"d2": 4.0}}}
    >>> rank(LinearModel([1.0, 2.0], ("bm25", "e5")), runs).to_dict()
    {'q1': {'d2': 15.0, 'd1': 9.0}}
    """
    loaded = as_model(model)
    if terms is not None:
        topics = with_rare_terms(rows_of(topics) or {}, terms)
    if isinstance(loaded, RankingModel):
        return loaded.rank(data, topics=topics, tag=tag)
    dataset = as_dataset(data)  # a model without a file format of its own, such as a classifier's
    return run_of(dataset, loaded.scores(dataset), tag=tag)
