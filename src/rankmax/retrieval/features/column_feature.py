"""A column of the index as a feature, independent of the query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from rankmax._arrays import F64
from rankmax.retrieval.features.feature import NamedFeature
from rankmax.retrieval.queries.query import Query


@dataclass(frozen=True)
class Column(NamedFeature):
    """A number stored with the documents: PageRank, the depth of a URL, a date.

    Parameters
    ----------
    column : str
        Name of the column in the index.

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
        """Return the values of the given documents, in their order."""
        values: F64 = query.index.column(self.column)[documents]
        return values
