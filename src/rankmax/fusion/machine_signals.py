"""Signals judged by people for few queries and by a machine for many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rankmax._arrays import F64, Bool
from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import judged_again
from rankmax.data.judgments import Judgments
from rankmax.data.mixed_judgments import MixedJudgments
from rankmax.data.runs import Qrels, Run
from rankmax.errors import IncompatibleError
from rankmax.evaluation.machine_judgments import favor_messages, machine_favors, pooled_worth, values_of_all
from rankmax.evaluation.prediction_powered import coefficients, emphasis, prediction_powered, shrunken_weight
from rankmax.fusion.candidates import weighted_sum
from rankmax.fusion.signals import MachineJudgments, Signals, signals_of_runs
from rankmax.fusion.weight_search import MOST_WEIGHTS
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric
from rankmax.preprocessing.run_normalization import ReciprocalRank


def signals_with_machine(
    runs: Mapping[str, Run], human: Qrels, machine: Qrels, metric: Metric
) -> tuple[Signals, list[str]]:
    """Return signals whose queries have prediction-powered values, and warnings of a biased machine.

    The machine's weight minimizes the variance of what more weight for one system gains, because that is
    what tuning decides by; a machine tells it less well than which of two systems is better. A machine that does not
    help gets no weight: then only queries judged by people count.

    Parameters
    ----------
    runs : mapping of str to Run
        Up to six.
    human, machine : Qrels
        The machine judges all queries that people judged, and further ones.
    metric : Metric
        Metric to weigh the machine by.

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> queries = [f"q{i}" for i in range(40)]
    >>> bm25 = Run.from_dict({q: {"d1": 2.0, "d2": 1.0} for q in queries})
    >>> dense = Run.from_dict({q: {"d1": 1.0, "d2": 2.0} for q in queries})
    >>> truth = {q: {"d1": int(i % 3 == 0), "d2": int(i % 3 > 0)} for i, q in enumerate(queries)}
    >>> human = Qrels.from_dict({q: truth[q] for q in queries[:10]})
    >>> signals, _ = signals_with_machine({"bm25": bm25, "dense": dense}, human, Qrels.from_dict(truth), RR())
    >>> signals.machine.n_human, signals.machine.n_machine, round(signals.machine.weight, 2)
    (10, 30, 0.78)
    """
    if len(runs) > MOST_WEIGHTS:
        raise IncompatibleError(f"machine judgments work for up to {MOST_WEIGHTS} systems, not for {len(runs)}")
    values_of_all(human.query_ids, np.empty(human.n_queries), machine.query_ids)  # raises where the machine lacks some
    signals = signals_of_runs(runs, machine)
    judged = set(human.query_ids)
    by_people = np.array([query in judged for query in signals.data.query_ids])
    own = signals.own_lists or {}
    second = {name: judged_again(judgments, human) for name, (_, judgments) in own.items()}
    alone = {
        name: (signals.alone(name, [metric])[0], evaluate_metrics([metric], own[name][0], second[name])[0])
        for name in own
    }
    favors = machine_favors(
        {name: np.where(by_people, values, np.nan) for name, (_, values) in alone.items()},
        {name: values for name, (values, _) in alone.items()},
    )
    by_human = judged_again(signals.data.judgments, human)
    contrasts = [_contrasts(replace(signals.data, judgments=one), metric) for one in (by_human, signals.data.judgments)]
    contrasts[0][:, ~by_people] = np.nan
    spread = np.nanstd(contrasts[0], axis=1)
    human_values, machine_values = (one[spread > 0] / spread[spread > 0, None] for one in contrasts)
    weight = shrunken_weight(human_values, machine_values) if len(human_values) else 0.0
    if weight == 0:
        useless = "machine judgments are left out: they do not distinguish these systems as people do"
        return signals_of_runs(runs, human), [useless]
    found = [prediction_powered(h, m, weight=weight) for h, m in zip(human_values, machine_values, strict=True)]
    use = MachineJudgments(int(by_people.sum()), int((~by_people).sum()), weight, pooled_worth(found))
    lists = {
        name: (scores, _mixed(judgments, second[name], by_people, weight)) for name, (scores, judgments) in own.items()
    }
    mixed = _mixed(signals.data.judgments, by_human, by_people, weight)
    powered = replace(signals, data=replace(signals.data, judgments=mixed), own_lists=lists, machine=use)
    return powered, favor_messages(favors, metric.name)


def _contrasts(data: RankingDataset, metric: Metric) -> F64:
    """Return what doubling the weight of each system in reciprocal rank fusion changes, by system and query."""
    n = data.n_features
    equal, *tilted = (
        weighted_sum(data, ReciprocalRank(), weights, [metric]).values[0]
        for weights in (np.full(n, 1 / n), *((1 + np.eye(n)) / (n + 1)))
    )
    gains: F64 = np.array(tilted) - equal
    return gains


def _mixed(machine: Judgments, human: Judgments, by_people: Bool, weight: float) -> MixedJudgments:
    rows: F64 = np.stack(coefficients(by_people, weight))
    return MixedJudgments.of(machine, [human, machine], rows, emphasis(by_people))
