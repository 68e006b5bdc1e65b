"""Nested cross-validation: nothing of a query's own judgments goes into its value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.data.normalise import Unchanged
from rankmax.data.splits import k_folds
from rankmax.data.synthetic import planted_linear
from rankmax.data.trec import Qrels, Run
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.fusion.constraint import Constraint
from rankmax.fusion.search import LatticeSearch
from rankmax.fusion.signals import Signals, signals_of_features, signals_of_runs
from rankmax.fusion.varying import QueryColumn
from rankmax.metrics import AP, P
from rankmax.metrics.base import NoRelevant
from rankmax.workflows.tuning.systems import SystemTuning, tune_systems


@pytest.fixture(scope="module")
def signals() -> Signals:
    return signals_of_features(planted_linear(24, 8, 2, noise=1.0, seed=6).data)


@pytest.fixture(scope="module")
def tuning(signals: Signals) -> SystemTuning:
    return tune_systems(signals, [AP(), P(cutoff=1)], n_folds=4, n_repeats=2, seed=3)


def test_values_are_of_held_out_queries(signals: Signals) -> None:
    metrics, seed = [AP()], 5
    tuning = tune_systems(signals, metrics, normalisations=[Unchanged()], n_folds=4, n_repeats=2, seed=seed)
    search = LatticeSearch(signals.data, metrics)
    expected = np.zeros(24)
    for repeat in range(2):
        for fold in k_folds(signals.data, 4, seed=seed + repeat):
            weights = search.fit(fold.train, seed=seed)
            expected[fold.test] += search.values(weights[None])[0, 0, fold.test] / 2
    np.testing.assert_allclose(tuning.methods[0].values[0], expected, atol=1e-12)


def test_other_judgments_of_a_query_do_not_change_what_is_learned_for_it(signals: Signals) -> None:
    """With one query a fold, the weights for a query must come from the others alone."""
    first = signals.data.select(np.arange(6))
    turned = first.grades.copy()
    turned[: first.query_offsets[1]] = turned[: first.query_offsets[1]].max() - turned[: first.query_offsets[1]]
    judged = Judgments.from_grades(turned, first.query_offsets, query_ids=first.query_ids)
    second = replace(first, judgments=judged)
    options = {"normalisations": [Unchanged()], "n_folds": 6, "n_repeats": 1}
    search = LatticeSearch(second, [AP()])
    others = search.fit(np.arange(1, 6))
    tuned = tune_systems(signals_of_features(second), [AP()], **options)
    assert tuned.methods[0].values[0, 0] == search.values(others[None])[0, 0, 0]
    np.testing.assert_array_equal(others, LatticeSearch(first, [AP()]).fit(np.arange(1, 6)))


def test_every_method_is_compared_with_the_learned_weights(tuning: SystemTuning) -> None:
    assert tuning.methods[0].name == "learned"
    for result in tuning.methods:
        assert result.mean == pytest.approx(result.values[0].mean())
        assert result.interval[0] <= result.mean <= result.interval[1]
        assert result.gain == pytest.approx(tuning.methods[0].mean - result.mean, abs=1e-12)
        assert result.gain_interval[0] <= result.gain + 1e-12
        assert (result.marker == "▲") == (result.p_value < 0.05 and result.gain > 0)
        assert result.values.shape == (2, 24)
    simple = [result for result in tuning.methods if result.name not in ("learned", "weighted RRF")]
    best = max(simple, key=lambda result: result.mean)
    assert tuning.verdict.rival == best.name
    assert tuning.verdict.gain == pytest.approx(best.gain)
    assert tuning.verdict.p_value == best.p_value
    assert sum(tuning.choices.values()) == 8


def test_the_model_carries_normalisation_weights_and_values(tuning: SystemTuning, signals: Signals) -> None:
    model = tuning.model()
    assert model.normalisation == tuning.fusion.normalisation
    assert model.feature_names == ("f1", "f2")
    scores = model.scores(signals.data)
    np.testing.assert_allclose(scores, tuning.search.data.scores(tuning.fusion.weights))
    assert model.training is not None
    assert model.training.value == pytest.approx(tuning.fusion.values[0].mean())
    assert model.training.validation_value == tuning.methods[0].mean
    assert tuning.model(np.array([0.5, 0.5])).weights.tolist() == [0.5, 0.5]


def test_the_same_seed_gives_the_same_values(tuning: SystemTuning, signals: Signals) -> None:
    again = tune_systems(signals, [AP(), P(cutoff=1)], n_folds=4, n_repeats=2, seed=3)
    np.testing.assert_array_equal(again.methods[0].values, tuning.methods[0].values)
    np.testing.assert_array_equal(again.fusion.weights, tuning.fusion.weights)


def test_a_constraint_adds_its_metric_and_binds(signals: Signals) -> None:
    constraint = Constraint(P(cutoff=1), 0.5)
    tuned = tune_systems(signals, [AP()], normalisations=[Unchanged()], constraint=constraint, n_repeats=1)
    assert [metric.name for metric in tuned.metrics] == ["AP", "P@1"]
    assert tuned.search.values(tuned.fusion.weights[None])[0, 1].mean() >= 0.5


def test_weights_that_depend_on_the_query_are_judged_against_fixed_ones(signals: Signals) -> None:
    column = QueryColumn.of("kind", ["a", "b"] * 12)
    ticks = []
    tuned = tune_systems(
        signals, [AP()], normalisations=[Unchanged()], by=column, n_repeats=1, n_folds=3, tick=lambda: ticks.append(1)
    )
    assert len(ticks) == 3
    assert tuned.methods[-1].name == "by kind"
    assert tuned.varying is not None
    assert set(tuned.varying.weights_by_label) == {"a", "b"}
    assert tuned.varying_verdict is not None
    assert (tuned.varying_verdict.favourite, tuned.varying_verdict.rival) == ("by kind", "learned")
    assert tuned.varying_verdict.gain == pytest.approx(-tuned.methods[-1].gain)


def test_runs_that_lack_queries_and_documents_are_fused() -> None:
    a = {f"q{q}": {f"d{d}": 5.0 - d for d in range(3)} for q in range(6)}
    b = {f"q{q}": {f"d{d}": float(d) for d in range(2, 5)} for q in range(2, 9)}
    constant = {f"q{q}": {f"d{d}": 1.0 for d in range(2)} for q in range(8)}
    qrels = {f"q{q}": {"d0": 1, "d4": 1} for q in range(8)}
    runs = {name: Run.from_dict(run) for name, run in (("a", a), ("b", b), ("constant", constant))}
    tuned = tune_systems(signals_of_runs(runs, Qrels.from_dict(qrels)), [AP()], n_repeats=1)
    assert tuned.signals.data.n_queries == 8
    assert tuned.methods[0].mean >= max(result.mean for result in tuned.methods[1:4]) - 0.05
    by_name = {result.name: result for result in tuned.methods}
    assert by_name["a"].values[0].tolist() == [0.5] * 6 + [0.0] * 2


def test_what_cannot_be_tuned_is_refused(signals: Signals) -> None:
    one = signals_of_features(signals.data.select_features(["f1"]))
    with pytest.raises(InvalidDataError, match="'f1' is all there is to weigh"):
        tune_systems(one, [AP()])
    with pytest.raises(InvalidDataError, match="1 judged query is too few"):
        tune_systems(signals_of_features(signals.data.select([0])), [AP()])
    with pytest.raises(InvalidParameterError, match="n_folds is 1"):
        tune_systems(signals, [AP()], n_folds=1)
    with pytest.raises(InvalidParameterError, match="n_repeats is 0"):
        tune_systems(signals, [AP()], n_repeats=0)
    nothing = RankingDataset.from_arrays(np.random.default_rng(1).random((10, 2)), [0] * 10, qid=np.repeat(range(5), 2))
    with pytest.raises(InvalidDataError, match="the metrics leave queries out"):
        tune_systems(signals_of_features(nothing), [AP(no_relevant=NoRelevant.SKIP)])
