"""Data sets as CSV tables: one line per document, with columns for query, document, label and each feature."""

from __future__ import annotations

import csv
import io
import math
import os
from array import array
from collections import Counter

import numpy as np

from rankmax._io.files import atomic_writer, read_bytes
from rankmax.data.dataset import RankingDataset
from rankmax.errors import DataFormatError, IncompatibleError, InvalidDataError, counted, not_utf8
from rankmax.formats.parsing.numbers import finite_number

_QUERY, _DOCUMENT, _LABEL = "query", "doc", "label"


def read_csv(path: str | os.PathLike[str]) -> RankingDataset:
    r"""Read a data set from a CSV table, plain or gzip; the documents of a query may be on any lines.

    The first line names the columns. ``query`` and ``label`` are required, ``doc`` is optional; all others are
    features, which must have a number on every line. An empty label marks an unjudged document. If the first line
    contains tabs, tabs separate the columns.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "log.csv")
    ...     _ = path.write_text("query,doc,label,bm25,e5\nq1,d1,2,9.5,0.8\nq1,d2,,7,0.9\n")
    ...     data = read_csv(path)
    >>> data.feature_names, data.grades
    (('bm25', 'e5'), array([ 2., nan]))
    """
    content = read_bytes(path)
    delimiter = "\t" if b"\t" in content[: content.find(b"\n")] else ","
    text = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline="")  # decoded in pieces, as the whole is large
    lines = csv.reader(text, delimiter=delimiter, strict=True)
    try:
        header = next(lines, [])
        features = _features(path, header)
        place = {name: i for i, name in enumerate(header)}
        # Numbers take eight bytes and each query's id is stored once: as lists they took 30 times the file's size.
        queries, documents, grades, values = [], [], array("d"), array("d")
        known: dict[str, str] = {}
        for cells in lines:
            if not cells:
                continue
            if len(cells) != len(header):
                wrong = f"{counted(len(cells), 'column', 'columns')}, the first line has {len(header)}"
                raise DataFormatError(path, wrong, line=lines.line_num)
            query = cells[place[_QUERY]]
            queries.append(known.setdefault(query, query))
            if _DOCUMENT in place:
                documents.append(cells[place[_DOCUMENT]])
            label = cells[place[_LABEL]]
            grades.append(_number(path, label, _LABEL, lines.line_num) if label.strip() else math.nan)
            values.extend(_number(path, cells[place[name]], name, lines.line_num) for name in features)
    except UnicodeDecodeError as error:
        raise DataFormatError(path, not_utf8(error)) from None
    except csv.Error as error:
        raise DataFormatError(path, f"not CSV: {error}", line=lines.line_num) from None
    if not queries:
        raise DataFormatError(path, "no line with a document below the names of the columns")
    try:
        return RankingDataset.from_arrays(
            np.frombuffer(values).reshape(len(queries), len(features)),
            np.frombuffer(grades),
            qid=np.array(queries, dtype=object),
            feature_names=features,
            document_ids=documents if _DOCUMENT in place else None,
        )
    except InvalidDataError as error:
        raise DataFormatError(path, str(error)) from None


def write_csv(data: RankingDataset, path: str | os.PathLike[str]) -> None:
    """Write a data set as a CSV table, atomically; gzip for names ending in .gz.

    Parameters
    ----------
    data : RankingDataset
        Data to write. Numbers are written so that reading them gives the same doubles; features as dense columns.
    path : path

    Examples
    --------
    >>> import tempfile
    >>> data = RankingDataset.from_arrays([[0.5], [0.1]], [1, 0], qid=["q7", "q7"], feature_names=["bm25"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_csv(data, f"{folder}/data.csv")
    ...     read_csv(f"{folder}/data.csv").features.ravel()
    array([0.5, 0.1])
    """
    clash = sorted({_QUERY, _DOCUMENT, _LABEL} & set(data.feature_names))
    if clash:
        raise IncompatibleError(f"a feature is named {clash[0]!r}, like a column that is not a feature; rename it")
    if data.judgments.unretrieved_levels.size:
        lost = counted(data.judgments.unretrieved_levels.size, "judged document was", "judged documents were")
        raise IncompatibleError(
            f"{lost} not retrieved, and a table of candidates has no line for these; write .npz to keep them"
        )
    ids = data.document_ids
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_QUERY, *([] if ids is None else [_DOCUMENT]), _LABEL, *data.feature_names])
    grades = data.grades.tolist()
    columns = [data.column(j).tolist() for j in range(data.n_features)]
    for i, query in enumerate(data.judgments.query_of_document.tolist()):
        document = [] if ids is None else [ids[i]]
        grade = grades[i]
        label = "" if math.isnan(grade) else repr(grade)
        writer.writerow([data.query_ids[query], *document, label, *(repr(column[i]) for column in columns)])
    with atomic_writer(path) as file:
        file.write(text.getvalue().encode())


def _features(path: str | os.PathLike[str], header: list[str]) -> list[str]:
    missing = [name for name in (_QUERY, _LABEL) if name not in header]
    if missing:
        found = f"its first line is {', '.join(header)}" if header else "it is empty"
        raise DataFormatError(path, f"has no column {' and '.join(map(repr, missing))}; {found}")
    repeated = sorted(name for name, n in Counter(header).items() if n > 1)
    if repeated:
        raise DataFormatError(path, f"several columns are named {', '.join(repeated)}", line=1)
    return [name for name in header if name not in (_QUERY, _DOCUMENT, _LABEL)]


def _number(path: str | os.PathLike[str], cell: str, column: str, line: int) -> float:
    try:
        return finite_number(cell)
    except ValueError:
        raise DataFormatError(path, f"{cell!r} in column {column!r} is not a finite number", line=line) from None
