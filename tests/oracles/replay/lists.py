"""Runs that an engine returns as they are, and what it makes of them beside what `rankmax rank` does.

An engine is made to return a run by storing each score as the value of a document in one dimension of a sparse vector,
or as a number in a table: its own fusion, as exported, then fuses real runs without any text or embedding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from rankmax import read_run
from rankmax.data.runs import Run
from rankmax.engines.export_target import Destination
from rankmax.engines.query_templates import SystemTemplate
from rankmax.engines.registry import export_model
from rankmax.models import LinearModel, Provenance
from rankmax.models.ranking_model import fuse_runs
from rankmax.preprocessing.feature_normalization import Normalization

Lists = dict[str, dict[str, dict[str, float]]]  # by system, query, document
Ranking = list[tuple[str, float]]  # documents and scores, best first
Search = Callable[[str, str], Ranking]  # given an exported text and the id of a query
Replay = Callable[[Lists], AbstractContextManager[Search]]
"""What fills an engine with lists, and searches it by an exported text until it is closed."""

TOP = 10
DEPTH = 100
WEIGHTS = {1: (1.0,), 2: (0.3, 0.7), 3: (0.2, 0.5, 0.3)}
EQUAL = {n: (1.0,) * n for n in WEIGHTS}

TIED: Lists = {  # ties within and between lists, scores of 0, documents and queries that a list lacks
    "bm25": {"q1": {"a": 3.0, "b": 3.0, "c": 1.5, "d": 0.5, "e": 0.0}, "q2": {"a": 2.0}, "q3": {"b": 7.0, "c": 7.0}},
    "e5": {"q1": {"b": 0.75, "f": 0.75, "a": 0.25, "g": 0.125}, "q2": {"a": 0.5, "b": 0.25}, "q3": {"d": 0.5}},
    "splade": {"q1": {"h": 9.0, "c": 4.0, "b": 0.0}, "q2": {"c": 1.0, "b": 0.5}, "q3": {"b": 1.0, "a": 0.25}},
}
MISSING: Lists = {  # no ties within a list, and no scores of 0, which an inner product cannot tell from no score
    "bm25": {"q1": {"a": 3.0, "b": 2.5, "c": 1.5, "d": 0.5}, "q2": {"a": 2.0}, "q3": {"b": 7.0, "c": 6.0}},
    "e5": {"q1": {"f": 0.75, "b": 0.5, "a": 0.25, "g": 0.125}, "q2": {"a": 0.5, "b": 0.25}, "q3": {"d": 0.5}},
    "splade": {"q1": {"h": 9.0, "c": 4.0, "b": 0.5}, "q2": {"c": 1.0, "b": 0.5}, "q3": {"b": 1.0, "a": 0.25}},
}
NEGATIVE: Lists = {  # as cross-encoders and log-likelihoods score
    "bm25": {"q1": {"a": 3.0, "b": 2.0, "c": 1.5}, "q2": {"a": 2.0, "c": 1.0}},
    "monot5": {"q1": {"b": -0.25, "a": -0.5, "d": -3.0}, "q2": {"c": -1.0, "b": -2.0, "a": 0.5}},
}


@dataclass(frozen=True)
class Agreement:
    """How alike an engine and `rankmax rank` are, over many queries.

    Attributes
    ----------
    n_rankings : int
        Queries times combinations of systems.
    n_same : int
        Of which the first ten documents are the same, in the same order.
    n_tied : int
        Of which they are the same but for documents whose scores are equal, up to the engine's precision.
    largest_difference : float
        Between the scores of an engine and those of the model, as a share of the query's highest score, where the
        engine's are a multiple of the model's.
    """

    n_rankings: int
    n_same: int
    n_tied: int
    largest_difference: float

    def __add__(self, other: Agreement) -> Agreement:
        difference = max(self.largest_difference, other.largest_difference)
        counts = (self.n_rankings + other.n_rankings, self.n_same + other.n_same, self.n_tied + other.n_tied)
        return Agreement(*counts, difference)

    @property
    def is_whole(self) -> bool:
        """Whether every ranking is the same, equal scores aside."""
        return self.n_same + self.n_tied == self.n_rankings


NOTHING = Agreement(0, 0, 0, 0.0)


def deep_learning_lists(folder: Path, n_queries: int | None = None) -> Lists:
    """Return the runs of TREC 2019 Deep Learning, of all queries or the first few, by name of system.

    Engines order equal scores of a list as they like, which decides ranks: these are set apart, by the least that
    single precision can tell.
    """
    lists: Lists = {}
    for path in sorted(folder.glob("*.run.gz")):
        found = read_run(path).to_dict()
        queries = sorted(found)[:n_queries]
        lists[path.name.split(".")[0]] = {query: _first(found[query], DEPTH) for query in queries}
    return lists


def pairs_and_triples(systems: Sequence[str], most: int = 3) -> Iterator[tuple[str, ...]]:
    for size in range(2, most + 1):
        yield from combinations(sorted(systems), size)


def check_ranks_as_the_model_does(
    search: Search,
    lists: Lists,
    target: str,
    normalization: Normalization,
    *,
    equal: bool = False,
    precision: float,
) -> Agreement:
    """Export a model of these systems, let the engine fuse, and compare its first ten documents with the model's.

    Parameters
    ----------
    search : callable
    lists : mapping
    target : str
        Name of the export target.
    normalization : Normalization
    equal : bool
        Whether the weights are equal, for fusions without any.
    precision : float
        Difference of scores, as a share of the highest, up to which the engine cannot tell documents apart.
    """
    systems = tuple(lists)
    provenance = Provenance(parameters={"depth": DEPTH})
    weights = (EQUAL if equal else WEIGHTS)[len(systems)]
    model = LinearModel(weights, systems, normalization, provenance=provenance)
    kinds = _ROLES.get(target) or [_KINDS.get(name, "sparse") for name in systems]
    templates = {
        name: SystemTemplate(field=name, kind=kind, sql=RUN_IN_SQL.format(name))
        for name, kind in zip(systems, kinds, strict=True)
    }
    text = export_model(model, target, Destination(templates=templates)).text
    fused = fuse_runs(model, {name: Run.from_dict(found) for name, found in lists.items()}).to_dict()
    total = NOTHING
    for query, expected in fused.items():
        total += _compared(search(text, query), expected, precision)
    return total


def _compared(found: Ranking, expected: dict[str, float], precision: float) -> Agreement:
    ours = sorted(expected, key=lambda d: (expected[d], d.encode()), reverse=True)[:TOP]
    theirs = [document for document, _ in found][:TOP]
    if len(theirs) != len(ours) or len(set(theirs)) != len(theirs):
        return Agreement(1, 0, 0, np.inf)
    most = max(map(abs, expected.values())) or 1.0
    gaps = [abs(expected[a] - expected.get(b, np.inf)) / most for a, b in zip(ours, theirs, strict=True)]
    same, alike = ours == theirs, max(gaps, default=0.0) <= precision
    return Agreement(1, int(same), int(alike and not same), _difference(found[:TOP], expected) if alike else np.inf)


def _difference(found: Ranking, expected: dict[str, float]) -> float:
    """Return the largest difference of scores, once the engine's are scaled by a common factor."""
    theirs = np.array([score for _, score in found])
    ours = np.array([expected[document] for document, _ in found])
    if np.isnan(theirs).all():  # the engine tells no scores
        return 0.0
    scale = float(ours @ theirs) / (float(theirs @ theirs) or 1.0)
    return float(np.abs(scale * theirs - ours).max() / (np.abs(ours).max() or 1.0))


def _first(scores: dict[str, float], depth: int) -> dict[str, float]:
    best = sorted(scores, key=lambda d: (scores[d], d.encode()), reverse=True)[:depth]
    apart: dict[str, float] = {}
    last = np.float32(np.inf)
    for document in best:
        last = min(np.float32(scores[document]), np.nextafter(last, np.float32(-np.inf)))
        apart[document] = float(last)
    return apart


RUN_IN_SQL = "SELECT document, score FROM runs WHERE system = '{}' AND query = $1"
"""What a database is told to retrieve."""
_KINDS: dict[str, Any] = {"bm25": "lexical", "rm3": "lexical", "e5": "dense", "colbert": "dense", "splade": "sparse"}
_ROLES: dict[str, tuple[Any, ...]] = {"lancedb": ("lexical", "dense")}
"""What an engine that fuses one list of each kind is told that its lists are, whichever systems made them."""
