"""Explanations of rankings that differ from the model's: what the runs predict if an engine errs in a known way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations

import numpy as np

from rankmax.data.runs import Run
from rankmax.engines.export_text import listed
from rankmax.errors import RankmaxError
from rankmax.fusion.engine_normalizations import spoken
from rankmax.models import LinearModel
from rankmax.models.ranking_model import fuse_runs
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.registry import NORMALIZATIONS
from rankmax.preprocessing.run_normalization import ReciprocalRank

Scores = dict[str, dict[str, float]]
"""Scores by query and document."""

_WINDOWS = (1, 2, 3, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 250, 300, 400, 500, 750, 1000)
_MOST_PERMUTED = 4  # systems; of more, only pairs are swapped
_CONSTANTS = (60.0, 1.0, 2.0)  # of reciprocal rank fusion in engines


@dataclass(frozen=True)
class Hypothesis:
    """A mistake that an engine may make.

    Attributes
    ----------
    kind : str
        Name of the kind of mistake, for programs.
    text : str
        What the engine does, in words.
    predict : callable
        Returns the scores that the engine then gives.
    """

    kind: str
    text: str
    predict: Callable[[], Scores]


def used_part(model: LinearModel) -> LinearModel:
    """Return the model without the systems of weight 0, which exports leave out of the search.

    Parameters
    ----------
    model : LinearModel

    Examples
    --------
    >>> used_part(LinearModel([0.5, 0.0], ("bm25", "e5"))).feature_names
    ('bm25',)
    """
    used = np.flatnonzero(model.weights)
    return replace(model, weights=model.weights[used], feature_names=tuple(model.feature_names[j] for j in used))


def hypotheses(
    model: LinearModel, runs: Mapping[str, Run], depth: int, likely: Sequence[Normalization] = ()
) -> Iterator[Hypothesis]:
    """Yield the mistakes to consider, the simplest first.

    Parameters
    ----------
    model : LinearModel
        The fusion that the engine shall do, without systems of weight 0.
    runs : mapping of str to Run
    depth : int
        Number of documents of each system to fuse.
    likely : sequence of Normalization
        Normalizations that the engine has, which are considered first.
    """
    others = _others(model.normalization, likely)
    names, weights = model.feature_names, model.weights
    equal = replace(model, weights=np.ones(len(names)))
    if np.ptp(weights) > 0:
        yield _by_model("ignored weights", "the weights are ignored: all count the same", equal, runs)
    for text, order in _orders(names, weights):
        yield _by_model("swapped weights", text, replace(model, weights=order), runs)
    for j, name in enumerate(names) if len(names) > 1 else ():
        alone = LinearModel(weights[j : j + 1], (name,), model.normalization)
        yield _by_model("single retriever", f"only {name} counts", alone, runs)
    for normalization in others:
        said = f"the scores are normalized otherwise: {spoken(normalization)} in place of {spoken(model.normalization)}"
        yield _by_model("other normalization", said, replace(model, normalization=normalization), runs)
    for window in sorted((w for w in _WINDOWS if w < min(depth, longest(runs))), reverse=True):
        yield of_window(model, runs, depth, window)
    for normalization in others if np.ptp(weights) > 0 else ():
        said = f"the weights are ignored, and scores normalized otherwise: {spoken(normalization)}"
        yield _by_model("ignored weights", said, replace(equal, normalization=normalization), runs)


def predicted(model: LinearModel, runs: Mapping[str, Run]) -> Scores:
    """Return the scores that a model gives the documents of runs.

    Ranks are those of the engine, which orders equal scores in its own way: the order in which runs have them.

    Parameters
    ----------
    model : LinearModel
    runs : mapping of str to Run
    """
    if isinstance(model.normalization, ReciprocalRank):
        runs = {name: _without_ties(run) for name, run in runs.items()}
    return fuse_runs(model, runs).to_dict()


def _without_ties(run: Run) -> Run:
    """Return the run with scores that tell ranks alone."""
    order = np.lexsort((-run.scores, run.query_of_document))  # stable
    scores = np.empty(order.size)
    scores[order] = np.arange(order.size, 0, -1)
    return replace(run, scores=scores)


def _by_model(kind: str, text: str, model: LinearModel, runs: Mapping[str, Run]) -> Hypothesis:
    return Hypothesis(kind, text, lambda: predicted(model, runs))


def longest(runs: Mapping[str, Run]) -> int:
    """Return the largest number of documents that any run has for a query.

    Parameters
    ----------
    runs : mapping of str to Run
    """
    return max(int(np.diff(run.query_offsets).max(initial=0)) for run in runs.values())


def of_window(model: LinearModel, runs: Mapping[str, Run], depth: int, window: int) -> Hypothesis:
    """Return the mistake of fusing fewer documents of each retriever.

    Parameters
    ----------
    model : LinearModel
    runs : mapping of str to Run
    depth : int
        Number of documents that shall be fused.
    window : int
        Number of documents that are.
    """
    said = f"only the {window} best documents of each retriever are fused, not {depth}"
    return Hypothesis(
        "smaller window", said, lambda: predicted(model, {name: _first(run, window) for name, run in runs.items()})
    )


def _first(run: Run, n: int) -> Run:
    """Return the n best documents of each query."""
    order = np.lexsort((-run.scores, run.query_of_document))  # stable
    rank = np.arange(order.size) - run.query_offsets[run.query_of_document[order]]
    kept = order[rank < n]
    counts = np.bincount(run.query_of_document[kept], minlength=run.n_queries)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return replace(run, query_offsets=offsets, document_ids=run.document_ids.take(kept), scores=run.scores[kept])


def _orders(names: tuple[str, ...], weights: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Yield other orders of the weights, swaps of two first."""
    seen = {tuple(weights.tolist())}
    for i, j in combinations(range(len(names)), 2):
        swapped = weights.copy()
        swapped[[i, j]] = weights[[j, i]]
        if tuple(swapped.tolist()) not in seen:
            seen.add(tuple(swapped.tolist()))
            yield f"the weights of {names[i]} and {names[j]} are swapped", swapped
    for order in permutations(range(len(names))) if len(names) <= _MOST_PERMUTED else ():
        permuted = weights[list(order)]
        if tuple(permuted.tolist()) not in seen:
            seen.add(tuple(permuted.tolist()))
            took = [f"{name} has that of {names[other]}" for name, other in zip(names, order, strict=True)]
            yield f"the weights are in another order: {listed(took)}", permuted


def _others(own: Normalization, likely: Sequence[Normalization]) -> list[Normalization]:
    known = [ReciprocalRank(k) for k in _CONSTANTS] + [kind() for kind in NORMALIZATIONS.load_all().values()]
    return [one for one in dict.fromkeys([*likely, *known]) if one != own]


def fitting(hypothesis: Hypothesis, fits: Callable[[Scores], int]) -> int:
    """Return how many queries a hypothesis explains; none where its scores cannot be computed.

    Parameters
    ----------
    hypothesis : Hypothesis
    fits : callable
        Counts the queries that scores explain.
    """
    try:
        return fits(hypothesis.predict())
    except (RankmaxError, FloatingPointError):
        return 0
