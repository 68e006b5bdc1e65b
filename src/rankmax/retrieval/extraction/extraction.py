"""Extraction of features of candidate documents, as a data set to learn from."""

from __future__ import annotations

import math
import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from itertools import pairwise
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from time import monotonic

import numpy as np

from rankmax._arrays import F64, I64, readonly
from rankmax._io.interrupts import uninterrupted_children
from rankmax.data.dataset import RankingDataset
from rankmax.data.ids import Ids
from rankmax.data.judging import judge
from rankmax.data.judgments import Judgments, balanced_tasks
from rankmax.data.runs import Qrels, Run
from rankmax.errors import IncompatibleError, InvalidDataError, InvalidParameterError, some_of
from rankmax.retrieval.extraction.candidate_pools import Candidates
from rankmax.retrieval.features.feature import Feature
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import Query

_TASKS_PER_PROCESS = 8
_SECONDS_HERE = 2.0  # starting other processes takes as long

_Work = tuple[str, str, I64]
"""Id and text of a query, and its candidates."""


def extract(
    index: Index,
    topics: Mapping[str, str],
    candidates: Candidates,
    features: Sequence[Feature],
    *,
    qrels: Qrels | None = None,
    n_jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> RankingDataset:
    """Compute features of candidate documents.

    Queries are those that have a text, a candidate and, if judgments are given, a judged document, in the order of the
    judgments, or else of the candidates. As in joined runs, an unjudged candidate has grade NaN, and judged documents
    that are not candidates are counted in the judgments, where metrics expect them.

    Parameters
    ----------
    index : Index
        Index of the documents.
    topics : mapping of str to str
        Text of each query by query id.
    candidates : Candidates
        Documents to compute features of, by query.
    features : sequence of Feature
        Features to compute, of any class with a `name` and `values`.
    qrels : Qrels, optional
        Judgments; without them all documents are unjudged.
    n_jobs : int, default 1
        Number of processes used if the work takes more than two seconds; the values are the same for any number.
    progress : callable, optional
        Called with the number of queries done so far.

    Returns
    -------
    RankingDataset
        Values as float64, with the names of the features and the ids of the documents.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval import Document, build_index, listed_candidates
    >>> from rankmax.retrieval.features import parse_feature
    >>> texts = {"d1": "flow past a wing", "d2": "wing of a wing", "d3": "heat"}
    >>> qrels = Qrels.from_dict({"q1": {"d2": 2, "d3": 0}})

    A user-defined class is a feature, too:

    >>> class StartsEarly:
    ...     name = "starts-early"
    ...     def values(self, query, documents):
    ...         return 1.0 / (1.0 + documents)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = build_index([Document(i, {"text": text}) for i, text in texts.items()], f"{folder}/index")
    ...     judged = listed_candidates(index, qrels)
    ...     data = extract(index, {"q1": "wing"}, judged, [parse_feature("occurrences"), StartsEarly()], qrels=qrels)
    >>> data.feature_names, data.document_ids, data.grades
    (('occurrences', 'starts-early'), Ids(['d2', 'd3'], n=2), array([2., 0.]))
    >>> data.features
    array([[2.        , 0.5       ],
           [0.        , 0.33333333]])
    """
    if n_jobs < 1:
        raise InvalidParameterError(f"n_jobs must be at least 1, not {n_jobs}")
    if not features:
        raise InvalidParameterError("no features to compute; give at least one")
    names = tuple(feature.name for feature in features)
    chosen = candidates.select(_queries(topics, candidates, qrels))
    work = [
        (query_id, topics[query_id], chosen.documents[begin:end])
        for query_id, (begin, end) in zip(chosen.query_ids, pairwise(chosen.query_offsets.tolist()), strict=True)
    ]
    values = np.empty((chosen.n_documents, len(features)), order="F")
    done = 0
    for block in _blocks(index, features, work, chosen.documents_by_query, n_jobs):
        for columns in block:
            first = int(chosen.query_offsets[done])
            values[first : first + columns.shape[1]] = columns.T
            done += 1
            if progress is not None:
                progress(done)
    ids = index.ids.take(chosen.documents)
    return RankingDataset(readonly(values), names, _judgments(chosen, ids, qrels))


def _queries(topics: Mapping[str, str], candidates: Candidates, qrels: Qrels | None) -> list[str]:
    some = dict(zip(candidates.query_ids, candidates.documents_by_query.tolist(), strict=True))
    ordered = candidates.query_ids if qrels is None else qrels.query_ids
    chosen = [query_id for query_id in ordered if query_id in topics and some.get(query_id)]
    if not chosen:
        kinds = {"topics": tuple(topics), "candidates": tuple(some)} | ({} if qrels is None else {"qrels": ordered})
        found = "; ".join(f"{kind}: {some_of(ids) or 'none'}" for kind, ids in kinds.items())
        raise InvalidDataError(f"no query has a text, candidates in the index and judgments; ids of queries in {found}")
    return chosen


def _judgments(candidates: Candidates, ids: Ids, qrels: Qrels | None) -> Judgments:
    unscored = np.zeros(candidates.n_documents)
    if qrels is None:
        return Judgments.from_grades(
            np.full(unscored.size, np.nan),
            candidates.query_offsets,
            query_ids=candidates.query_ids,
            document_ids=ids,
        )
    judged = judge(Run(candidates.query_ids, candidates.query_offsets, ids, unscored), qrels).judgments
    return judged.select(judged.documents_by_query > 0)


def _blocks(
    index: Index, features: Sequence[Feature], work: list[_Work], documents_by_query: I64, n_jobs: int
) -> Iterator[list[F64]]:
    """Yield the values query by query, from this process and then from others, which map the same files."""
    if n_jobs > 1:
        _require_portable(features)
    until = monotonic() + (_SECONDS_HERE if n_jobs > 1 else math.inf)
    done = 0
    while done < len(work) and monotonic() < until:
        yield values_of_queries(index, features, work[done : done + 1])
        done += 1
    if done == len(work):
        return
    borders = (done + balanced_tasks(documents_by_query[done:], n_jobs * _TASKS_PER_PROCESS)).tolist()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_jobs, mp_context=context) as pool:
        tasks: list[Future[list[F64]]] = []
        try:
            with uninterrupted_children():
                tasks += [
                    pool.submit(_values_elsewhere, index.path.absolute(), features, work[begin:end])
                    for begin, end in pairwise(borders)
                ]
            for task in tasks:
                yield task.result()
        except BrokenProcessPool:
            raise IncompatibleError(
                "a process that computes features ended unexpectedly; a script that extracts with n_jobs > 1 must do "
                'so below `if __name__ == "__main__":`'
            ) from None
        finally:
            for task in tasks:
                task.cancel()


def values_of_queries(index: Index, features: Sequence[Feature], work: Sequence[_Work]) -> list[F64]:
    """Return the features of the candidates of some queries, shape (n_features, n_candidates) for each.

    Parameters
    ----------
    index : Index
    features : sequence of Feature
    work : sequence of tuples
        Id and text of each query, and the numbers of its candidates.
    """
    found = []
    for query_id, text, documents in work:
        query = Query(index, text)
        columns = np.empty((len(features), documents.size))
        for column, feature in zip(columns, features, strict=True):
            values = np.asarray(feature.values(query, documents))
            if values.shape != column.shape or values.dtype.kind not in "fiub":
                raise InvalidDataError(
                    f"{feature.name} gave {values.dtype} of shape {values.shape} for query {query_id!r}; expected one "
                    f"number for each of {documents.size} documents"
                )
            column[:] = values
            if not np.isfinite(column).all():
                document = index.ids[int(documents[np.argmin(np.isfinite(column))])]
                raise InvalidDataError(
                    f"{feature.name} is not finite for document {document!r} of query {query_id!r}: "
                    f"{column[np.argmin(np.isfinite(column))]}"
                )
        found.append(columns)
    return found


def _values_elsewhere(path: Path, features: Sequence[Feature], work: Sequence[_Work]) -> list[F64]:
    return values_of_queries(_opened(path), features, work)


_opened = lru_cache(maxsize=1)(Index.open)  # a process works on one index, and keeps the values derived from it


def _require_portable(features: Sequence[Feature]) -> None:
    try:
        ForkingPickler.dumps(list(features))
    except Exception as error:
        raise IncompatibleError(
            f"a feature cannot be sent to another process ({error}); define its class at the top level of a module, "
            "or use n_jobs=1"
        ) from None
