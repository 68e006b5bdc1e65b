r"""Feature logs as JSON lines, in the forms that search engines' learning-to-rank plugins write.

A line holds one document, a hit of a search, or a whole response, together with the query that it belongs to::

    {"query": "q1", "doc": "d7", "label": 2, "features": {"bm25": 9.5, "e5": 0.8}}
    {"query": "q1", "label": 2, "_id": "d7", "fields": {"_ltrlog": [{"main": [{"name": "bm25", "value": 9.5}]}]}}
    {"query": "q1", "hits": {"hits": [{"_id": "d7", "fields": {"_ltrlog": [...]}}]}}

The second and the third are logged by the plugins of Elasticsearch and OpenSearch. A feature that is not logged, or
has no value, did not match: it is 0. A document without a label is unjudged.
"""

from __future__ import annotations

import json
import math
import os
from array import array
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._io.files import atomic_writer, open_binary
from rankmax.data.dataset import RankingDataset
from rankmax.errors import DataFormatError, IncompatibleError, InvalidDataError, counted
from rankmax.formats.parsing.json_line import json_object, shortened

if TYPE_CHECKING:
    from rankmax.data.feature_matrix import Features

_QUERY_KEYS = ("query", "qid", "query_id")
_DOCUMENT_KEYS = ("doc", "_id", "doc_id")
_LABEL_KEYS = ("label", "grade")
_FREE_CELLS = 1 << 24  # a matrix up to this size is dense however few values the file has,
_CELLS_PER_VALUE = 8  # a larger one if at least every eighth cell is in the file;
_MOST_SPARSE_FEATURES = 1 << 16  # otherwise it is sparse, with at most this many features


def read_jsonl(path: str | os.PathLike[str]) -> RankingDataset:
    r"""Read a feature log, plain or gzip.

    Parameters
    ----------
    path : path

    Returns
    -------
    RankingDataset
        Data with features in the order of their first appearance, stored as CSC if less than an eighth of a large
        matrix is in the file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "log.jsonl")
    ...     _ = path.write_text('{"query": "q1", "label": 1, "_id": "d7", "fields": {"_ltrlog": [{"main": '
    ...                         '[{"name": "title"}, {"name": "body", "value": 9.5}]}]}}\n')
    ...     data = read_jsonl(path)
    >>> data.feature_names, data.features, data.document_ids
    (('title', 'body'), array([[0. , 9.5]]), Ids(['d7'], n=1))
    """
    queries: list[str] = []
    documents: list[str] = []
    # Numbers take eight bytes: as dictionaries they took 14 times the file's size.
    grades, values, columns, n_logged = array("d"), array("d"), array("q"), array("q")
    position: dict[str, int] = {}
    with open_binary(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                for query, document, grade, features in _documents(json_object(line.decode("utf-8-sig"))):
                    queries.append(query)
                    documents.append(document)
                    grades.append(grade)
                    values.extend(features.values())
                    columns.extend(position.setdefault(name, len(position)) for name in features)
                    n_logged.append(len(features))
            except ValueError as error:
                raise DataFormatError(path, str(error), line=number) from None
    if not position:
        raise DataFormatError(path, "no line holds a feature")
    rows = np.repeat(np.arange(len(queries)), np.frombuffer(n_logged, np.int64))
    shape = (len(queries), len(position))
    X = _matrix(path, shape, rows, np.frombuffer(columns, np.int64), np.frombuffer(values))
    try:
        return RankingDataset.from_arrays(
            X,
            np.frombuffer(grades),
            qid=np.array(queries, dtype=object),
            feature_names=list(position),
            document_ids=documents,
            copy=False,
        )
    except InvalidDataError as error:
        raise DataFormatError(path, str(error)) from None


def write_jsonl(data: RankingDataset, path: str | os.PathLike[str]) -> None:
    """Write a data set as JSON lines, one per document, atomically; gzip for names ending in .gz.

    Parameters
    ----------
    data : RankingDataset
        Data with document ids.
    path : path

    Examples
    --------
    >>> import tempfile
    >>> data = RankingDataset.from_arrays([[0.5]], [1], qid=["q7"], feature_names=["bm25"], document_ids=["d1"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_jsonl(data, f"{folder}/data.jsonl")
    ...     read_jsonl(f"{folder}/data.jsonl").features
    array([[0.5]])
    """
    if data.document_ids is None:
        raise IncompatibleError("the documents have no ids, which JSON lines need; write another format")
    if data.judgments.unretrieved_levels.size:
        lost = counted(data.judgments.unretrieved_levels.size, "judged document was", "judged documents were")
        raise IncompatibleError(f"{lost} not retrieved, and a log has no line for these; write .npz to keep them")
    grades = data.grades.tolist()
    columns = [data.column(j).tolist() for j in range(data.n_features)]
    with atomic_writer(path) as file:
        for i, query in enumerate(data.judgments.query_of_document.tolist()):
            grade = grades[i]
            line: dict[str, Any] = {"query": data.query_ids[query], "doc": data.document_ids[i]}
            if not math.isnan(grade):
                line["label"] = grade
            line["features"] = {name: column[i] for name, column in zip(data.feature_names, columns, strict=True)}
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def _matrix(path: str | os.PathLike[str], shape: tuple[int, int], rows: I64, columns: I64, values: F64) -> Features:
    n_cells = shape[0] * shape[1]
    if n_cells <= max(_FREE_CELLS, _CELLS_PER_VALUE * values.size):
        X = np.zeros(shape, order="F")
        X[rows, columns] = values
        return X
    if shape[1] > _MOST_SPARSE_FEATURES:
        raise DataFormatError(
            path,
            f"{shape[0]} documents x {shape[1]} features would take {n_cells * 8 / 2**30:.0f} GB, and the file has "
            f"only {values.size} values; are names of features something else, such as words? Up to "
            f"{_MOST_SPARSE_FEATURES} features are read from so few values; LETOR files (.txt) may have more",
        )
    from scipy.sparse import coo_array

    return coo_array((values, (rows, columns)), shape=shape).tocsc()


def _documents(line: dict[str, Any]) -> Iterator[tuple[str, str, float, dict[str, float]]]:
    """Yield query, document, grade and features of each document on a line."""
    query = _text(line, _QUERY_KEYS, "query")
    hits = line["hits"].get("hits") if isinstance(line.get("hits"), dict) else None
    for one in [line] if hits is None else _list(hits, "hits"):
        if not isinstance(one, dict):
            raise ValueError("a hit is not a JSON object")
        yield query, _text(one, _DOCUMENT_KEYS, "document"), _grade(one), _features(one)


def _text(fields: Mapping[str, Any], keys: tuple[str, ...], what: str) -> str:
    for key in keys:
        value = fields.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value):
            return str(value)
    raise ValueError(f"names no {what}: expected one of {', '.join(keys)}; it has {', '.join(fields) or 'nothing'}")


def _grade(fields: Mapping[str, Any]) -> float:
    given = next((fields[key] for key in _LABEL_KEYS if fields.get(key) is not None), None)
    return math.nan if given is None else _finite(given, "label")


def _features(fields: Mapping[str, Any]) -> dict[str, float]:
    given: Any = fields.get("features")
    if given is None:
        holder = fields.get("fields")
        logs = holder.get("_ltrlog") if isinstance(holder, dict) else None
        if logs is None:
            raise ValueError("holds no features: expected 'features', or 'fields' with '_ltrlog'")
        entries = [entry for log in _list(logs, "_ltrlog") if isinstance(log, dict) for entry in log.values()]
        given = [one for entry in entries for one in _list(entry, "_ltrlog")]
    if isinstance(given, dict):
        return {name: 0.0 if value is None else _finite(value, name) for name, value in given.items()}
    features = {}
    for one in _list(given, "features"):
        if not isinstance(one, dict) or not isinstance(one.get("name"), str):
            raise ValueError(f"a feature has no name: {one!r}")
        features[one["name"]] = _finite(one.get("value", 0.0), one["name"])
    return features


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{what!r} is not a list")
    return value


def _finite(value: Any, name: str) -> float:
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:  # an integer of more than 308 digits
        raise ValueError(f"{shortened(str(value))} is not a finite number, for {name!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is not a finite number, for {name!r}")
    return number
