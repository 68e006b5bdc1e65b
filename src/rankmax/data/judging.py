"""Joining of runs with relevance judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from rankmax._arrays import F64, I64, readonly
from rankmax._result_views import Block, Facts, ResultView
from rankmax.data.dataset import RankingDataset
from rankmax.data.ids import Ids
from rankmax.data.judgments import UNJUDGED, Judgments, segments
from rankmax.data.query_document_pairs import find_pairs, first_rows, in_trec_order
from rankmax.data.query_documents import DocumentsByQuery
from rankmax.data.runs import Qrels, Run
from rankmax.errors import InvalidDataError, UnknownNameError

MissingScore = Literal["minimum", "zero", "absent"]


@dataclass(frozen=True, eq=False, repr=False)
class JudgedRun(ResultView):
    """A run with its judgments, over the queries of the qrels and in their order.

    Attributes
    ----------
    judgments : Judgments
        Judgments with the run's documents as candidates.
    scores : array of float64, shape (n_documents,)
    missing_queries : tuple of str
        Queries of the qrels for which the run retrieved nothing. They are in `judgments`, without candidates, so
        that means over all judged queries include them.
    unjudged_queries : tuple of str
        Queries of the run that are missing from the qrels. They are left out, as in trec_eval.
    """

    judgments: Judgments
    scores: F64
    missing_queries: tuple[str, ...]
    unjudged_queries: tuple[str, ...]

    @property
    def blocks(self) -> list[Block]:
        """The judgments, and the queries that only one of run and qrels has."""
        others = {
            "missing from run": f"{len(self.missing_queries):,} queries",
            "left out": f"{len(self.unjudged_queries):,} queries without judgments",
        }
        return [Facts({**self.judgments.facts, **others})]


def judge(run: Run, qrels: Qrels) -> JudgedRun:
    """Look up the grade of each retrieved document.

    Unjudged documents have grade NaN; judged documents that the run does not retrieve are counted in the judgments.
    Grades are kept unchanged, including negative ones.

    Parameters
    ----------
    run : Run
        Scored documents of one system.
    qrels : Qrels
        Relevance judgments.

    Examples
    --------
    >>> run = Run.from_dict({"q2": {"d1": 3.0, "d2": 2.0}, "q9": {"d1": 1.0}})
    >>> judged = judge(run, Qrels.from_dict({"q1": {"d5": 1}, "q2": {"d2": 2, "d3": 1}}))
    >>> judged.judgments.grades, judged.judgments.query_offsets, judged.judgments.unretrieved_offsets
    (array([nan,  2.]), array([0, 0, 2]), array([0, 1, 2]))
    >>> judged.scores, judged.missing_queries, judged.unjudged_queries
    (array([3., 2.]), ('q1',), ('q9',))
    """
    documents, scores, offsets = run.document_ids, run.scores, run.query_offsets
    if run.query_ids != qrels.query_ids:
        rows, offsets = _rows_of_queries(run, qrels.query_ids)
        documents, scores = documents.take(rows), readonly(scores[rows])
    judged = set(qrels.query_ids)
    return JudgedRun(
        judgments=_grade(documents, offsets, qrels),
        scores=scores,
        missing_queries=tuple(qrels.query_ids[q] for q in np.flatnonzero(np.diff(offsets) == 0)),
        unjudged_queries=tuple(query_id for query_id in run.query_ids if query_id not in judged),
    )


def join_runs(runs: Mapping[str, Run], qrels: Qrels, *, missing: MissingScore) -> RankingDataset:
    """Join the scores of several systems as features of one data set, to learn how to fuse them.

    Queries are those of the qrels, in their order, for which at least one run retrieved something: without
    candidates there is nothing to rank. A query's candidates are the documents of all runs by id, descending, as
    trec_eval ranks equal scores, so the order of the runs affects only the order of the features.

    Parameters
    ----------
    runs : mapping of str to Run
        Runs by name; the names become the feature names.
    qrels : Qrels
        Relevance judgments.
    missing : {"minimum", "zero", "absent"}
        Score of a document that a run did not retrieve: the lowest that this run gave in the query (0 if it
        retrieved nothing), always 0, or NaN, for features to be binned, as an absent value passes no threshold
        (:class:`~rankmax.preprocessing.binning.Binning`).

    Examples
    --------
    >>> bm25 = Run.from_dict({"q1": {"d1": 9.0, "d2": 7.0}})
    >>> dense = Run.from_dict({"q1": {"d2": 0.8, "d3": 0.5}})
    >>> data = join_runs({"bm25": bm25, "dense": dense}, Qrels.from_dict({"q1": {"d3": 1}}), missing="minimum")
    >>> data.document_ids, data.grades
    (Ids(['d3', 'd2', 'd1'], n=3), array([ 1., nan, nan]))
    >>> data.features
    array([[7. , 0.5],
           [7. , 0.8],
           [9. , 0.5]])
    """
    if missing not in get_args(MissingScore):
        raise UnknownNameError("way to score missing documents", missing, get_args(MissingScore))
    if not runs:
        raise InvalidDataError("no runs to join; give at least one")
    rows_by_run = [_rows_of_queries(run, qrels.query_ids) for run in runs.values()]
    query = np.concatenate([_query_of_row(offsets) for _, offsets in rows_by_run])
    documents = Ids.concatenate(
        [run.document_ids.take(rows) for run, (rows, _) in zip(runs.values(), rows_by_run, strict=True)]
    )
    first = first_rows(query, documents)
    candidates = np.flatnonzero(first == np.arange(first.size))
    candidates = candidates[in_trec_order(query[candidates], documents.take(candidates))]
    position = np.empty(first.size, np.int64)
    position[candidates] = np.arange(candidates.size)
    position = position[first]

    n_queries = qrels.n_queries
    features = np.empty((candidates.size, len(runs)), order="F")
    begin = 0
    for column, (run, (rows, offsets)) in enumerate(zip(runs.values(), rows_by_run, strict=True)):
        scores = run.scores[rows]
        constant = np.full(n_queries, np.nan if missing == "absent" else 0.0)
        lowest = _lowest(scores, offsets) if missing == "minimum" else constant
        features[:, column] = lowest[query[candidates]]
        features[position[begin : begin + rows.size], column] = scores
        begin += rows.size

    offsets = _offsets(query[candidates], n_queries)
    judgments = _grade(documents.take(candidates), offsets, qrels)
    return RankingDataset(readonly(features), tuple(runs), judgments.select(np.diff(offsets) > 0))


def grade_features(data: RankingDataset, qrels: Qrels) -> RankingDataset:
    """Replace the grades of a data set's documents by those of qrels.

    Parameters
    ----------
    data : RankingDataset
        Data with document ids. Queries missing from the qrels are left out.
    qrels : Qrels

    Examples
    --------
    >>> log = RankingDataset.from_arrays([[9.0], [7.0]], [0, 0], qid=["q1", "q1"], document_ids=["d1", "d2"])
    >>> graded = grade_features(log, Qrels.from_dict({"q1": {"d2": 3, "d5": 1}}))
    >>> graded.grades, graded.judgments.unretrieved_offsets
    (array([nan,  3.]), array([0, 1]))
    """
    place = {query_id: q for q, query_id in enumerate(data.query_ids)}
    chosen = [place[query_id] for query_id in qrels.query_ids if query_id in place]
    kept = data.select(np.array(chosen, np.int64))
    counts = dict(zip(kept.query_ids, kept.judgments.documents_by_query.tolist(), strict=True))
    offsets = np.cumsum([0, *(counts.get(query_id, 0) for query_id in qrels.query_ids)])
    if kept.document_ids is None:
        raise InvalidDataError("the documents have no ids, by which qrels name them")
    judgments = _grade(kept.document_ids, offsets, qrels)
    return replace(kept, judgments=judgments.select(np.diff(offsets) > 0))


def judged_again(judgments: Judgments, qrels: Qrels) -> Judgments:
    """Return the judgments of the same queries and documents by other qrels.

    Parameters
    ----------
    judgments : Judgments
        With document ids.
    qrels : Qrels
        Queries that they lack are not judged.

    Examples
    --------
    >>> machine = Qrels.from_dict({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}})
    >>> run = Run.from_dict({"q1": {"d1": 3.0, "d2": 2.0}, "q2": {"d1": 1.0}})
    >>> judged_again(judge(run, machine).judgments, Qrels.from_dict({"q1": {"d2": 2, "d3": 1}})).grades
    array([nan,  2., nan])
    """
    if judgments.document_ids is None:
        raise InvalidDataError("the documents have no ids, by which qrels name them")
    rows, offsets = _rows_of_queries(qrels, judgments.query_ids)
    grades: I64 | F64 = qrels.grades[rows]
    grades.flags.writeable = False
    others = Qrels(judgments.query_ids, readonly(offsets), qrels.document_ids.take(rows), grades)
    return _grade(judgments.document_ids, judgments.query_offsets, others)


def _rows_of_queries(documents: DocumentsByQuery, query_ids: Sequence[str]) -> tuple[I64, I64]:
    """Return the rows of the given queries, in their order, and the bounds of each query's rows."""
    number = {query_id: q for q, query_id in enumerate(documents.query_ids)}
    nothing = documents.n_queries  # the number of an empty segment after the last query
    chosen = np.array([number.get(query_id, nothing) for query_id in query_ids], np.int64)
    return segments(np.append(documents.query_offsets, documents.n_documents), chosen)


def _query_of_row(offsets: I64) -> I64:
    return np.repeat(np.arange(offsets.size - 1), np.diff(offsets))


def _offsets(query: I64, n_queries: int) -> I64:
    return np.concatenate([[0], np.cumsum(np.bincount(query, minlength=n_queries))])


def _grade(documents: Ids, offsets: I64, qrels: Qrels) -> Judgments:
    """Return the judgments of candidates that are grouped by the queries of the qrels."""
    judged = find_pairs(_query_of_row(offsets), documents, qrels.query_of_document, qrels.document_ids)
    grades, levels = np.unique(qrels.grades, return_inverse=True)
    levels += UNJUDGED + 1
    retrieved = np.zeros(qrels.n_documents, np.bool_)
    retrieved[judged[judged >= 0]] = True
    return Judgments(
        query_offsets=readonly(offsets),
        levels=readonly(np.concatenate([[np.nan], grades])),
        document_levels=readonly(np.append(levels, UNJUDGED)[judged]),  # index -1, not judged, is the last
        query_ids=qrels.query_ids,
        document_ids=documents,
        unretrieved_offsets=readonly(_offsets(qrels.query_of_document[~retrieved], qrels.n_queries)),
        unretrieved_levels=readonly(levels[~retrieved]),
    )


def _lowest(scores: F64, offsets: I64) -> F64:
    """Return the lowest score of each query, 0 for a query without scores."""
    lowest = np.zeros(offsets.size - 1)
    some = np.diff(offsets) > 0
    if some.any():
        lowest[some] = np.minimum.reduceat(scores, offsets[:-1][some])
    return lowest
