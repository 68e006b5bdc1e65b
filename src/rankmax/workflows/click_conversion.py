"""Conversion of clicks: UBI to a table and back, and clicks to judgments."""

from __future__ import annotations

import os

from rankmax.errors import DataFormatError
from rankmax.evaluation.click_estimates import LEAST_EXPECTED, click_grades
from rankmax.formats.click_files import is_click_table, read_clicks, write_click_table
from rankmax.formats.judgment_conversion import BY_TEXT, ids_by_text, suffix_of, write_judgments, write_new_topics
from rankmax.formats.judgment_lists import IdsByText
from rankmax.formats.topics import read_topics
from rankmax.formats.ubi_writing import write_ubi

_BULK = ".ndjson"


def convert_clicks(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    judgments: bool = False,
    topics: str | os.PathLike[str] | None = None,
    new_topics: str | os.PathLike[str] | None = None,
    least: float = LEAST_EXPECTED,
) -> tuple[int, int, tuple[str, ...]]:
    r"""Convert clicks to a table of clicks, to UBI, or to judgments by clicks over expected clicks.

    Parameters
    ----------
    source : path
        UBI queries and events, or a table, as :func:`~rankmax.formats.click_files.read_clicks` reads them.
    target : path
        A table (CSV); UBI's searches and events, if its name ends in ``.jsonl``, or in ``.ndjson`` with the lines of
        OpenSearch's bulk API; or judgments, whose name tells their format as for
        :func:`~rankmax.formats.judgment_conversion.convert_judgments`.
    judgments : bool, default False
        Write judgments: :func:`~rankmax.evaluation.click_estimates.click_grades`.
    topics, new_topics : path, optional
        The text of each query, to turn texts into ids (searches for other texts are left out) and ids into texts; or
        topics to write, whose queries get the ids 1, 2, ...
    least : float, default 1
        Least number of expected clicks of a document that is judged.

    Returns
    -------
    tuple of int, int and tuple of str
        Numbers of queries, and of judgments, searches (of UBI) or documents; and what was left out.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "clicks.csv").write_text("query,doc,position,clicked,count\nq1,d1,1,1,6\nq1,d1,1,0,4\n")
    >>> convert_clicks(folder / "clicks.csv", folder / "qrels.txt", judgments=True)
    (1, 1, ())
    """
    as_ubi = writes_ubi(target, judgments=judgments)
    needs_text = as_ubi or (judgments and suffix_of(target) in BY_TEXT)
    numbered = _NumberedTexts()
    if topics is not None:
        log = read_clicks(source, ids=_ids_by_text_or_id(topics) if is_click_table(source) else ids_by_text(topics))
    else:
        log = read_clicks(source, ids=numbered if new_topics is not None or needs_text else None)
    if new_topics is not None:
        write_new_topics(numbered, new_topics)
    if as_ubi:
        texts = {number: text for text, number in numbered.items()} if topics is None else read_topics(topics)
        return log.n_queries, write_ubi(log, target, texts=texts, bulk=suffix_of(target) == _BULK), log.left_out
    if not judgments:
        write_click_table(log, target)
        return log.n_queries, log.n_documents, log.left_out
    grades = click_grades(log, least=least).to_dict()
    has_texts = needs_text and topics is None
    if has_texts:
        text_of = {number: text for text, number in numbered.items()}
        grades = {text_of[query]: documents for query, documents in grades.items()}
    n_queries, n = write_judgments(grades, has_texts, source, target, topics, None)
    return n_queries, n, log.left_out


def writes_ubi(target: str | os.PathLike[str], *, judgments: bool) -> bool:
    """Return whether a target gets UBI's searches and events.

    Parameters
    ----------
    target : path
    judgments : bool
    """
    return not judgments and suffix_of(target) in (".jsonl", _BULK)


def _ids_by_text_or_id(topics: str | os.PathLike[str]) -> IdsByText:
    """Return the id of each text and of each id, as tables name queries by either."""
    by_text = ids_by_text(topics)
    for query in by_text.values():
        if query in by_text and by_text[query] != query:
            raise DataFormatError(
                topics, f"the text of topic {by_text[query]} is the id of topic {query}: a table may mean either"
            )
    by_text.update({query: query for query in by_text.values()})  # ids in their own case only
    return by_text


class _NumberedTexts(dict[str, str]):
    """Ids 1, 2, ... of texts, in the order in which they are asked for."""

    def get(self, text: str, default: object = None) -> str:
        return self.setdefault(text, f"{len(self) + 1}")
