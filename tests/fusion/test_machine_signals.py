"""Signals with machine judgments: values whose mean is the prediction-powered estimate of each fusion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankmax
from oracles.tuning_pages import content_of
from rankmax.data.judgments import Judgments
from rankmax.data.mixed_judgments import MixedJudgments
from rankmax.data.runs import Qrels
from rankmax.data.synthetic_runs import synthetic_runs
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.evaluation.prediction_powered import PRIOR_QUERIES, machine_weight, prediction_powered, shrunken_weight
from rankmax.fusion.candidates import weighted_sum
from rankmax.fusion.constraint import ConstrainedSearch, Constraint
from rankmax.fusion.machine_signals import signals_with_machine
from rankmax.fusion.signals import signals_of_runs
from rankmax.fusion.weight_search import LatticeSearch
from rankmax.metrics import P, nDCG
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.preprocessing.run_normalization import ReciprocalRank

METRIC = nDCG(cutoff=10)


@pytest.fixture(scope="module")
def problem() -> tuple[dict, Qrels, Qrels]:
    """Return runs, the qrels of 15 queries by people, and a machine's of all 60, every fifth grade wrong."""
    made = synthetic_runs(60, 30, seed=3)
    truth = made.qrels.to_dict()
    rng = np.random.default_rng(0)
    machine = {q: {d: g if rng.random() < 0.8 else 1 - min(g, 1) for d, g in row.items()} for q, row in truth.items()}
    human = {query: truth[query] for query in list(truth)[:15]}
    return made.runs, Qrels.from_dict(human), Qrels.from_dict(machine)


def test_values_average_to_the_estimate(problem: tuple[dict, Qrels, Qrels]) -> None:
    runs, human, machine = problem
    signals, _ = signals_with_machine(runs, human, machine, METRIC)
    assert signals.machine is not None
    weights = np.array([0.2, 0.3, 0.5])
    values = weighted_sum(signals.data, ReciprocalRank(), weights, [METRIC]).values[0]
    scored = {}
    for name, qrels in (("people", human), ("machine", machine)):
        plain = signals_of_runs(runs, qrels)
        scores = ReciprocalRank().apply(plain.data).scores(weights)
        scored[name] = dict(
            zip(plain.data.query_ids, evaluate_metrics([METRIC], scores, plain.data.judgments)[0], strict=True)
        )
    by_machine = np.array([scored["machine"][query] for query in signals.data.query_ids])
    by_people = np.array([scored["people"].get(query, np.nan) for query in signals.data.query_ids])
    found = prediction_powered(by_people, by_machine, weight=signals.machine.weight)
    assert values.mean() == pytest.approx(found.mean, abs=1e-12)


def test_one_system_alone_is_judged_on_its_own_list(problem: tuple[dict, Qrels, Qrels]) -> None:
    runs, human, machine = problem
    signals, _ = signals_with_machine(runs, human, machine, METRIC)
    both = rankmax.evaluate(human, runs, METRIC, machine_qrels=machine)
    assert signals.machine is not None
    for name in runs:
        estimate = both.with_machine[name][METRIC.name]
        powered = prediction_powered(
            np.array([both.per_query[name][METRIC.name].get(query, np.nan) for query in both.machine.query_ids]),
            np.array([both.machine.per_query[name][METRIC.name][query] for query in both.machine.query_ids]),
            weight=signals.machine.weight,
        )
        assert signals.alone(name, [METRIC]).mean() == pytest.approx(powered.mean, abs=1e-12)
        assert estimate.n_human == 15


def test_tuning_maximizes_and_reports_the_estimate(problem: tuple[dict, Qrels, Qrels]) -> None:
    runs, human, machine = problem
    tuning = rankmax.tune(runs, human, METRIC, machine_qrels=machine, repeats=1)
    assert tuning.result.signals.machine is not None
    assert any("15 queries judged by people, 45 more by a machine" in note for note in tuning.notes)
    search = tuning.result.search
    assert tuning.confidence.optimum.value >= search.table.mean(axis=1).max() - 1e-12
    assert tuning.confidence.bound >= tuning.confidence.optimum.value - 1e-9
    assert tuning.verdict.gain.n_queries == round(tuning.result.signals.machine.n_effective)


def test_a_useless_machine_is_left_out(problem: tuple[dict, Qrels, Qrels]) -> None:
    runs, human, machine = problem
    nothing = Qrels.from_dict({query: dict.fromkeys(row, 0) for query, row in machine.to_dict().items()})
    signals, warnings = signals_with_machine(runs, human, nothing, METRIC)
    assert signals.data.n_queries == 15
    assert warnings == ["machine judgments are left out: they do not distinguish these systems as people do"]


def test_unusable_input(problem: tuple[dict, Qrels, Qrels]) -> None:
    runs, human, machine = problem
    with pytest.raises(InvalidDataError, match="lack machine judgments"):
        signals_with_machine(runs, human, Qrels.from_dict({"other": {"d1": 1}}), METRIC)
    with pytest.raises(IncompatibleError, match="up to 6 systems, not for 7"):
        signals_with_machine({str(i): next(iter(runs.values())) for i in range(7)}, human, machine, METRIC)
    with pytest.raises(IncompatibleError, match="give the qrels by people"):
        rankmax.tune(runs, None, METRIC, machine_qrels=machine)


def test_every_verdict_of_a_tuning_counts_what_the_judgments_are_worth(problem: tuple[dict, Qrels, Qrels]) -> None:
    runs, human, machine = problem
    kinds = {query: "odd" if q % 2 else "even" for q, query in enumerate(machine.query_ids)}
    found = rankmax.tune(runs, human, METRIC, machine_qrels=machine, topics=kinds, by="kind", folds=2).to_dict()
    told = found["machine"]
    assert (told["human_queries"], told["machine_queries"], 0 < told["machine_weight"] <= 1) == (15, 60, True)
    worth = round(15 + told["worth"])
    assert 15 <= worth < 60
    assert f" {worth} new queries" in found["verdict"]["text"]
    assert f" {worth} new queries" in found["varying"]["verdict"]["text"]


@pytest.mark.parametrize("verb", ["evaluate", "compare", "tune"])
def test_a_machine_that_judged_no_further_query_is_refused(problem: tuple[dict, Qrels, Qrels], verb: str) -> None:
    runs, human, _ = problem
    files = (runs, human) if verb == "tune" else (human, runs)
    with pytest.raises(InvalidDataError, match="the 15 queries that people judged, and no other"):
        getattr(rankmax, verb)(*files, METRIC, machine_qrels=human)


def test_a_report_tells_of_the_machine_and_of_its_favorites(tmp_path: Path) -> None:
    made = synthetic_runs(40, 30, seed=3)
    truth, favorite = made.qrels.to_dict(), next(iter(made.runs))
    liked = made.runs[favorite].to_dict()
    machine = {query: row | dict.fromkeys(list(liked[query])[:6], 1) for query, row in truth.items()}
    human = {query: truth[query] for query in list(truth)[:20]}
    tuning = rankmax.tune(made.runs, human, METRIC, machine_qrels=machine, folds=2, repeats=1)
    tuning.report(tmp_path / "tuning.html")
    shown = content_of((tmp_path / "tuning.html").read_text())["notes"]
    assert any(note.startswith(f"the machine favors {favorite}: ") for note in shown)
    assert any(note.startswith("20 queries judged by people, 20 more by a machine: ") for note in shown)


def test_learning_trusts_the_machine_as_if_further_queries_had_shown_no_favor(
    problem: tuple[dict, Qrels, Qrels],
) -> None:
    """Weights maximize the machine's mean plus n / (n + 20) of the correction; values have the whole of it."""
    runs, human, machine = problem
    signals, _ = signals_with_machine(runs, human, machine, METRIC)
    search = LatticeSearch(ReciprocalRank().apply(signals.data), [METRIC])
    judgments = signals.data.judgments
    assert isinstance(judgments, MixedJudgments)
    by_people = judgments.coefficients[0] > 0
    n, share = int(by_people.sum()), judgments.coefficients[1][~by_people][0]
    by_human, by_machine = (evaluated(search, source) for source in judgments.sources)
    n_queries = by_people.size
    correction = by_human[:, by_people] * n_queries - share * by_machine[:, by_people] * (n_queries - n)
    totals = share * by_machine[:, ~by_people].sum(axis=1) + n / (n + PRIOR_QUERIES) * correction.mean(axis=1)
    counts = search._counts(np.arange(n_queries), 4000, 0)  # their mean is what a sample without noise has
    assert counts.mean(axis=0) == pytest.approx(judgments.emphasis, abs=0.1)
    assert search.table @ judgments.emphasis == pytest.approx(totals, abs=1e-9)
    assert search.table.mean(axis=1) == pytest.approx(
        (share * by_machine[:, ~by_people].sum(axis=1) + correction.mean(axis=1)) / n_queries, abs=1e-9
    )


def evaluated(search: LatticeSearch, judgments: Judgments) -> np.ndarray:
    return np.array([evaluate_metrics([METRIC], search.scores(w), judgments)[0] for w in search.points])


def test_a_machine_that_judges_at_random_is_nearly_always_left_out() -> None:
    rng = np.random.default_rng(0)
    weights, plain = [], []
    for _ in range(300):
        human, machine = np.where(np.arange(120) < 20, rng.random(120), np.nan), rng.random(120)
        weights.append(shrunken_weight(human, machine))
        plain.append(machine_weight(human, machine))
    assert np.mean(np.array(weights) == 0) > 0.8 > np.mean(np.array(plain) == 0)
    human, machine = rng.random(120), rng.random(120) * 0.2
    machine += human  # a good one keeps its weight
    human[20:] = np.nan
    assert shrunken_weight(human, machine) > 0.95 * machine_weight(human, machine)


def test_a_constraint_is_kept_by_the_estimate_while_the_metric_trusts_the_machine_more(
    problem: tuple[dict, Qrels, Qrels],
) -> None:
    runs, human, machine = problem
    signals, _ = signals_with_machine(runs, human, machine, METRIC)
    data, second = ReciprocalRank().apply(signals.data), P(cutoff=5)
    plain = LatticeSearch(data, [METRIC, second])
    constrained = plain.tables[:, 1].mean(axis=1)
    least = float(np.median(constrained))
    found = ConstrainedSearch(data, [METRIC, second], Constraint(second, least)).fit(np.arange(data.n_queries))
    assert isinstance(data.judgments, MixedJudgments)
    trusted = plain.table @ data.judgments.emphasis
    allowed = constrained >= least
    assert found == pytest.approx(plain.points[allowed][trusted[allowed].argmax()])
