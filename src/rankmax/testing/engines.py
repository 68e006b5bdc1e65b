"""The contract of a connection to a search engine, as tests to inherit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from threading import Thread
from typing import Any

import numpy as np

from rankmax.engines.connectors.engine import Answer, Engine, Fusion
from rankmax.engines.connectors.query_placeholders import Template
from rankmax.fusion.engine_normalizations import ENGINES
from rankmax.models import LinearModel, Provenance
from rankmax.preprocessing.feature_normalization import MinMax, Normalization, ZScore

_HOSTILE = """it's "quoted" {query} {vector} $query; DROP TABLE docs -- \\ <!-- %s \u2028"""
_CLOSE = 1e-5  # relative to the best score: engines compute in single precision


class EngineContract:
    """Tests that every connection passes; inherit in a test class whose name starts with ``Test``.

    Set the attributes in a fixture that pytest uses automatically. Retrievers shall find several documents each, with
    different scores, none of which is negative.

    Attributes
    ----------
    engine : Engine
        The connection under test, to an engine with some documents.
    templates : mapping of str to template
        Two retrievers.
    values : mapping of str to object
        Values of the placeholders: query, depth, and vector where a template asks for it.
    stores : bool
        Whether the engine keeps fusions, rather than taking one with each search.
    """

    engine: Engine
    templates: Mapping[str, Template]
    values: Mapping[str, Any]
    stores: bool = True

    def test_templates_are_accepted_as_they_are_returned(self) -> None:
        """Checking a template twice changes nothing, and its placeholders are found."""
        for template in self.templates.values():
            checked = self.engine.checked(template)
            assert self.engine.checked(checked) == checked
            assert self.engine.placeholders(checked) & {"query", "vector"}

    def test_documents_come_once_and_by_descending_score(self) -> None:
        """An answer is a ranking."""
        for name in self.templates:
            hits = self._search(name).hits
            assert hits
            assert len({hit.document for hit in hits}) == len(hits)
            assert all(math.isfinite(hit.score) for hit in hits)
            assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)

    def test_no_more_documents_than_asked_for(self) -> None:
        """The depth is kept to, and a smaller one cuts the same ranking."""
        for name in self.templates:
            scores = [hit.score for hit in self._search(name).hits]
            assert [hit.score for hit in self._search(name, depth=2).hits] == scores[:2]

    def test_text_of_queries_is_data(self) -> None:
        """Whatever a query says, it is searched for, and changes neither the request nor the engine."""
        for name in self.templates:
            before = self._search(name)
            assert isinstance(self._search(name, query=_HOSTILE), Answer)
            assert self._search(name) == before

    def test_threads_get_the_same_answers(self) -> None:
        """Several threads may search at a time."""
        found: list[Answer] = []
        name = next(iter(self.templates))
        threads = [Thread(target=lambda: found.append(self._search(name))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [self._search(name)] * 4

    def test_a_fusion_can_be_taken_back(self) -> None:
        """What was put is stored, may be put again, and is gone when it was removed; removing it twice is no error."""
        fusion = self._fusion(self._normalizations()[0], [0.7, 0.3])
        self.engine.remove(fusion.name)
        assert self.engine.stored(fusion.name) is None
        if self.stores:
            assert self.engine.described(fusion)
            self.engine.put(fusion)
            self.engine.put(fusion)
            assert self.engine.stored(fusion.name)
        self.engine.remove(fusion.name)
        self.engine.remove(fusion.name)
        assert self.engine.stored(fusion.name) is None

    def test_the_engine_fuses_as_the_model_does(self) -> None:
        """For every normalization that the engine is tuned with, its scores are the model's, up to a factor."""
        runs = {name: {"q": dict(self._search(name).hits)} for name in self.templates}
        for normalization in self._normalizations():
            for weights in ([0.7, 0.3], [0.2, 0.8]):
                fusion = self._fusion(normalization, weights)
                assert isinstance(fusion.model, LinearModel)
                expected = fusion.model.rank(runs).to_dict()["q"]
                if self.stores:
                    self.engine.put(fusion)
                values = dict.fromkeys(self.templates, self.values)
                hits = self.engine.fused_search(fusion, values, 5).hits
                best = sorted(expected.values(), reverse=True)
                factor = hits[0].score / best[0]
                close = _CLOSE * best[0]
                assert len(hits) == min(5, len(best))
                for hit, score in zip(hits, best, strict=False):
                    assert abs(expected[hit.document] - score) <= close
                    assert abs(hit.score - factor * score) <= close * factor
        self.engine.remove("contract")

    def _normalizations(self) -> list[Normalization]:
        return [one for one in ENGINES[self.engine.tuned_as] if not isinstance(one, MinMax | ZScore)]  # of features

    def _fusion(self, normalization: Normalization, weights: list[float]) -> Fusion:
        depth = int(self.values["depth"])
        provenance = Provenance(parameters={"depth": depth})
        model = LinearModel(np.array(weights), tuple(self.templates), normalization, provenance=provenance)
        templates = {name: self.engine.checked(template) for name, template in self.templates.items()}
        return Fusion("contract", model, templates, depth)

    def _search(self, name: str, depth: int | None = None, query: str | None = None) -> Answer:
        values = dict(self.values) if query is None else {**self.values, "query": query}
        asked = int(self.values["depth"]) if depth is None else depth
        return self.engine.search(self.engine.checked(self.templates[name]), {**values, "depth": asked}, asked)
