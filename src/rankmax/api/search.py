"""`rankmax.search`: the best documents of an index."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from rankmax.data.runs import Run
from rankmax.formats.topics import read_topics
from rankmax.retrieval.index.index import Index
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
    topics : path or mapping of str to str
        The text of each query.
    model : str or path
        A retrieval function, such as ``"bm25(k1=0.9,b=0.4)"``, or a model file.
    depth : int
        Maximum number of documents per query.
    exclude : mapping of str to str, optional
        Document to exclude from the results, by query id.
    jobs : int
        Number of threads; the run does not depend on it.
    tag : str
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
    texts = dict(topics) if isinstance(topics, Mapping) else read_topics(topics)
    ranker = load_ranker(model)
    return search_topics(opened, texts, ranker, depth, excluded=exclude or {}, n_jobs=jobs, tag=tag, progress=callback)
