"""A part of the embedded collection, small enough to index and learn from in a test."""

from __future__ import annotations

from functools import cache

from rankmax.data.runs import Qrels
from rankmax.datasets import TextCollection, docstrings

_MODULES = ("numpy.linalg.", "numpy.fft.", "scipy.linalg.", "scipy.fft.")


@cache
def few_docstrings() -> TextCollection:
    """Return the documents of some modules, and the queries whose answers are among them."""
    whole = docstrings()
    documents = tuple(document for document in whole.documents if document.id.startswith(_MODULES))
    known = {document.id for document in documents}
    grades = {
        query_id: {name: grade for name, grade in answers.items() if name in known}
        for query_id, answers in whole.qrels.to_dict().items()
        if query_id in known and known & answers.keys()
    }
    return TextCollection(
        "some docstrings",
        documents,
        {query_id: whole.topics[query_id] for query_id in grades},
        Qrels.from_dict(grades),
        {query_id: query_id for query_id in grades},
    )
