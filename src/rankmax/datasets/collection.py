"""A text test collection: documents, queries and relevance judgments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankmax.data.runs import Qrels
from rankmax.retrieval.index.document_files import Document


@dataclass(frozen=True, eq=False)
class TextCollection:
    """A test collection of documents, queries and judgments.

    Attributes
    ----------
    name : str
    documents : tuple of Document
    topics : mapping of str to str
        Text of each query by query id.
    qrels : Qrels
        Relevant documents of each query, with grades.
    excluded : mapping of str to str
        Document that must not be a candidate for a query, by query id: the one that the query was taken from.

    Examples
    --------
    >>> documents = (Document("d1", {"text": "wings"}), Document("d2", {"text": "wing flutter"}))
    >>> tiny = TextCollection("tiny", documents, {"q1": "flutter"}, Qrels.from_dict({"q1": {"d2": 2}}), {"q1": "d1"})
    >>> print(tiny)
    tiny
      documents               2
      words per document    1.5
      queries                 1
      words per query       1.0
      relevant per query    1.0
      of them grade 2      100%
    """

    name: str
    documents: tuple[Document, ...]
    topics: Mapping[str, str]
    qrels: Qrels
    excluded: Mapping[str, str]

    @property
    def statistics(self) -> dict[str, float]:
        """Sizes by label; means are over documents, queries and judgments."""
        lengths = [sum(len(text.split()) for text in document.fields.values()) for document in self.documents]
        relevant = self.qrels.grades > 0
        return {
            "documents": len(self.documents),
            "words per document": float(np.mean(lengths)),
            "queries": len(self.topics),
            "words per query": float(np.mean([len(text.split()) for text in self.topics.values()])),
            "relevant per query": float(relevant.sum() / len(self.topics)),
            "of them grade 2": float(np.mean(self.qrels.grades[relevant] == 2)),
        }

    def __str__(self) -> str:
        lines = [self.name]
        for label, value in self.statistics.items():
            shown = f"{value:.0%}" if "grade" in label else f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
            lines.append(f"  {label:<18} {shown:>6}")
        return "\n".join(lines)
