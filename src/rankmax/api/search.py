"""`rankmax.search`: the best documents of an index."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rankmax.data.runs import Run
from rankmax.errors import InvalidParameterError
from rankmax.formats.topics import read_topics
from rankmax.retrieval.index.inverted_index import Index
from rankmax.workflows.searching.topic_search import load_ranker, search_topics


def search(
    index: Any,
    topics: Any,
    model: str | os.PathLike[str] = "bm25",
    *,
    depth: int = 1000,
    exclude: Mapping[str, str] | None = None,
    jobs: int = 1,
    tag: str = "rankmax",
    callback: Callable[[int], None] | None = None,
) -> Run:
    """Search an index for many queries, by a retrieval function or a learned model.

    Parameters
    ----------
    index : Index or path
        The index to search.
    topics : path of a file of topics, mapping of str to str, or sequence of str
        The text of each query; queries of a sequence are numbered from "1".
    model : str or path, default "bm25"
        A retrieval function, such as ``"bm25(k1=0.9,b=0.4)"``, or a model file.
    depth : int, default 1000
        Maximum number of documents per query.
    exclude : mapping of str to str, optional
        Document to exclude from the results, by query id.
    jobs : int, default 1
        Number of threads; the run does not depend on it.
    tag : str, default "rankmax"
        Name of the system in the run.
    callback : callable, optional
        Receives the number of queries done so far.

    Returns
    -------
    Run

    Examples
    --------
    >>> import tempfile
    >>> from rankmax import index
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     docs = index({"d1": "flow over a wing", "d2": "heat flow"}, f"{folder}/docs.index")
    ...     list(search(docs, {"q1": "wing"}).to_dict()["q1"])
    ['d1']
    """
    opened = index if isinstance(index, Index) else Index.open(index)
    ranker = load_ranker(model)
    return search_topics(
        opened, _texts(topics), ranker, depth, excluded=exclude or {}, n_jobs=jobs, tag=tag, progress=callback
    )


def _texts(topics: Any) -> dict[str, str]:
    if isinstance(topics, Mapping):
        return dict(topics)
    if isinstance(topics, Sequence) and not isinstance(topics, str):
        return {str(number): text for number, text in enumerate(topics, 1)}
    if isinstance(topics, str) and not os.path.exists(topics) and "://" not in topics:
        raise InvalidParameterError(f"no file of topics is called {topics!r}; give the text of a query as [{topics!r}]")
    return read_topics(topics)
