"""Conversion of judgments and topics between formats that name queries by ids, as TREC's, and by their texts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import TypeVar

from rankmax._io.files import atomic_writer, read_bytes, write_bytes
from rankmax.data.runs import Qrels
from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.formats.judgment_lists import IdsByText, folded, ids_of_queries, whole_grades
from rankmax.formats.opensearch_relevance import opensearch_ratings, query_set, write_judgment_list, write_query_set
from rankmax.formats.parsing.json_line import shortened
from rankmax.formats.quepid import quepid_ratings, write_quepid
from rankmax.formats.topics import read_topics
from rankmax.formats.trec import read_qrels, write_qrels

_Value = TypeVar("_Value")
BY_TEXT = {".csv", ".json"}
"""Suffixes of formats of judgments that name queries by their texts: Quepid's and OpenSearch's."""


def convert_judgments(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    topics: str | os.PathLike[str] | None = None,
    new_topics: str | os.PathLike[str] | None = None,
    multiply: float = 1.0,
) -> tuple[int, int]:
    r"""Convert a file of judgments; the target's name tells its format.

    Parameters
    ----------
    source : path
        Quepid's CSV, an OpenSearch judgment list, or whatever :func:`~rankmax.formats.trec.read_qrels` reads.
    target : path
        ``.csv`` is Quepid's, ``.json`` OpenSearch's, ``.tsv`` BEIR's; any other name is TREC's qrels.
    topics : path, optional
        The text of each query, to turn texts into ids and ids into texts.
    new_topics : path, optional
        Topics to write: the queries get the ids 1, 2, ...
    multiply : float, default 1
        Factor that makes every rating a whole number.

    Returns
    -------
    tuple of int
        Numbers of queries and of judgments.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "case.csv").write_text("query,docid,rating\nstar wars,11,3\n")
    >>> _ = convert_judgments(folder / "case.csv", folder / "qrels.txt", new_topics=folder / "topics.tsv")
    >>> (folder / "qrels.txt").read_text(), (folder / "topics.tsv").read_text()
    ('1 0 11 3\n', '1\tstar wars\n')
    """
    content = read_bytes(source)
    ratings = opensearch_ratings(source, content) or quepid_ratings(source, content)
    if ratings is None:
        scaled = {
            query: {document: [float(grade)] for document, grade in documents.items()}
            for query, documents in read_qrels(source).to_dict().items()
        }
    else:
        scaled = ratings
    grades = whole_grades(source, scaled, multiply=multiply)
    return write_judgments(grades, ratings is not None, source, target, topics, new_topics)


def write_judgments(
    grades: Mapping[str, Mapping[str, int]],
    has_texts: bool,
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    topics: str | os.PathLike[str] | None,
    new_topics: str | os.PathLike[str] | None,
) -> tuple[int, int]:
    """Write judgments in the format that the target's name tells, and return the numbers of queries and judgments.

    Parameters
    ----------
    grades : mapping
        ``{query: {document: grade}}``.
    has_texts : bool
        Whether queries are named by their texts, rather than by ids.
    source : path
        Where the judgments are from, for messages.
    target, topics, new_topics
        As in :func:`convert_judgments`.
    """
    size = len(grades), sum(map(len, grades.values()))
    form = suffix_of(target)
    if form in BY_TEXT:
        if not has_texts and topics is not None:
            grades = _renamed(grades, read_topics(topics), topics, "id")
        if form == ".csv":
            write_quepid(grades, target)
        else:
            write_judgment_list(grades, target)
        return size
    if has_texts and topics is not None:
        grades = _renamed(grades, ids_by_text(topics), topics, "text")
    elif has_texts and new_topics is not None:
        grades = _renamed(grades, write_new_topics(grades, new_topics), new_topics, "text")
    try:
        qrels = Qrels.from_dict(ids_of_queries(source, grades))
    except InvalidDataError as error:
        raise DataFormatError(source, str(error)) from None
    if form == ".tsv":
        _write_beir(qrels, target)
    else:
        write_qrels(qrels, target)
    return size


def convert_topics(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> int:
    r"""Convert a file of topics; the target's name tells its format, and the number of topics is returned.

    Parameters
    ----------
    source : path
        An OpenSearch query set, whose queries get the ids 1, 2, ..., or what
        :func:`~rankmax.formats.topics.read_topics` reads.
    target : path
        ``.json`` is an OpenSearch query set, ``.jsonl`` BEIR's queries; any other name is lines of id, tab, text.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "set.json").write_text('{"querySetQueries": [{"queryText": "star wars"}]}')
    >>> convert_topics(folder / "set.json", folder / "topics.tsv"), (folder / "topics.tsv").read_text()
    (1, '1\tstar wars\n')
    """
    texts = query_set(source, read_bytes(source))
    topics = read_topics(source) if texts is None else {f"{number}": text for number, text in enumerate(texts, 1)}
    form = suffix_of(target)
    if form == ".json":
        write_query_set(topics.values(), target)
    elif form == ".jsonl":
        lines = [json.dumps({"_id": query, "text": text}, ensure_ascii=False) for query, text in topics.items()]
        write_bytes(target, ("\n".join(lines) + "\n").encode())
    else:
        write_new_topics(topics.values(), target, topics)
    return len(topics)


def suffix_of(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a file's name in lower case, without that of gzip.

    Parameters
    ----------
    path : path
    """
    return os.path.splitext(os.fspath(path).lower().removesuffix(".gz"))[1]


def ids_by_text(topics: str | os.PathLike[str]) -> IdsByText:
    """Return the id of each text of a file of topics, in any case where that is clear.

    Parameters
    ----------
    topics : path
    """
    by_text: dict[str, str] = {}
    for query, text in read_topics(topics).items():
        if by_text.setdefault(folded(text), query) != query:
            raise DataFormatError(topics, f"topics {by_text[folded(text)]} and {query} have the same text")
    return IdsByText(by_text)


def write_new_topics(
    texts: Iterable[str], path: str | os.PathLike[str], ids: Iterable[str] | None = None
) -> dict[str, str]:
    """Write lines of id, tab, text, with the ids 1, 2, ... unless others are given; return the ids by text.

    Parameters
    ----------
    texts : iterable of str
    path : path
    ids : iterable of str, optional
    """
    texts = [folded(text) for text in texts]
    binary = next((text for text in texts if "\0" in text), None)
    if binary is not None:
        raise InvalidDataError(f"query {shortened(binary)!r} has a null byte, which topics cannot hold: take it out")
    named = [f"{number}" for number in range(1, len(texts) + 1)] if ids is None else list(ids)
    with atomic_writer(path) as file:
        file.write("".join(f"{query}\t{text}\n" for query, text in zip(named, texts, strict=True)).encode())
    return dict(zip(texts, named, strict=True))


def _write_beir(qrels: Qrels, path: str | os.PathLike[str]) -> None:
    lines = [
        f"{query}\t{document}\t{grade}\n"
        for query, documents in qrels.to_dict().items()
        for document, grade in documents.items()
    ]
    with atomic_writer(path) as file:
        file.write("".join(["query-id\tcorpus-id\tscore\n", *lines]).encode())


def _renamed(
    grades: Mapping[str, _Value], names: Mapping[str, str], topics: str | os.PathLike[str], what: str
) -> dict[str, _Value]:
    renamed: dict[str, _Value] = {}
    query_of: dict[str, str] = {}
    for query, of_query in grades.items():
        name = names.get(query)
        if name is None:
            if isinstance(names, IdsByText) and names.is_ambiguous(query):
                raise DataFormatError(topics, f"several topics have the text {shortened(query)!r} but for case")
            missing = sum(names.get(other) is None for other in grades)
            raise DataFormatError(
                topics,
                f"no topic with the {what} {shortened(query)!r}; {missing} of {len(grades)} queries lack one",
            )
        if query_of.setdefault(name, query) != query:
            raise DataFormatError(
                topics, f"queries {shortened(query_of[name])!r} and {shortened(query)!r} are both {shortened(name)!r}"
            )
        renamed[name] = of_query
    return renamed
