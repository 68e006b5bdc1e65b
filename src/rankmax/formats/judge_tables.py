r"""Tables of grades by several judges: columns query, doc, judge and grade, or Quepid's books."""

from __future__ import annotations

import os
from typing import Any, Literal, TypeAlias, get_args

from rankmax.data.judge_ratings import JudgeRatings
from rankmax.data.runs import Qrels
from rankmax.errors import DataFormatError, IncompatibleError, InvalidDataError, UnknownNameError
from rankmax.formats.judgment_lists import Opinions, ids_of_queries, parse_rating, rated_queries
from rankmax.formats.parsing.json_line import shortened
from rankmax.formats.parsing.text_columns import ColumnFile
from rankmax.formats.quepid import quepid_opinions
from rankmax.formats.run_tables import DOCUMENTS, GRADES, QUERIES, has_column, identifier, table_rows

JUDGES = ("judge", "judge_id", "judge_name", "rater", "annotator", "assessor", "labeler", "worker")
"""Names of the judge column."""
Opinion: TypeAlias = Literal["median", "mean", "expected"]
"""What several judges say of a document: their median or mean grade, or the expectation over their grades."""


def read_judge_ratings(path: str | os.PathLike[str]) -> JudgeRatings:
    r"""Read grades by several judges.

    Parameters
    ----------
    path : path
        CSV, a tab-separated table or JSON lines with columns query, doc, judge and grade, or other usual names; or a
        book of Quepid, with a column for each judge, if its queries are single words.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "ratings.csv")
    >>> _ = path.write_text("query,doc,judge,grade\nq1,d1,ann,2\nq1,d1,bob,1\n")
    >>> read_judge_ratings(path).mean().to_dict()
    {'q1': {'d1': 1.5}}
    """
    opinions = read_opinions(path)
    try:
        return JudgeRatings.from_dict(ids_of_queries(path, opinions))
    except InvalidDataError as error:
        raise DataFormatError(path, str(error)) from None


def read_opinions(path: str | os.PathLike[str]) -> Opinions:
    """Read grades by several judges as ``{query: {document: {judge: grade}}}``; the query may be its text.

    Parameters
    ----------
    path : path
        As for :func:`read_judge_ratings`.
    """
    file = ColumnFile(path, ("query", "iteration", "document", "grade"))
    found = judge_table(file) or quepid_opinions(path, file.content())
    if found is None:
        raise DataFormatError(
            path, f"names no judges: expected columns query, doc, judge and grade; judge may be {', '.join(JUDGES[1:])}"
        )
    return found


def judge_table(file: ColumnFile) -> Opinions | None:
    """Return the grades of a table with a column of judges, or None if the content is something else.

    Parameters
    ----------
    file : ColumnFile
    """
    if not has_column(file, JUDGES):
        return None
    wanted = {"queries": QUERIES, "documents": DOCUMENTS, "judges": JUDGES, "grades": GRADES}
    opinions: Opinions = {}
    for number, (query_cell, document_cell, judge_cell, grade) in table_rows(file, wanted) or ():
        try:
            query, document = identifier("query", query_cell), identifier("document", document_cell)
            judge = str(judge_cell).strip()
            given = opinions.setdefault(query, {}).setdefault(document, {})
            if not judge:
                raise ValueError("a grade without a judge")
            if judge in given:
                raise ValueError(
                    f"judge {shortened(judge)!r} has two grades for document {shortened(document)!r} in query "
                    f"{shortened(query)!r}"
                )
            given[judge] = parse_rating(grade, query, document)
        except ValueError as error:
            raise DataFormatError(file.path, str(error), line=number) from None
    return rated_queries(file.path, opinions)


def judged_by(source: Any, opinion: Opinion) -> Qrels | JudgeRatings:
    """Return the judgments to evaluate by.

    Parameters
    ----------
    source : JudgeRatings, or path
        As for :func:`read_judge_ratings`.
    opinion : {"median", "mean", "expected"}
        "expected" leaves all grades to the evaluation, which takes the mean over random judges.
    """
    if opinion not in get_args(Opinion):
        raise UnknownNameError("opinion of several judges", opinion, get_args(Opinion))
    ratings = read_judge_ratings(source) if isinstance(source, str | os.PathLike) else source
    if not isinstance(ratings, JudgeRatings):
        raise IncompatibleError(
            f"judges={opinion!r} is for grades of several judges: give a table with a column of judges, or JudgeRatings"
        )
    if opinion == "expected":
        return ratings
    return ratings.median() if opinion == "median" else ratings.mean()
