"""Tuning of a hybrid search's weights: candidates, their held-out values, and the verdict on the best of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._numerics.tolerance import SAME_VALUE
from rankmax.data.mixed_judgments import MixedJudgments
from rankmax.errors import IncompatibleError, InvalidDataError, InvalidParameterError, counted
from rankmax.evaluation.bootstrap import bootstrap_interval
from rankmax.fusion.candidates import Candidate, LearnedWeights, WeightedFusion
from rankmax.fusion.constraint import Constraint
from rankmax.fusion.decision import Prior, Verdict, weigh
from rankmax.fusion.linear_query_weights import PRIOR, QueryWeights, QueryWeightsFusion
from rankmax.fusion.nested_cross_validation import LEARNED, PICK, HeldOut, cross_validate, families_of, select
from rankmax.fusion.signals import Signals
from rankmax.fusion.standard_candidates import BEST_SINGLE, FAMILIES, fixed_candidates, learned_candidates
from rankmax.fusion.varying_weights import QueryColumn, Varying, VaryingFusion
from rankmax.fusion.weight_search import MOST_WEIGHTS
from rankmax.learners.tied_scores import all_tied, warn_of_ties
from rankmax.metrics.metric import Metric
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.qdrant_ranks import QdrantReciprocalRank
from rankmax.workflows.tuning.current import CURRENT, CurrentFusion, current_fusion
from rankmax.workflows.tuning.tuning_result import Row, SystemTuning

_FEWEST_QUERIES = 4
_VARYING_PRIOR = Prior(0.0, 100.0)  # of query-dependent weights, relative to fixed ones


def tune_systems(
    signals: Signals,
    metrics: Sequence[Metric],
    *,
    current: str | LinearModel | None = None,
    normalizations: Sequence[Normalization] | None = None,
    constraint: Constraint | None = None,
    by: QueryColumn | QueryWeights | None = None,
    n_folds: int = 5,
    n_repeats: int | None = None,
    seed: int = 0,
    tick: Callable[[], None] = lambda: None,
) -> SystemTuning:
    """Select the best fusion of several systems, and compare it with the current one on held-out queries.

    Queries are split into folds, several times over. Every candidate is fitted to the queries of the other folds and
    evaluated on each fold. The pick is the candidate with the highest expected value over all repeats
    (:mod:`rankmax.fusion.decision`). The selection itself is evaluated by an inner cross-validation within those
    queries, so a query's own judgments never enter its value.

    Parameters
    ----------
    signals : Signals
    metrics : sequence of Metric
        The first is maximized; the others are reported.
    current : str or LinearModel, optional
        The fusion in use today; see :func:`rankmax.workflows.tuning.current.current_fusion`.
    normalizations : sequence of Normalization, optional
        Normalizations to select from; see :func:`rankmax.fusion.engine_normalizations.usual_normalizations`.
    constraint : Constraint, optional
        Constraint that the pick must satisfy on its training queries; for up to six systems.
    by : QueryColumn or QueryWeights, optional
        Property of the signals' queries, in their order, or their query features; weights that depend on it are
        learned too.
    n_folds : int
        Number of folds, at least 2 and at most the number of queries.
    n_repeats : int, optional
        Number of times that the queries are split; by default 5, or 1 for more than six systems, which take longer.
    seed : int
    tick : callable
        Called after each fold.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.fusion.signals import signals_of_features
    >>> from rankmax.metrics import AP
    >>> data = planted_linear(40, 10, 2, noise=0.3, seed=1).data
    >>> tuning = tune_systems(signals_of_features(data), [AP()], n_repeats=1)
    >>> [row.name for row in tuning.rows]
    ['pick', 'CombSUM', 'learned', 'weighted RRF', 'RRF', 'equal weights', 'f1', 'f2']
    >>> tuning.recommended.weights.round(1), tuning.verdict.word
    (array([0.2, 0.8]), 'probably better')
    """
    if constraint is not None and constraint.metric not in metrics:
        metrics = [*metrics, constraint.metric]
    n_queries, n_systems = signals.data.n_queries, len(signals.names)
    _check(signals, metrics, n_folds, n_repeats)
    if by is not None and normalizations is not None:  # weights that depend on the query are those of a sum
        normalizations = [one for one in normalizations if not isinstance(one, QdrantReciprocalRank)]
    few = n_systems <= MOST_WEIGHTS
    n_repeats = n_repeats or (5 if few else 1)
    n_folds = min(n_folds, n_queries)
    fixed = fixed_candidates(signals, metrics, normalizations)
    today = current_fusion(current, signals, metrics, fixed, normalizations or ())
    if today.candidate.family == CURRENT:
        fixed.append(today.candidate)
    if constraint is not None:
        second = list(metrics).index(constraint.metric)
        constraint = constraint.resolved(float(today.candidate.fusion.values[second].mean()))
    learning = learned_candidates(signals, metrics, normalizations, constraint=constraint, seed=seed)
    candidates: list[Candidate] = [*learning, *fixed]
    if isinstance(by, QueryWeights) and (constraint is not None or signals.machine is not None):
        with_what = "a constraint" if constraint is not None else "machine judgments"
        raise IncompatibleError(f"weights by auto cannot be learned with {with_what}: leave one of the two out")
    varying = Varying(by, metrics) if isinstance(by, QueryColumn) else by
    meets = None if constraint is None else _keeping(constraint, metrics)
    mixed = judgments if isinstance(judgments := signals.data.judgments, MixedJudgments) else None
    emphasis = None if mixed is None else mixed.emphasis
    held_out = cross_validate(
        candidates,
        n_queries,
        n_folds=n_folds,
        n_repeats=n_repeats,
        n_inner_folds=5 if few else 3,
        seed=seed,
        meets=meets,
        varying=varying,
        information=signals.information,
        groups=None if mixed is None else mixed.groups,
        query_weights=emphasis,
        tick=tick,
    )
    everything = np.arange(n_queries)
    finals = _Finals(candidates, held_out, everything, meets, signals.information, emphasis)
    rows = _rows(finals, held_out, today, seed)
    pick = finals.best(PICK)
    learned = pick if isinstance(pick, LearnedWeights) else finals.best(LEARNED)
    assert isinstance(learned, LearnedWeights)
    chosen = finals.fusion(PICK)
    normalized = chosen.normalization.with_weights(chosen.weights).apply(signals.data)
    if all_tied(normalized.scores(chosen.weights), signals.data.query_offsets):
        warn_of_ties(pick.label, chosen.weights, "check that the systems' scores differ within queries")
    varied = None if varying is None else varying.fit(everything, learned)
    return SystemTuning(
        metrics=tuple(metrics),
        signals=signals,
        rows=rows,
        current=today,
        learned=learned,
        selected=held_out.selected,
        verdict=_verdict(rows, pick, today, signals.information),
        n_folds=n_folds,
        n_repeats=n_repeats,
        seed=seed,
        constraint=constraint,
        by=by,
        varying=varied,
        varying_verdict=(
            None
            if varying is None or varied is None
            else _varying_verdict(held_out, varying, varied, signals.information, seed)
        ),
        varying_values=None if varying is None else held_out.by_family[varying.name],
    )


class _Finals:
    """The candidate of each family that all repeats together select, fitted to all queries."""

    def __init__(
        self,
        candidates: Sequence[Candidate],
        held_out: HeldOut,
        queries: I64,
        meets: Callable[[WeightedFusion, I64], bool] | None,
        information: float,
        query_weights: F64 | None,
    ) -> None:
        self.candidates = candidates
        self._fusions = [one.fit([queries])[0] for one in candidates]
        allowed = None if meets is None else [meets(fusion, queries) for fusion in self._fusions]
        self.families = families_of(candidates)
        self._best = {
            name: select(
                candidates,
                held_out.by_candidate[:, 0],
                members,
                allowed,
                information=information,
                query_weights=query_weights,
            )
            for name, members in self.families.items()
        }

    def best(self, family: str) -> Candidate:
        return self.candidates[self._best[family]]

    def fusion(self, family: str) -> WeightedFusion:
        return self._fusions[self._best[family]]


def _rows(finals: _Finals, held_out: HeldOut, today: CurrentFusion, seed: int) -> tuple[Row, ...]:
    """Return the rows of the pick, the current fusion and all others, each compared with the current one."""
    now = today.candidate.fusion
    own = today.candidate.family
    if own in finals.families and len(finals.families[own]) > 1:  # one of the best single systems
        own = today.label
    others = [name for name in finals.families if name not in (PICK, own)]
    values = {PICK: held_out.by_family[PICK], own: now.values}
    values |= {name: held_out.by_family[name] for name in others}
    low, high = bootstrap_interval([each[0] for each in values.values()], seed=seed)
    differences = np.array([each[0] - now.values[0] for each in values.values()])
    apart = bootstrap_interval(differences, seed=seed)
    rows = []
    for i, (name, each) in enumerate(values.items()):
        rows.append(
            Row(
                name=name,
                label=today.label if name == own else finals.best(name).label,
                fusion=now if name == own else finals.fusion(name),
                values=each,
                interval=(float(low[i]), float(high[i])),
                gain=float(differences[i].mean()),
                gain_interval=(float(apart[0][i]), float(apart[1][i])),
                is_current=name == own,
            )
        )
    return tuple(rows)


def _verdict(rows: Sequence[Row], pick: Candidate, today: CurrentFusion, information: float) -> Verdict:
    first, now = rows[0], rows[1]
    prior = pick.prior.beside(today.candidate.prior)
    shares, others = (row.fusion.weights / np.abs(row.fusion.weights).sum() for row in (first, now))
    same = first.fusion.normalization == now.fusion.normalization and np.allclose(shares, others, atol=SAME_VALUE)
    gain = weigh(
        first.values[0] - now.values[0],
        prior,
        scale=float(now.values[0].std()),
        interval=first.gain_interval,
        information=information,
    )
    return Verdict(today.label if same else pick.label, today.label, gain)


def _varying_verdict(
    held_out: HeldOut,
    varying: Varying | QueryWeights,
    fitted: VaryingFusion | QueryWeightsFusion,
    information: float,
    seed: int,
) -> Verdict:
    fixed = held_out.by_family[LEARNED][0]
    differences = held_out.by_family[varying.name][0] - fixed
    low, high = bootstrap_interval(differences, seed=seed)
    gain = weigh(
        differences,
        PRIOR if isinstance(varying, QueryWeights) else _VARYING_PRIOR,
        scale=float(fixed.std()),
        interval=(float(low), float(high)),
        information=information,
    )
    fixed_after_all = isinstance(fitted, QueryWeightsFusion) and fitted.penalty is None
    return Verdict("fixed weights" if fixed_after_all else f"weights {varying.name}", "fixed weights", gain)


def _keeping(constraint: Constraint, metrics: Sequence[Metric]) -> Callable[[WeightedFusion, I64], bool]:
    second = list(metrics).index(constraint.metric)
    return lambda fusion, queries: bool(constraint.is_met_by(fusion.values[second, queries].mean()))


def _check(signals: Signals, metrics: Sequence[Metric], n_folds: int, n_repeats: int | None) -> None:
    n_queries = signals.data.n_queries
    if signals.counted_by(metrics) is not signals:
        raise InvalidDataError("the metrics leave queries out; take signals.counted_by(metrics)")
    if not (signals.data.grades > 0).any():
        raise InvalidDataError(
            "no document to be ranked is judged relevant (a grade above 0), so all weights do equally well: check "
            "that the judgments are of the same collection, with the same document ids"
        )
    taken = {name.casefold() for name in (PICK, CURRENT, BEST_SINGLE, *FAMILIES)}
    for name in signals.names:
        if name.casefold() in taken:
            raise InvalidDataError(f"a system cannot be called {name!r}, the name of a table row; say other_name=file")
    if len(signals.names) < 2:
        raise InvalidDataError(f"{signals.names[0]!r} is the only system; give at least two")
    if n_queries < _FEWEST_QUERIES:
        raise InvalidDataError(
            f"{counted(n_queries, 'judged query is', 'judged queries are')} too few to evaluate weights: "
            f"cross-validation needs at least {_FEWEST_QUERIES}, and a reliable answer some dozens; "
            "judge more queries"
        )
    if n_folds < 2:
        raise InvalidParameterError(f"n_folds is {n_folds}; expected at least 2")
    if n_repeats is not None and n_repeats < 1:
        raise InvalidParameterError(f"n_repeats is {n_repeats}; expected at least 1")
