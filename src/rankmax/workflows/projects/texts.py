"""Texts of a project's queries and snippets of its documents, where it has topics and an index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rankmax.errors import RankmaxError
from rankmax.formats.topics import read_topics
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import Query
from rankmax.retrieval.search.snippets import best_snippet

Pieces = tuple[tuple[str, bool], ...]
"""Text as a list of pieces, each marked as matching the query or not."""


@dataclass(frozen=True)
class ProjectTexts:
    """Topics and index of a project, either of which may be missing.

    Attributes
    ----------
    topics : mapping of str to str
        Texts by query id.
    index : Index or None

    Examples
    --------
    >>> texts = ProjectTexts({"q1": "wing flutter"}, None)
    >>> texts.topics["q1"], texts.snippets("q1", ["d1"])
    ('wing flutter', {})
    """

    topics: Mapping[str, str] = field(default_factory=dict)
    index: Index | None = None

    @classmethod
    def of(cls, folder: Path) -> ProjectTexts:
        """Return the texts in a folder: topics files, and a subfolder with an index.

        Parameters
        ----------
        folder : Path
        """
        topics: dict[str, str] = {}
        for path in sorted(folder.glob("*topics*")):
            if path.is_file() and path.resolve().is_relative_to(folder):
                topics |= _topics(path)
        indexes = (_index(path) for path in sorted(folder.iterdir()) if path.is_dir() and not path.is_symlink())
        return cls(topics, next((index for index in indexes if index is not None), None))

    def snippets(self, query_id: str, document_ids: Sequence[str]) -> dict[str, Pieces]:
        """Return the part of each document's stored text that matches the query best.

        Parameters
        ----------
        query_id : str
        document_ids : sequence of str
            Documents that are not in the index, or have no stored text, are left out.
        """
        if self.index is None or not self.index.stored:
            return {}
        terms = Query(self.index, self.topics.get(query_id, "")).term_counts
        found = {}
        for name, number in zip(document_ids, self.index.find(list(document_ids)).tolist(), strict=True):
            if number >= 0:
                parts = (best_snippet(text, terms, self.index.analyzer) for text in self._texts(number))
                best = max(parts, key=lambda part: part.n_terms, default=None)
                if best is not None:
                    found[name] = best.pieces
        return found

    def _texts(self, number: int) -> Iterable[str]:
        """Return the stored fields of a document, longest first: where no word matches, the first is shown."""
        stored = self.index.text(number).values() if self.index is not None else ()
        return sorted((text for text in stored if text.strip()), key=len, reverse=True)


def _topics(path: Path) -> dict[str, str]:
    try:
        return read_topics(path)
    except RankmaxError:  # its name alone suggested that it holds topics
        return {}


def _index(path: Path) -> Index | None:
    try:
        return Index.open(path) if (path / "meta.json").is_file() else None
    except RankmaxError:
        return None
