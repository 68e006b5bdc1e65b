"""Tiny collections of text for property tests: an index, the same words in lists, and a query."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from oracles.retrieval import Collection
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.features import Feature
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import Query

ANALYZER = Analyzer(stop="short")
FIELDS = ("title", "text")

_WORDS = ("wing", "flow", "lift", "heat", "the", "of")  # the last two are no terms
_texts = st.lists(st.sampled_from(_WORDS), max_size=12).map(" ".join)
_documents = st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, _texts))
_queries = st.lists(st.sampled_from((*_WORDS, "absent")), max_size=5).map(" ".join)


def indexed(texts: Sequence[dict[str, str]], analyzer: Analyzer = ANALYZER) -> Index:
    """Return an index of texts by field, held open while its folder is gone."""
    documents = [Document(f"d{number}", fields) for number, fields in enumerate(texts)]
    with tempfile.TemporaryDirectory() as folder:
        return build_index(documents, f"{folder}/index", analyzer=analyzer)


@dataclass(frozen=True)
class Case:
    """A query, put to some fields of some texts."""

    texts: list[dict[str, str]]
    text: str
    fields: tuple[str, ...]

    def check(self, feature: Feature, definition: Callable[[Collection, list[str], int], float]) -> None:
        """Hold a feature's values of all documents, in any order and more than once, to a definition."""
        terms = ANALYZER.analyze(self.text)
        documents = np.random.default_rng(len(self.texts)).permutation(np.arange(len(self.texts)).repeat(2))
        expected = [definition(self.collection, terms, int(document)) for document in documents]
        found = feature.values(Query(indexed(self.texts), self.text), documents)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)

    @property
    def collection(self) -> Collection:
        """The texts as words."""
        looked_at = self.fields or FIELDS
        return Collection([[_words(text.get(field, "")) for field in looked_at] for text in self.texts])


def cases() -> st.SearchStrategy[Case]:
    """Return collections in which both fields occur, with queries that may have stop words, or no term at all."""
    both = {"title": "wing heat", "text": "flow past the wing"}
    texts = st.lists(_documents, max_size=7).map(lambda texts: [*texts, both])
    return st.builds(Case, texts, _queries, st.sampled_from(((), ("title",), ("text",), FIELDS)))


def _words(text: str) -> list[str | None]:
    return [slot or None for slot in ANALYZER.slots(text)]
