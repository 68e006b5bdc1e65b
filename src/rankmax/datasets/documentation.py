"""The embedded collection: the documentation of numpy and scipy, judged by its authors' cross-references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version

from rankmax.data.runs import Qrels
from rankmax.datasets.collection import TextCollection
from rankmax.datasets.numpydoc import ParsedDocstring, parse_docstring
from rankmax.datasets.public_functions import PublicObject, public_objects
from rankmax.errors import InvalidDataError
from rankmax.retrieval.index.document_files import Document

_SHORT_FORMS = {"np": "numpy", "sp": "scipy", "sps": "scipy.sparse"}


def docstrings() -> TextCollection:
    """Return the documentation of the installed numpy and scipy as a test collection.

    Every public function and class is a document with the fields ``name``, ``signature`` and ``body``. The one-line
    summary of a document is a query, and the documents that its author lists under "See Also" are relevant: with
    grade 2 where the link goes both ways, with grade 1 elsewhere. Summaries and "See Also" sections are in no field,
    and a query's own document must not be a candidate for it (`excluded`). Aliases are one document. The same
    versions of numpy and scipy give the same collection.

    Examples
    --------
    >>> collection = docstrings()
    >>> collection.topics["numpy.linalg.det"]
    'Compute the determinant of an array.'
    """
    objects = public_objects()
    if len(objects) < 100:
        raise InvalidDataError("numpy and scipy have no docstrings; run Python without -OO")
    parsed = {item.names[0]: parse_docstring(item.docstring, item.names[0].rpartition(".")[2]) for item in objects}
    documents = tuple(_document(item, parsed[item.names[0]]) for item in objects)
    links = _links(objects, parsed)
    grades = {
        name: {target: 2 if name in links[target] else 1 for target in targets}
        for name, targets in links.items()
        if targets and parsed[name].summary
    }
    return TextCollection(
        name=f"docstrings of numpy {version('numpy')} and scipy {version('scipy')}",
        documents=documents,
        topics={name: parsed[name].summary for name in grades},
        qrels=Qrels.from_dict(grades),
        excluded={name: name for name in grades},
    )


def _document(item: PublicObject, parsed: ParsedDocstring) -> Document:
    signature = item.signature or parsed.signature
    return Document(item.names[0], {"name": item.names[0], "signature": signature, "body": parsed.body})


def _links(objects: Sequence[PublicObject], parsed: dict[str, ParsedDocstring]) -> dict[str, list[str]]:
    """Return, for each document, the other documents that its "See Also" names, sorted."""
    home = {name: item.names[0] for item in objects for name in item.names}
    by_last_part: dict[str, set[str]] = {}
    for name, target in home.items():
        by_last_part.setdefault(name.rpartition(".")[2], set()).add(target)

    def resolve(written: str, item: PublicObject) -> str | None:
        for full_name in _readings(written, item):
            if full_name in home:
                return home[full_name]
        namesakes = by_last_part.get(written, set())
        return next(iter(namesakes)) if len(namesakes) == 1 else None

    links = {}
    for item in objects:
        targets = {resolve(written, item) for written in parsed[item.names[0]].see_also}
        links[item.names[0]] = sorted(target for target in targets if target and target != item.names[0])
    return links


def _readings(written: str, item: PublicObject) -> Iterator[str]:
    """Yield the full names that a name may refer to: in the object's own modules first, then in outer ones."""
    first, dot, rest = written.partition(".")
    if first in _SHORT_FORMS:
        yield f"{_SHORT_FORMS[first]}{dot}{rest}"
    yield written
    for name in item.names:
        module = name.rpartition(".")[0]
        while module:
            yield f"{module}.{written}"
            module = module.rpartition(".")[0]
    yield from (f"numpy.{written}", f"scipy.{written}")
