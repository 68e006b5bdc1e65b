"""Nested cross-validation: held-out metrics of the candidates and of the selection among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankmax._arrays import F64, I64, Bool
from rankmax.data.splits import k_folds
from rankmax.fusion.candidates import Candidate, LearnedWeights, WeightedFusion
from rankmax.fusion.decision import choose
from rankmax.fusion.linear_query_weights import QueryWeights
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


class MeasuredFold(NamedTuple):
    """Metrics of all candidates on one fold, and inside its training queries.

    Attributes
    ----------
    train, test : arrays of int64
        Indices of the queries.
    inside : array, shape (n_candidates, n_train)
        First metric on the training queries, each held out in an inner cross-validation.
    values : array, shape (n_candidates, n_metrics, n_test)
        Metrics on the test queries, fitted to all training queries.
    allowed : array of bool, shape (n_candidates,)
        Whether each candidate may be selected.
    """

    train: I64
    test: I64
    inside: F64
    values: F64
    allowed: Bool


def cross_validate(
    candidates: Sequence[Candidate],
    n_queries: int,
    *,
    n_folds: int,
    n_repeats: int,
    n_inner_folds: int = 5,
    seed: int = 0,
    meets: Callable[[WeightedFusion, I64], bool] | None = None,
    varying: Varying | QueryWeights | None = None,
    information: float = 1.0,
    groups: I64 | None = None,
    query_weights: F64 | None = None,
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
    varying : Varying or QueryWeights, optional
        Query-dependent weights, under the normalization selected for learned weights; a family of their own.
    information : float
        Number of queries judged by people that one value is worth.
    groups : array of int64, shape (n_queries,), optional
        Group of each query, each of which is spread evenly over the folds.
    query_weights : array, shape (n_queries,), optional
        Weight of each query where a candidate is selected; by default 1.
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
    folds = measured_folds(
        candidates,
        n_queries,
        n_folds=n_folds,
        n_repeats=n_repeats,
        n_inner_folds=n_inner_folds,
        seed=seed,
        meets=meets,
        groups=groups,
    )
    return select_in_folds(
        candidates, folds, varying=varying, information=information, query_weights=query_weights, tick=tick
    )


def measured_folds(
    candidates: Sequence[Candidate],
    n_queries: int,
    *,
    n_folds: int,
    n_repeats: int,
    n_inner_folds: int = 5,
    seed: int = 0,
    meets: Callable[[WeightedFusion, I64], bool] | None = None,
    groups: I64 | None = None,
) -> Iterator[MeasuredFold]:
    """Yield the metrics of all candidates inside and outside the training queries of each fold.

    Parameters
    ----------
    candidates, n_queries, n_folds, n_repeats, n_inner_folds, seed, meets, groups
        See :func:`cross_validate`.
    """
    for repeat in range(n_repeats):
        for fold in k_folds(n_queries, n_folds, seed=seed + repeat, stratified=False if groups is None else groups):
            within = False if groups is None else groups[fold.train]
            inner = k_folds(fold.train.size, min(n_inner_folds, fold.train.size), seed=seed, stratified=within)
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
            yield MeasuredFold(fold.train, fold.test, inside, np.array(values), allowed)


def select_in_folds(
    candidates: Sequence[Candidate],
    folds: Iterable[MeasuredFold],
    *,
    varying: Varying | QueryWeights | None = None,
    information: float = 1.0,
    query_weights: F64 | None = None,
    tick: Callable[[], None] = lambda: None,
) -> HeldOut:
    """Select among the candidates within each fold, and collect what the selected ones do outside.

    Parameters
    ----------
    candidates, varying, information, query_weights, tick
        See :func:`cross_validate`.
    folds : iterable of MeasuredFold
    """
    families = families_of(candidates)
    parts: dict[str, list[F64]] = {name: [] for name in families}
    selected: dict[str, Counter[str]] = {name: Counter() for name in families}
    tested, of_all = [], []
    for fold in folds:
        tested.append(fold.test)
        of_all.append(fold.values)
        weights = None if query_weights is None else query_weights[fold.train]
        for name, members in families.items():
            i = select(candidates, fold.inside, members, fold.allowed, information=information, query_weights=weights)
            parts[name].append(fold.values[i])
            selected[name][candidates[i].label] += 1
            if varying is not None and name == LEARNED and isinstance(fixed := candidates[i], LearnedWeights):
                apart = varying.fit(fold.train, fixed).values[:, fold.test]
                parts.setdefault(varying.name, []).append(apart)
        tick()
    # each query is held out once per repeat
    order = np.argsort(np.concatenate(tested), kind="stable")
    n_repeats = order.size // np.unique(np.concatenate(tested)).size

    def averaged(values: list[F64]) -> F64:
        every = np.concatenate(values, axis=-1)[..., order]
        return np.ascontiguousarray(every.reshape(*every.shape[:-1], -1, n_repeats).mean(axis=-1))

    by_family = {name: averaged(values) for name, values in parts.items()}
    return HeldOut(averaged(of_all), by_family, {name: dict(count.most_common()) for name, count in selected.items()})


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
    candidates: Sequence[Candidate],
    values: F64,
    members: Sequence[int],
    allowed: Sequence[bool] | Bool | None = None,
    *,
    information: float = 1.0,
    query_weights: F64 | None = None,
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
    information : float
        Number of queries judged by people that one value is worth.
    query_weights : array, shape (n_queries,), optional
        Weight of each query's values; by default 1.
    """
    kept = [i for i in members if allowed is None or allowed[i]]
    if not kept:
        kept = [i for i in members if isinstance(candidates[i], LearnedWeights)] or list(members)
    priors = [candidates[i].prior for i in kept]
    reference = max(range(len(kept)), key=lambda i: priors[i].effect)  # the first of equals
    chosen = choose(values[kept], priors, reference=reference, information=information, query_weights=query_weights)
    return kept[chosen]
