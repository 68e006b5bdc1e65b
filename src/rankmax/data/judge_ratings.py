"""Grades that several judges gave to the same documents."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I64, readonly
from rankmax._result_views import Block, Facts, Table
from rankmax.data.query_documents import DocumentsByQuery, flatten
from rankmax.data.runs import Qrels
from rankmax.errors import InvalidDataError, UnknownNameError

_DRAWS = 24  # at least so many draws of judgments
_MOST_DRAWS = 120


@dataclass(frozen=True, eq=False, repr=False)
class JudgeRatings(DocumentsByQuery):
    """Documents with the grades of several judges, each of whom may have judged some of them.

    Attributes
    ----------
    judges : tuple of str
    ratings : array of float64, shape (n_documents, n_judges)
        NaN where a judge gave no grade; every document has at least one.

    Examples
    --------
    >>> ratings = JudgeRatings.from_dict({"q1": {"d1": {"ann": 2, "bob": 1}, "d2": {"bob": 0}}})
    >>> ratings.judges, ratings.n_ratings
    (('ann', 'bob'), array([2, 1]))
    >>> ratings.mean().to_dict(), ratings.median().to_dict()
    ({'q1': {'d1': 1.5, 'd2': 0.0}}, {'q1': {'d1': 1, 'd2': 0}})
    >>> ratings.of_judge("ann").to_dict()
    {'q1': {'d1': 2}}
    """

    judges: tuple[str, ...]
    ratings: F64

    @classmethod
    def from_dict(cls, ratings: Mapping[str, Mapping[str, Mapping[str, float]]]) -> JudgeRatings:
        """Build from ``{query: {document: {judge: grade}}}``."""
        judges, grades = rating_matrix(ratings)
        return cls(*flatten(ratings), judges, grades)

    @property
    def n_ratings(self) -> I64:
        """Number of judges of each document."""
        counts: I64 = np.count_nonzero(~np.isnan(self.ratings), axis=1)
        return counts

    def mean(self) -> Qrels:
        """Return the mean grade of each document.

        With a linear gain, DCG by means is exactly the expected DCG by the grades of a random judge of each document.
        """
        return self._qrels(np.nanmean(self.ratings, axis=1))

    def median(self) -> Qrels:
        """Return the median grade of each document; of an even number, the lower one of the two in the middle."""
        ranked = np.sort(self.ratings, axis=1)  # NaN come last
        return self._qrels(ranked[np.arange(len(ranked)), (self.n_ratings - 1) // 2])

    def of_judge(self, judge: str) -> Qrels:
        """Return the grades of one judge, for the documents that this judge has judged."""
        if judge not in self.judges:
            raise UnknownNameError("judge", judge, self.judges)
        grades = self.ratings[:, self.judges.index(judge)]
        judged = ~np.isnan(grades)
        by_query = np.bincount(self.query_of_document[judged], minlength=self.n_queries)
        offsets = np.concatenate([[0], np.cumsum(by_query[by_query > 0])]).astype(np.int64)
        queries = tuple(query for query, n in zip(self.query_ids, by_query.tolist(), strict=True) if n)
        return Qrels(queries, readonly(offsets), self.document_ids.take(judged), _whole(grades[judged]))

    def draws(self, *, seed: int = 0) -> list[Qrels]:
        """Return judgments in which each document has the grade of one of its judges, drawn at random.

        The draws are balanced: each judge of a document is drawn equally often, if the number of draws can be a
        multiple of the number of judges for all documents. It is the lowest such number from 24 to 120, and 24 if there
        is none. The mean of a metric that adds up gains of documents, such as DCG, is then exactly its expectation.

        Parameters
        ----------
        seed : int, default 0

        Examples
        --------
        >>> draws = JudgeRatings.from_dict({"q1": {"d1": {"ann": 2, "bob": 1}, "d2": {"bob": 0}}}).draws()
        >>> len(draws), sum(draw.grades for draw in draws) / len(draws)
        (24, array([1.5, 0. ]))
        """
        multiple = math.lcm(*np.unique(self.n_ratings).tolist())
        n_draws = -(-_DRAWS // multiple) * multiple
        n_draws = n_draws if n_draws <= _MOST_DRAWS else _DRAWS
        rng = np.random.default_rng(seed)
        ranked = np.sort(self.ratings, axis=1)
        # a random order of the draws for each document; its judges take turns in this order
        turns = rng.permuted(np.tile(np.arange(n_draws), (self.n_documents, 1)), axis=1) % self.n_ratings[:, None]
        return [self._qrels(ranked[np.arange(len(ranked)), turns[:, draw]]) for draw in range(n_draws)]

    @property
    def blocks(self) -> list[Block]:
        """The size, and the number of documents by number of judges."""
        counts, documents = np.unique(self.n_ratings, return_counts=True)
        rows = [[f"{count}", f"{n:,}"] for count, n in zip(counts.tolist(), documents.tolist(), strict=True)]
        return [Facts({**self._sizes, "judges": f"{len(self.judges):,}"}), Table(["judges", "documents"], rows)]

    def _qrels(self, grades: F64) -> Qrels:
        return Qrels(self.query_ids, self.query_offsets, self.document_ids, _whole(grades))


def rating_matrix(ratings: Mapping[str, Mapping[str, Mapping[str, float]]]) -> tuple[tuple[str, ...], F64]:
    """Return the judges of ``{query: {document: {judge: grade}}}``, and a matrix of grades.

    The matrix has a row for each document and a column for each judge, NaN where a judge gave no grade.

    Parameters
    ----------
    ratings : mapping

    Examples
    --------
    >>> rating_matrix({"q1": {"d1": {"ann": 2, "bob": 1}, "d2": {"bob": 0}}})
    (('ann', 'bob'), array([[ 2.,  1.],
           [nan,  0.]]))
    """
    named = [(query, document, given) for query, of in ratings.items() for document, given in of.items()]
    place: dict[str, int] = {}
    for _, _, given in named:
        for judge in given:
            place.setdefault(judge, len(place))
    grades = np.full((len(named), len(place)), np.nan)
    for row, (query, document, given) in enumerate(named):
        if not given or not all(map(math.isfinite, given.values())):
            raise InvalidDataError(f"document {document!r} in query {query!r} needs finite grades")
        for judge, grade in given.items():
            grades[row, place[judge]] = grade
    return tuple(place), readonly(grades)


def _whole(grades: F64) -> I64 | F64:
    """Return grades, read-only, as integers if all are whole."""
    if np.array_equal(grades, np.round(grades)):
        return readonly(grades.astype(np.int64))
    return readonly(grades)
