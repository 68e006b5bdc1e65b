"""Judgments with fewer documents to rank, or with one more of them judged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankmax._arrays import I64, Bool, readonly
from rankmax.data.judgments import UNJUDGED, Judgments, segments


def only_documents(judgments: Judgments, kept: Bool) -> Judgments:
    """Return the judgments with some of the documents to rank; the judged ones of the others count as not retrieved.

    Parameters
    ----------
    judgments : Judgments
    kept : array of bool, shape (n_documents,)

    Examples
    --------
    >>> judgments = Judgments.from_grades([1, 0, np.nan, 2], [0, 2, 4])
    >>> smaller = only_documents(judgments, np.array([False, True, True, False]))
    >>> smaller.grades, smaller.count(smaller.levels > 0)
    (array([ 0., nan]), array([1, 1]))
    """
    query = judgments.query_of_document
    dropped = ~kept & (judgments.document_levels != UNJUDGED)
    unretrieved = np.repeat(np.arange(judgments.n_queries), np.diff(judgments.unretrieved_offsets))
    others = np.concatenate([unretrieved, query[dropped]])
    levels = np.concatenate([judgments.unretrieved_levels, judgments.document_levels[dropped]])
    order = np.argsort(others, kind="stable")
    return replace(
        judgments,
        query_offsets=readonly(_offsets(query[kept], judgments.n_queries)),
        document_levels=readonly(judgments.document_levels[kept]),
        document_ids=None if judgments.document_ids is None else judgments.document_ids.take(np.flatnonzero(kept)),
        unretrieved_offsets=readonly(_offsets(others, judgments.n_queries)),
        unretrieved_levels=readonly(levels[order]),
    )


def with_one_more(judgments: Judgments, documents: I64, level: int) -> tuple[Judgments, I64]:
    """Return for each document its query once more, with that document at a given level, and the rows of its documents.

    Parameters
    ----------
    judgments : Judgments
    documents : array of int64, shape (n,)
    level : int

    Returns
    -------
    Judgments
        Of n queries.
    array of int64
        For each of its documents, the one of `judgments` that it repeats.

    Examples
    --------
    >>> judgments = Judgments.from_grades([1, np.nan, np.nan], [0, 3])
    >>> repeated, rows = with_one_more(judgments, np.array([1, 2]), 1)
    >>> repeated.grades, rows
    (array([ 1.,  1., nan,  1., nan,  1.]), array([0, 1, 2, 0, 1, 2]))
    """
    query = judgments.query_of_document[documents]
    rows, offsets = segments(judgments.query_offsets, query)
    repeated = judgments.select(query)
    levels = repeated.document_levels.copy()
    levels[offsets[:-1] + documents - judgments.query_offsets[query]] = level
    return replace(repeated, document_levels=readonly(levels)), rows


def _offsets(query: I64, n_queries: int) -> I64:
    return np.concatenate([[0], np.cumsum(np.bincount(query, minlength=n_queries))]).astype(np.int64)
