"""Search of an index for many topics, with a retrieval function or a learned model."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import local

import numpy as np

from rankmax._arrays import readonly
from rankmax.data.query_documents import check_ids
from rankmax.data.runs import Run
from rankmax.errors import IncompatibleError, InvalidParameterError, RankmaxError
from rankmax.models import LinearModel
from rankmax.retrieval.features import Feature, parse_feature
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import Query
from rankmax.retrieval.search.collection_search import MEMORY, Hits, Searcher
from rankmax.retrieval.search.weighted_sum import WeightedSum

_MOST_NAMED = 10  # queries in a warning
_NOTHING: Mapping[str, str] = {}


def load_ranker(model: str | os.PathLike[str]) -> Feature:
    """Return a ranker: a retrieval function by name, or a model from a file.

    Parameters
    ----------
    model : str or path-like
        The name of a feature, or the file of a model: one that exists, or whose name ends in .json.

    Examples
    --------
    >>> load_ranker("bm25(k1=0.9)").name
    'bm25(k1=0.9)'
    """
    path = Path(model)
    if path.suffix == ".json" or path.is_file():
        return model_ranker(LinearModel.load(path))
    return parse_feature(os.fspath(model))


def model_ranker(model: LinearModel) -> WeightedSum:
    """Return the ranker of an index's documents that a model's feature names define.

    The model's normalization is applied over all documents that a query matches, not over the candidates that the
    model was trained on.

    Parameters
    ----------
    model : LinearModel
        Linear model; features of weight 0 may have any name.

    Examples
    --------
    >>> model_ranker(LinearModel(np.array([1.0, 0.0, 0.5]), ("bm25:title", "clicks", "dirichlet"))).name
    '1*bm25:title+0.5*dirichlet'
    """
    used = [(name, weight) for name, weight in zip(model.feature_names, model.weights.tolist(), strict=True) if weight]
    if not used:
        raise IncompatibleError("every weight of the model is 0: it ranks nothing")
    features = []
    for name, _ in used:
        try:
            features.append(parse_feature(name))
        except RankmaxError as error:
            raise IncompatibleError(
                f"the model's feature {name!r} cannot be computed from an index: {error}; such a model ranks data "
                "files that have the feature (rankmax rank)"
            ) from None
    return WeightedSum(tuple(features), tuple(weight for _, weight in used), model.normalization)


def search_topics(
    index: Index,
    topics: Mapping[str, str],
    ranker: Feature,
    depth: int = 1000,
    *,
    excluded: Mapping[str, str] = _NOTHING,
    n_jobs: int = 1,
    progress: Callable[[int], None] | None = None,
    tag: str = "rankmax",
) -> Run:
    """Rank the whole collection for each topic.

    A warning names topics without a result: those that have no term left, for instance because all their words are stop
    words, or whose terms no document has.

    Parameters
    ----------
    index : Index
    topics : mapping of str to str
        The text of each query, by its id.
    ranker : Feature
        A retrieval function, any other feature, or a weighted sum; see :func:`load_ranker`.
    depth : int, default 1000
        Largest number of documents per topic.
    excluded : mapping of str to str
        Id of a document to exclude from the results, by query.
    n_jobs : int, default 1
        Number of threads; the result does not depend on it.
    progress : callable, optional
        Called with the number of topics done.
    tag : str
        Name of the system in the run.

    Returns
    -------
    Run
        All topics in their order, documents from best to worst.

    References
    ----------
    Metzler, Croft (2007), Linear feature-based models for information retrieval, section 6.1: trained on judged
    documents, tested on rankings of the whole collection to depth 1000.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval import Document, build_index
    >>> texts = {"d1": "flow past a wing", "d2": "a wing and a wing", "d3": "heat"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index([Document(i, {"text": text}) for i, text in texts.items()], f"{folder}/index")
    >>> run = search_topics(index, {"q1": "wing", "q2": "heat flow"}, load_ranker("bm25"), excluded={"q1": "d2"})
    >>> run.query_ids, run.query_offsets, run.document_ids
    (('q1', 'q2'), array([0, 1, 3]), Ids(['d1', 'd3', 'd1'], n=3))
    """
    if n_jobs < 1:
        raise InvalidParameterError(f"n_jobs must be at least 1, not {n_jobs}")
    check_ids("query id", topics)
    check_ids("tag", [tag])
    numbers = dict(zip(excluded, index.find(list(excluded.values())).tolist(), strict=True))
    own = local()

    def hits_of(work: tuple[str, Query]) -> Hits:
        query_id, query = work
        if not hasattr(own, "searcher"):
            own.searcher = Searcher(index, ranker, memory=MEMORY // n_jobs)
        found: Hits = own.searcher.search(query, depth, exclude=numbers.get(query_id))
        return found

    work = ((query_id, Query(index, text)) for query_id, text in topics.items())
    found: list[Hits] = []
    for hits in _in_threads(hits_of, work, min(n_jobs, len(topics))):
        found.append(hits)
        if progress is not None:
            progress(len(found))
    _warn_of_empty([query_id for query_id, hits in zip(topics, found, strict=True) if not len(hits)])
    return run_of_hits(index, tuple(topics), found, tag)


def run_of_hits(index: Index, query_ids: tuple[str, ...], found: Sequence[Hits], tag: str) -> Run:
    """Return search results as a run, with the ids of queries and documents.

    Parameters
    ----------
    index : Index
    query_ids : tuple of str
    found : sequence of Hits
        One for each query.
    tag : str
        Name of the system.
    """
    offsets = np.cumsum([0, *map(len, found)])
    documents = np.concatenate([np.empty(0, np.int32), *(hits.documents for hits in found)])
    scores = np.concatenate([np.empty(0), *(hits.scores for hits in found)])
    return Run(query_ids, readonly(offsets), index.ids.take(documents), readonly(scores), tag)


def _in_threads(
    search: Callable[[tuple[str, Query]], Hits], work: Iterable[tuple[str, Query]], n_threads: int
) -> Iterator[Hits]:
    """Yield results in the order of the work; an error or an interrupt ends the rest."""
    if n_threads <= 1:
        yield from map(search, work)
        return
    pool = ThreadPoolExecutor(n_threads)
    try:
        yield from pool.map(search, work)
    finally:
        pool.shutdown(cancel_futures=True)


def _warn_of_empty(query_ids: list[str]) -> None:
    if query_ids:
        more = f" and {len(query_ids) - _MOST_NAMED} more" if len(query_ids) > _MOST_NAMED else ""
        warnings.warn(
            f"no document was found for {', '.join(query_ids[:_MOST_NAMED])}{more}: only stop words, or no document "
            "has any of the terms",
            stacklevel=3,
        )
