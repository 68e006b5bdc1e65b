"""A column of the index as a feature: what a document has whatever the query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from rankmax.arrays import F64
from rankmax.retrieval.features.base import NamedFeature
from rankmax.retrieval.features.parse import register
from rankmax.retrieval.query import Query


@register
@dataclass(frozen=True)
class Column(NamedFeature):
    """A number that was stored with the documents: PageRank, the depth of a URL, a date.

    Parameters
    ----------
    column : str
        Its name in the index.

    References
    ----------
    Metzler, Croft (2007), Linear feature-based models for information retrieval, section 2.5: nontextual features.

    Examples
    --------
    >>> Column("pagerank").name
    'column(pagerank)'
    """

    symbol: ClassVar[str] = "column"

    column: str

    def values(self, query: Query, documents: NDArray[Any]) -> F64:
        """Return the feature of some documents, given by their numbers, in their order."""
        values: F64 = query.index.column(self.column)[documents]
        return values
