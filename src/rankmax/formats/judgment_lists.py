"""Ratings of documents by queries' texts, from one judge or several, as relevance tools have them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

from rankmax.errors import DataFormatError
from rankmax.formats.parsing.json_line import shortened
from rankmax.formats.run_tables import finite_number

Ratings: TypeAlias = dict[str, dict[str, list[float]]]
"""``{query: {document: ratings of its judges}}``; the query is its text or its id."""

Opinions: TypeAlias = dict[str, dict[str, dict[str, float]]]
"""``{query: {document: {judge: rating}}}``; the query is its text or its id."""

_Of = TypeVar("_Of")
_NOT_WHOLE = 1e-6  # ratings have few digits: 0.7 times 10 is whole, up to the error of doubles


def whole_grades(
    path: str | os.PathLike[str], ratings: Mapping[str, Mapping[str, list[float]]], *, multiply: float = 1.0
) -> dict[str, dict[str, int]]:
    """Return one grade per document: the median of its judges, the lower one of two, times a factor.

    Parameters
    ----------
    path : path
        File's name, for error messages.
    ratings : mapping
    multiply : float, default 1
        Factor that makes every rating a whole number.

    Examples
    --------
    >>> whole_grades("book.csv", {"star wars": {"11": [3.0, 2.0], "12": [1.0]}})
    {'star wars': {'11': 2, '12': 1}}
    >>> whole_grades("list.json", {"q1": {"d1": [0.7]}}, multiply=10)
    {'q1': {'d1': 7}}
    >>> whole_grades("list.json", {"q1": {"d1": [0.75]}}, multiply=10)
    Traceback (most recent call last):
    rankmax.errors.DataFormatError: list.json: rating 0.75 of document 'd1' in query 'q1' is not whole times 10; grades
    are whole numbers: rankmax data judgments list.json qrels.txt --multiply 100 makes them so
    """
    grades: dict[str, dict[str, int]] = {}
    for query, documents in ratings.items():
        of_query = grades[query] = {}
        for document, given in documents.items():
            median = sorted(given)[(len(given) - 1) // 2]
            grade = round(median * multiply)
            if abs(median * multiply - grade) > _NOT_WHOLE:
                times = "" if multiply == 1 else f" times {multiply:g}"
                raise DataFormatError(
                    path,
                    f"rating {median:g} of document {shortened(document)!r} in query {shortened(query)!r} is not "
                    f"whole{times}; grades are whole numbers: rankmax data judgments {os.fspath(path)} qrels.txt "
                    f"--multiply {multiply * 10:g} makes them so",
                )
            of_query[document] = grade
    return grades


def ids_of_queries(path: str | os.PathLike[str], grades: Mapping[str, _Of]) -> Mapping[str, _Of]:
    """Return the grades, or raise with the remedy where a query's text cannot be an id.

    Parameters
    ----------
    path : path
        File's name, for error messages.
    grades : mapping

    Examples
    --------
    >>> ids_of_queries("case.csv", {"star wars": {"11": 3}})
    Traceback (most recent call last):
    rankmax.errors.DataFormatError: case.csv: query 'star wars' is a text, and qrels need ids: rankmax data judgments
    case.csv qrels.txt --topics topics.tsv takes them from topics, --new-topics topics.tsv makes new ones
    """
    for query in grades:
        if len(query.split()) != 1:
            raise DataFormatError(
                path,
                f"query {shortened(query)!r} is a text, and qrels need ids: rankmax data judgments {os.fspath(path)} "
                "qrels.txt --topics topics.tsv takes them from topics, --new-topics topics.tsv makes new ones",
            )
    return grades


def folded(text: str) -> str:
    """Return a query's text as it is compared: any blanks, as a tab or a newline, are one blank.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> folded(" star  wars")
    'star wars'
    """
    return " ".join(text.split())


class IdsByText(dict[str, str]):
    """Ids of queries by their text; a text in another case has the id of the one topic that is the same but for case.

    Where topics differ in case alone, as "IT" and "it", a text in a third case has none.

    Parameters
    ----------
    ids : mapping of str to str

    Examples
    --------
    >>> ids = IdsByText({"desk lamp": "1", "IT": "2", "it": "3"})
    >>> [ids.get(text) for text in ("Desk Lamp", "IT", "It")], ids.is_ambiguous("It")
    (['1', '2', None], True)
    """

    def __init__(self, ids: Mapping[str, str]) -> None:
        super().__init__(ids)
        self._of_any_case: dict[str, str | None] = {}
        for text, query in ids.items():
            other = self._of_any_case.setdefault(text.casefold(), query)
            if other != query:
                self._of_any_case[text.casefold()] = None

    def get(self, text: str, default: Any = None) -> Any:
        """Return the id of a text, or the default."""
        found = super().get(text) or self._of_any_case.get(text.casefold())
        return default if found is None else found

    def is_ambiguous(self, text: str) -> bool:
        """Return whether a text in another case may be one of several topics."""
        return text not in self and self._of_any_case.get(text.casefold(), "") is None


def parse_rating(cell: Any, query: str, document: str) -> float:
    """Return the number of a rating, or raise a ValueError that names its document.

    Parameters
    ----------
    cell : str or number
    query, document : str
        Names for the message.

    Examples
    --------
    >>> parse_rating("3.0", "star wars", "11")
    3.0
    """
    try:
        return finite_number(cell.strip() if isinstance(cell, str) else cell)
    except ValueError as error:
        where = f"of document {shortened(document)!r} in query {shortened(query)!r}"
        raise ValueError(f"rating {shortened(str(cell))!r} {where} is {error}") from None


def ratings_of(opinions: Opinions) -> Ratings:
    """Return ratings without the names of their judges.

    Parameters
    ----------
    opinions : dict

    Examples
    --------
    >>> ratings_of({"q1": {"d1": {"ann": 2.0, "bob": 1.0}}})
    {'q1': {'d1': [2.0, 1.0]}}
    """
    return {query: {document: [*given.values()] for document, given in of.items()} for query, of in opinions.items()}


def rated_queries(path: str | os.PathLike[str], ratings: dict[str, dict[str, _Of]]) -> dict[str, dict[str, _Of]]:
    """Return the queries that have ratings, or raise if none has.

    Parameters
    ----------
    path : path
        File's name, for the message.
    ratings : dict
    """
    found = {query: documents for query, documents in ratings.items() if documents}
    if not found:
        raise DataFormatError(path, "holds no ratings")
    return found
