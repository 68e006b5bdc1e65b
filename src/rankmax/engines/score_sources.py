"""Where functions of search engines find the features of a model: in a numeric field, or as the score of the query."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rankmax.engines.export_target import Destination
from rankmax.errors import IncompatibleError


@dataclass(frozen=True)
class ScoreSources:
    """The fields of features, and the one that is the score of the query itself.

    Attributes
    ----------
    fields : dict of str to str, or None
        Numeric field of each feature; None for the feature that is the score of the query.
    text_field : str
        Field that the query searches.
    """

    fields: dict[str, str | None]
    text_field: str


def score_sources(features: Iterable[str], destination: Destination, title: str) -> ScoreSources:
    """Return where a function finds features, or refuse what is neither a field nor the query's score.

    Parameters
    ----------
    features : iterable of str
    destination : Destination
        A feature whose name or template says that it is lexical is the query's score; others are fields of that name,
        or the template's.
    title : str
        Of the target, for messages.

    Examples
    --------
    >>> score_sources(["bm25", "clicks"], Destination(), "a function")
    ScoreSources(fields={'bm25': None, 'clicks': 'clicks'}, text_field='YOUR-TEXT-FIELD')
    """
    fields: dict[str, str | None] = {}
    text_field = "YOUR-TEXT-FIELD"
    for name in features:
        template = destination.template(name)
        if template.kind_of(name) == "lexical":
            if None in fields.values():
                first = next(known for known, field in fields.items() if field is None)
                raise IncompatibleError(
                    f"{title} has the score of one query, and both {first!r} and {name!r} seem to be one: rerank with "
                    "learning to rank, which has a query for each feature (solr, elasticsearch-ltr)"
                )
            fields[name] = None
            text_field = template.field or text_field
        else:
            fields[name] = template.field or name
    return ScoreSources(fields, text_field)
