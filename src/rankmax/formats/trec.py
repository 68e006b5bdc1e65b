"""TREC qrels (relevance judgments) and runs (retrieved documents), the formats of trec_eval.

A line of qrels is ``query iteration document grade``, a line of a run ``query Q0 document rank score tag``. As in
trec_eval, iteration, Q0 and rank are ignored: only the scores order a run.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64, I64, readonly
from rankmax._io.files import atomic_writer, read_bytes
from rankmax.data.ids import Ids
from rankmax.data.query_document_pairs import first_rows, pair_keys
from rankmax.data.query_documents import (
    is_nested_file,
    parse_nested,
    read_nested,
)
from rankmax.data.runs import Qrels, Run
from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.formats.judge_tables import judge_table
from rankmax.formats.judgment_lists import Ratings, ids_of_queries, ratings_of, whole_grades
from rankmax.formats.opensearch_relevance import opensearch_ratings
from rankmax.formats.parsing.decimals import parse_decimals, parse_integers
from rankmax.formats.parsing.text_columns import ColumnFile
from rankmax.formats.quepid import quepid_ratings
from rankmax.formats.run_tables import GRADES, SCORES, delimiter_of, finite_number, read_table, whole_number

_Number = TypeVar("_Number", np.int64, np.float64)


def read_qrels(path: str | os.PathLike[str]) -> Qrels:
    r"""Read qrels: lines of ``query iteration document grade``; a table; or JSON, as ranx writes it; plain or gzip.

    Parameters
    ----------
    path : str or path-like
        File to read. A name that ends in .json or .json.gz holds ``{query: {document: grade}}``. CSV, tab-separated
        tables, JSON lines and Parquet with columns query, doc and grade, or other usual names, are recognized by their
        content; see :mod:`rankmax.formats.run_tables`. So are Quepid's CSV and OpenSearch's judgment lists
        (.json), if their queries are single words; :mod:`rankmax.formats.judgment_lists`. Of several judges, a
        document gets the median grade, the lower one of two.

    Returns
    -------
    Qrels
        Queries in the order of their first line, documents in the order of their lines.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "qrels.txt")
    >>> _ = path.write_text("q1 0 d1 1\nq2 0 d1 0\nq1 0 d2 -1\n")
    >>> read_qrels(path).to_dict()
    {'q1': {'d1': 1, 'd2': -1}, 'q2': {'d1': 0}}
    """
    if is_nested_file(path):
        content = read_bytes(path)
        ratings = opensearch_ratings(path, content)
        return parse_nested(path, content, Qrels.from_dict) if ratings is None else _rated(path, ratings)
    file = ColumnFile(path, ("query", "iteration", "document", "grade"))
    if delimiter_of(file.first_line().decode(errors="replace")) is not None:
        ratings = quepid_ratings(path, file.content())
        if ratings is not None:
            return _rated(path, ratings)
    if (opinions := judge_table(file)) is not None:
        return _rated(path, ratings_of(opinions))
    table = read_table(file, GRADES, "grade", whole_number)
    if table is not None:
        return Qrels.from_dict(table)

    def parse_grades(starts: I64, lengths: I64) -> I64:
        grades, valid = parse_integers(file.buffer, starts, lengths)
        if not valid.all():
            row = int(np.argmin(valid))
            grade = file.token(starts[row], lengths[row])
            raise file.error(f"grade {grade!r} is not an integer", starts[row])
        return grades

    return Qrels(*_read_lines(file, 3, parse_grades, np.int64))


def read_run(path: str | os.PathLike[str]) -> Run:
    r"""Read a run: lines of ``query Q0 document rank score tag``; a table; or JSON, as ranx writes it; plain or gzip.

    Parameters
    ----------
    path : str or path-like
        File to read. A name that ends in .json or .json.gz holds ``{query: {document: score}}``. CSV, tab-separated
        tables, JSON lines and Parquet with columns query, doc and score, or other usual names, are recognized by their
        content; see :mod:`rankmax.formats.run_tables`.

    Returns
    -------
    Run
        Queries in the order of their first line, documents in the order of their lines; the first line's tag.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "bm25.run")
    >>> _ = path.write_text("q1 Q0 d7 1 12.5 bm25\nq1 Q0 d2 2 11.75 bm25\n")
    >>> run = read_run(path)
    >>> run.to_dict(), run.tag
    ({'q1': {'d7': 12.5, 'd2': 11.75}}, 'bm25')
    """
    if is_nested_file(path):
        return read_nested(path, Run.from_dict)
    file = ColumnFile(path, ("query", "Q0", "document", "rank", "score", "tag"))
    table = read_table(file, SCORES, "score", finite_number)
    if table is not None:
        return Run.from_dict(table)

    def parse_scores(starts: I64, lengths: I64) -> F64:
        scores = parse_decimals(file.buffer, starts, lengths)
        wrong = np.isnan(scores)
        if wrong.any():
            row = int(np.argmax(wrong))
            score = file.token(starts[row], lengths[row])
            raise file.error(f"score {score!r} is not a finite number", starts[row])
        return scores

    columns = _read_lines(file, 4, parse_scores, np.float64)
    tags = Ids(file.buffer, *next(file.blocks()).column(5))
    return Run(*columns, tags[0])


def write_qrels(qrels: Qrels, path: str | os.PathLike[str]) -> None:
    r"""Write qrels in TREC's format, atomically; gzip for names ending in .gz.

    Parameters
    ----------
    qrels : Qrels
        Judgments to write, with whole grades.
    path : str or path-like
        File to write, which appears complete or not at all.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "qrels.txt")
    >>> write_qrels(Qrels.from_dict({"q1": {"d1": 1, "d2": 0}}), path)
    >>> path.read_text()
    'q1 0 d1 1\nq1 0 d2 0\n'
    """
    if not np.issubdtype(qrels.grades.dtype, np.integer):
        raise InvalidDataError("these qrels have grades that are fractions; files of qrels hold whole numbers")
    with atomic_writer(path) as file:
        for query_id, documents in qrels.to_dict().items():
            lines = (f"{query_id} 0 {d} {grade}\n" for d, grade in documents.items())
            file.write("".join(lines).encode())


def write_run(run: Run, path: str | os.PathLike[str], *, keep_ties: bool = False) -> None:
    r"""Write a run in TREC's format, each query by descending score, atomically; gzip for names ending in .gz.

    Documents with equal scores are written by descending id, as trec_eval ranks them. Ranks start at 1; scores are
    written so that reading them gives the same doubles.

    Parameters
    ----------
    run : Run
        Run to write.
    path : str or path-like
        File to write, which appears complete or not at all.
    keep_ties : bool
        Whether documents with equal scores are written in the order of the run instead.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "mine.run")
    >>> write_run(Run.from_dict({"q1": {"d1": 0.5, "d3": 1.5}}, tag="mine"), path)
    >>> path.read_text()
    'q1 Q0 d3 1 1.5 mine\nq1 Q0 d1 2 0.5 mine\n'
    """
    with atomic_writer(path) as file:
        for query_id, documents in run.to_dict().items():
            tied = documents.items() if keep_ties else sorted(documents.items(), reverse=True)
            ranked = sorted(tied, key=lambda item: -item[1])
            lines = (f"{query_id} Q0 {d} {rank} {s!r} {run.tag}\n" for rank, (d, s) in enumerate(ranked, 1))
            file.write("".join(lines).encode())


def _rated(path: str | os.PathLike[str], ratings: Ratings) -> Qrels:
    try:
        return Qrels.from_dict(ids_of_queries(path, whole_grades(path, ratings)))
    except InvalidDataError as error:
        raise DataFormatError(path, str(error)) from None


def _read_lines(
    file: ColumnFile, value_column: int, parse: Callable[[I64, I64], NDArray[_Number]], dtype: type[_Number]
) -> tuple[tuple[str, ...], I64, Ids, NDArray[_Number]]:
    """Return query ids, query offsets, document ids and values: the fields of Qrels and Run."""
    starts, lengths = np.empty(file.most_lines, np.int64), np.empty(file.most_lines, np.int64)
    hashes = np.empty(file.most_lines, np.uint64)
    values = np.empty(file.most_lines, dtype)
    n_lines = 0
    group_ids: list[bytes] = []  # of groups of consecutive lines with the same query
    group_begins: list[I64] = []
    for block in file.blocks():
        here = slice(n_lines, n_lines + len(block))
        starts[here], lengths[here] = block.column(2)
        hashes[here] = Ids(file.buffer, starts[here], lengths[here]).hashes()
        values[here] = parse(*block.column(value_column))
        queries = Ids(file.buffer, *block.column(0))
        begins = np.concatenate([[0], queries.changes()])
        group_ids += queries.take(begins).to_bytes()
        group_begins.append(begins + n_lines)
        n_lines += len(block)
    for array in (starts, lengths, hashes, values):
        array.resize(n_lines, refcheck=False)  # releases memory without a copy
    documents = Ids(file.buffer, starts, lengths, hashes)
    query_ids, query = _number_queries(group_ids, np.concatenate([*group_begins, [n_lines]]))
    _check_duplicates(file, query_ids, query, documents)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(query))])
    if (query[1:] < query[:-1]).any():
        order = np.argsort(query, kind="stable")
        documents, values = documents.take(order), values[order]
    return query_ids, readonly(offsets), documents, readonly(values)


def _number_queries(group_ids: list[bytes], group_offsets: I64) -> tuple[tuple[str, ...], I64]:
    """Return the distinct queries by first appearance, and the index of each line's query among them."""
    number: dict[bytes, int] = {}
    groups = np.array([number.setdefault(query, len(number)) for query in group_ids], np.int64)
    return tuple(query.decode() for query in number), np.repeat(groups, np.diff(group_offsets))


def _check_duplicates(file: ColumnFile, query_ids: tuple[str, ...], query: I64, documents: Ids) -> None:
    keys = pair_keys(query, documents)
    keys.sort()
    if not (keys[1:] == keys[:-1]).any():
        return
    first = first_rows(query, documents)
    again = np.flatnonzero(first != np.arange(first.size))
    if again.size:
        row = int(again[0])
        line = file.line(documents.start(first[row]))
        reason = f"document {documents[row]!r} occurs twice in query {query_ids[query[row]]!r}, first in line {line}"
        raise file.error(reason, documents.start(row))
