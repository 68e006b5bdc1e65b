"""Nested cross-validation: held-out metrics of the candidates and of the selection among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I64, Bool
from rankmax.data.splits import k_folds
from rankmax.fusion.candidates import Candidate, LearnedWeights, WeightedFusion
from rankmax.fusion.decision import choose
from rankmax.fusion.varying_weights import Varying

LEARNED, PICK = "learned", "pick"
"""The family of learned weights, and the family of all eligible candidates."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Metrics on held-out queries, which took no part in any decision.

    Attributes
    ----------
    by_candidate : array, shape (n_candidates, n_metrics, n_queries)
        Metrics of each candidate, fitted to the queries of the other folds; averaged over repeats.
    by_family : dict of str to array, shape (n_metrics, n_queries)
        Metrics of the candidate that an inner cross-validation, within those queries, selects from a family; averaged
        over repeats. :data:`PICK` is the family of all eligible candidates.
    selected : dict of str to dict of str to int
        How often each candidate was selected, by family.
    """

    by_candidate: F64
    by_family: dict[str, F64]
    selected: dict[str, dict[str, int]]


def cross_validate(
    candidates: Sequence[Candidate],
    n_queries: int,
    *,
    n_folds: int,
    n_repeats: int,
    n_inner_folds: int = 5,
    seed: int = 0,
    meets: Callable[[WeightedFusion, I64], bool] | None = None,
    varying: Varying | None = None,
    tick: Callable[[], None] = lambda: None,
) -> HeldOut:
    """Evaluate the candidates, and the selection among them, on held-out queries.

    Parameters
    ----------
    candidates : sequence of Candidate
    n_queries : int
    n_folds, n_repeats, n_inner_folds : int
    seed : int
        Random seed of the first assignment of queries to folds.
    meets : callable, optional
        Takes a fusion and the queries that it was fitted to; returns whether it may be selected.
    varying : Varying, optional
        Query-dependent weights, under the normalization selected for learned weights; a family of their own.
    tick : callable
        Called after each fold.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.fusion.signals import signals_of_features
    >>> from rankmax.fusion.standard_candidates import fusion_candidates
    >>> from rankmax.metrics import AP
    >>> signals = signals_of_features(planted_linear(20, 10, 2, seed=1).data)
    >>> candidates = fusion_candidates(signals, [AP()])
    >>> held_out = cross_validate(candidates, 20, n_folds=4, n_repeats=1)
    >>> held_out.by_candidate.shape == (len(candidates), 1, 20), sum(held_out.selected["pick"].values())
    (True, 4)
    """
    families = families_of(candidates)
    n_metrics = len(candidates[0].fit([np.arange(n_queries)])[0].values)
    by_candidate = np.zeros((len(candidates), n_metrics, n_queries))
    by_family = {name: np.zeros((n_metrics, n_queries)) for name in families}
    selected: dict[str, Counter[str]] = {name: Counter() for name in families}
    for repeat in range(n_repeats):
        for fold in k_folds(n_queries, n_folds, seed=seed + repeat):
            inner = k_folds(fold.train.size, min(n_inner_folds, fold.train.size), seed=seed)
            sets = [fold.train, *(fold.train[one.train] for one in inner)]
            outside = fold.test if meets is None else np.arange(n_queries)
            measured = [outside, *(fold.train[one.test] for one in inner)]
            values, inside = [], np.empty((len(candidates), fold.train.size))
            allowed = np.ones(len(candidates), np.bool_)
            for i, candidate in enumerate(candidates):
                fusion, *others = candidate.fit(sets, measured)
                values.append(fusion.values[:, fold.test])
                allowed[i] = meets is None or meets(fusion, fold.train)
                for one, other in zip(inner, others, strict=True):
                    inside[i, one.test] = other.values[0, fold.train[one.test]]
                by_candidate[i][:, fold.test] += values[i] / n_repeats
            for name, members in families.items():
                i = select(candidates, inside, members, allowed)
                by_family[name][:, fold.test] += values[i] / n_repeats
                selected[name][candidates[i].label] += 1
                if varying is not None and name == LEARNED and isinstance(fixed := candidates[i], LearnedWeights):
                    apart = by_family.setdefault(varying.name, np.zeros((n_metrics, n_queries)))
                    apart[:, fold.test] += varying.fit(fold.train, fixed).values[:, fold.test] / n_repeats
            tick()
    return HeldOut(by_candidate, by_family, {name: dict(count.most_common()) for name, count in selected.items()})


def families_of(candidates: Sequence[Candidate]) -> dict[str, list[int]]:
    """Return the members of each family, and of :data:`PICK`.

    Parameters
    ----------
    candidates : sequence of Candidate
    """
    families: dict[str, list[int]] = {PICK: [i for i, one in enumerate(candidates) if one.eligible]}
    for i, candidate in enumerate(candidates):
        families.setdefault(candidate.family, []).append(i)
    return families


def select(
    candidates: Sequence[Candidate], values: F64, members: Sequence[int], allowed: Sequence[bool] | Bool | None = None
) -> int:
    """Return the member that is expected to do best on new queries.

    Parameters
    ----------
    candidates : sequence of Candidate
    values : array, shape (n_candidates, n_queries)
        Metric values on queries held out from fitting.
    members : sequence of int
        Indices of the candidates to choose from.
    allowed : sequence of bool, optional
        Whether each candidate may be selected; where no member may, those with learned weights are taken, which come
        nearest.
    """
    kept = [i for i in members if allowed is None or allowed[i]]
    if not kept:
        kept = [i for i in members if isinstance(candidates[i], LearnedWeights)] or list(members)
    priors = [candidates[i].prior for i in kept]
    reference = max(range(len(kept)), key=lambda i: priors[i].effect)  # the first of equals
    return kept[choose(values[kept], priors, reference=reference)]
