"""Tuning: held-out values, the current fusion, the verdict, and the models that are written."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import judge
from rankmax.data.judgments import Judgments
from rankmax.data.runs import Qrels, Run
from rankmax.data.splits import k_folds
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.fusion.constraint import Constraint
from rankmax.fusion.engine_normalizations import describe
from rankmax.fusion.signals import Signals, signals_of_features, signals_of_runs
from rankmax.fusion.varying_weights import QueryColumn
from rankmax.fusion.weight_search import LatticeSearch
from rankmax.metrics import AP, P
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import NoRelevant
from rankmax.models import LinearModel
from rankmax.models.ranking_model import fuse_runs
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.workflows.tuning.confidence import weight_confidence
from rankmax.workflows.tuning.current import current_fusion
from rankmax.workflows.tuning.tuning import tune_systems
from rankmax.workflows.tuning.tuning_result import SystemTuning


@pytest.fixture(scope="module")
def signals() -> Signals:
    return signals_of_features(planted_linear(24, 8, 2, noise=1.0, seed=6).data)


@pytest.fixture(scope="module")
def tuning(signals: Signals) -> SystemTuning:
    return tune_systems(signals, [AP(), P(cutoff=1)], n_folds=4, n_repeats=2, seed=3)


def test_values_are_of_held_out_queries(signals: Signals) -> None:
    metrics, seed = [AP()], 5
    tuning = tune_systems(signals, metrics, normalizations=[Unchanged()], n_folds=4, n_repeats=2, seed=seed)
    search = LatticeSearch(signals.data, metrics)
    expected = np.zeros(24)
    for repeat in range(2):
        for fold in k_folds(signals.data, 4, seed=seed + repeat):
            weights = search.fit(fold.train, seed=seed)
            expected[fold.test] += search.values(weights[None])[0, 0, fold.test] / 2
    np.testing.assert_allclose(tuning.row("learned").values[0], expected, atol=1e-12)


def test_other_judgments_of_a_query_do_not_change_what_is_learned_for_it(signals: Signals) -> None:
    """With one query per fold, the weights for a query must come from the others alone."""
    first = signals.data.select(np.arange(6))
    turned = first.grades.copy()
    turned[: first.query_offsets[1]] = turned[: first.query_offsets[1]].max() - turned[: first.query_offsets[1]]
    judged = Judgments.from_grades(turned, first.query_offsets, query_ids=first.query_ids)
    second = replace(first, judgments=judged)
    options = {"normalizations": [Unchanged()], "n_folds": 6, "n_repeats": 1}
    search = LatticeSearch(second, [AP()])
    others = search.fit(np.arange(1, 6))
    tuned = tune_systems(signals_of_features(second), [AP()], **options)
    assert tuned.row("learned").values[0, 0] == search.values(others[None])[0, 0, 0]
    np.testing.assert_array_equal(others, LatticeSearch(first, [AP()]).fit(np.arange(1, 6)))


def test_every_row_is_compared_with_the_current_fusion(tuning: SystemTuning) -> None:
    assert [row.name for row in tuning.rows[:2]] == ["pick", "CombSUM"]
    current = tuning.current_row
    assert tuning.current.assumed
    assert current.is_current
    for row in tuning.rows:
        assert row.interval[0] <= row.mean <= row.interval[1]
        assert row.gain == pytest.approx(row.mean - current.mean, abs=1e-12)
        assert row.gain_interval[0] - 1e-12 <= row.gain <= row.gain_interval[1] + 1e-12
        assert row.marker == ("▲" if row.gain_interval[0] > 0 else "▼" if row.gain_interval[1] < 0 else "")
        assert row.values.shape == (2, 24)
    assert tuning.verdict.gain.observed == pytest.approx(tuning.pick.gain)
    assert tuning.verdict.current == "CombSUM"
    assert sum(tuning.selected["pick"].values()) == 8


@pytest.mark.parametrize(
    ("current", "label", "weights"),
    [
        (None, "CombSUM", [0.5, 0.5]),
        ("rrf", "RRF", [0.5, 0.5]),
        ("f2", "f2", [0.0, 1.0]),
        ("f1=0.25,f2=0.75", "weights f1=0.25,f2=0.75 (min-max)", [0.25, 0.75]),
        ("none:f2=3", "weights f2=3 (raw scores)", [0.0, 3.0]),
    ],
)
def test_the_current_fusion_is_what_the_user_says(signals: Signals, current, label: str, weights: list[float]) -> None:
    tuned = tune_systems(signals, [AP()], current=current, n_folds=2, n_repeats=1)
    assert tuned.current.label == label
    assert tuned.current.assumed == (current is None)
    assert tuned.current_row.fusion.weights.tolist() == weights
    normalized = tuned.current_row.fusion.normalization.apply(signals.data)
    expected = evaluate_metrics([AP()], normalized.scores(np.array(weights)), signals.data.judgments)
    np.testing.assert_array_equal(tuned.current_row.values, expected)
    assert sum(row.is_current for row in tuned.rows) == 1


@pytest.mark.parametrize(
    ("names", "current", "label", "weights"),
    [
        (("bm25:title", "bm25:body"), "bm25:title=0.25,bm25:body=0.75", "(min-max)", [0.25, 0.75]),
        (("bm25:title", "bm25:body"), "z-score:bm25:body=0.75, bm25:title = 0.25", "(z-score)", [0.25, 0.75]),
        (("bm25(k1=0.9,b=0.4)", "bm25"), "bm25(k1=0.9,b=0.4)=0.25,bm25=0.75", "(min-max)", [0.25, 0.75]),
        (("none:a,b", "c"), "c=2,none:a,b=1", "(min-max)", [1.0, 2.0]),
        (("none:a,b", "c"), "none:a,b=1,c=2", "(min-max)", [1.0, 2.0]),
        (("none:a,b", "c"), "none:none:a,b=1", "(raw scores)", [1.0, 0.0]),
    ],
)
def test_names_of_systems_may_have_any_sign(names, current: str, label: str, weights: list[float]) -> None:
    signals = signals_of_features(replace(planted_linear(8, 6, 2, noise=1.0, seed=6).data, feature_names=names))
    today = current_fusion(current, signals, [AP()], [])
    assert today.label.endswith(label)
    assert today.candidate.fusion.weights.tolist() == weights


def test_the_current_fusion_may_be_a_model(signals: Signals, tmp_path: Path) -> None:
    LinearModel([0.2, 0.8], ("f2", "f1"), Unchanged()).save(tmp_path / "today.json")
    tuned = tune_systems(signals, [AP()], current=str(tmp_path / "today.json"), n_folds=2, n_repeats=1)
    assert tuned.current.label == "today.json"
    assert tuned.current_row.fusion.weights.tolist() == [0.8, 0.2]
    assert not tuned.current.tuned_here
    tuned.model(tuned.row("learned").fusion).save(tmp_path / "own.json")
    again = tune_systems(signals, [AP()], current=str(tmp_path / "own.json"), n_folds=2, n_repeats=1)
    assert again.current.tuned_here  # what was learned from these queries is not held out on them
    LinearModel([1.0, 1.0], ("f1", "other")).save(tmp_path / "other.json")
    with pytest.raises(InvalidParameterError, match="'other' is not among the tuned systems"):
        tune_systems(signals, [AP()], current=str(tmp_path / "other.json"))


@pytest.mark.parametrize(
    ("current", "message"),
    [
        ("borda", "'borda' is not a known fusion: give RRF, CombSUM, one of the systems"),
        ("f1=0.5,f9=0.5", "'f9' is not among the tuned systems"),
        ("f1=0.5,f1=0.5", "'f1' is given twice"),
        ("f1=half", "'f1=half' is not NAME=NUMBER"),
        ("f1=0,f2=0", "all weights are 0"),
        ("softmax:f1=1", "softmax"),
        ("f1,f2=0.5", "'f1' is not NAME=NUMBER"),
        ("f1=0.5,", "'' is not NAME=NUMBER"),
        ("f1=1_0", "'f1=1_0' is not NAME=NUMBER"),
    ],
)
def test_what_is_no_current_fusion_is_refused(signals: Signals, current: str, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=re.escape(message)):
        tune_systems(signals, [AP()], current=current)


def test_the_pick_hardly_depends_on_the_seed() -> None:
    signals = signals_of_features(planted_linear(40, 8, 3, noise=1.0, seed=6).data)
    tunings = [tune_systems(signals, [AP()], n_repeats=3, seed=seed) for seed in range(4)]
    assert {tuned.learned.family for tuned in tunings} == {"learned"}
    assert len({tuned.verdict.word for tuned in tunings}) == 1
    for figures in zip(*((t.verdict.gain.probability, t.verdict.gain.expected * 10) for t in tunings), strict=True):
        assert max(figures) - min(figures) < 0.1


def test_what_is_as_good_as_it_gets_is_kept() -> None:
    """Weights found by tuning, taken as the current ones: nothing is expected to beat them by much."""
    signals = signals_of_features(planted_linear(60, 8, 2, noise=1.0, seed=6).data)
    first = tune_systems(signals, [AP()], current="f1", n_repeats=1)
    assert first.verdict.change
    weights = dict(zip(signals.names, first.recommended.weights.tolist(), strict=True))
    name = describe(first.recommended.normalization)
    told = tune_systems(
        signals, [AP()], current=f"{name}:" + ",".join(f"{k}={v!r}" for k, v in weights.items()), n_repeats=1
    )
    assert told.verdict.word in ("cannot tell", "keep the current one")


def test_the_model_carries_normalization_weights_and_values(tuning: SystemTuning, signals: Signals) -> None:
    model = tuning.model()
    assert model.normalization == tuning.recommended.normalization
    assert model.feature_names == ("f1", "f2")
    scores = model.scores(signals.data)
    np.testing.assert_allclose(scores, tuning.search.data.scores(tuning.recommended.weights))
    assert model.training is not None
    assert model.training.value == pytest.approx(tuning.recommended.values[0].mean())
    assert model.training.validation_value == tuning.pick.mean
    assert tuning.model(weights=np.array([0.5, 0.5])).weights.tolist() == [0.5, 0.5]


def test_every_row_can_be_written_and_ranks_as_it_was_measured(tuning: SystemTuning, signals: Signals) -> None:
    for row in tuning.rows:
        model = tuning.model(tuning.row(row.name.upper()).fusion)
        values = evaluate_metrics(tuning.metrics, model.scores(signals.data), signals.data.judgments)
        np.testing.assert_allclose(values, row.fusion.values, atol=1e-12)
    assert tuning.row("current") is tuning.current_row
    with pytest.raises(UnknownNameError, match="unknown row 'Borda'"):
        tuning.row("Borda")


def test_the_same_seed_gives_the_same_values(tuning: SystemTuning, signals: Signals) -> None:
    again = tune_systems(signals, [AP(), P(cutoff=1)], n_folds=4, n_repeats=2, seed=3)
    np.testing.assert_array_equal(again.pick.values, tuning.pick.values)
    np.testing.assert_array_equal(again.recommended.weights, tuning.recommended.weights)


def test_a_constraint_adds_its_metric_and_binds(signals: Signals) -> None:
    constraint = Constraint(P(cutoff=1), 0.5)
    tuned = tune_systems(signals, [AP()], normalizations=[Unchanged()], constraint=constraint, n_repeats=1)
    assert [metric.name for metric in tuned.metrics] == ["AP", "P@1"]
    assert tuned.pick.fusion.values[1].mean() >= 0.5
    relative = tune_systems(
        signals, [AP()], constraint=Constraint.parsed("P@1>=current"), current="f2", n_repeats=1, n_folds=2
    )
    assert relative.constraint is not None
    assert relative.constraint.least == relative.current_row.values[1].mean()
    assert relative.pick.fusion.values[1].mean() >= relative.current_row.values[1].mean() - 1e-9


def test_weights_that_depend_on_the_query_are_judged_against_fixed_ones(signals: Signals) -> None:
    column = QueryColumn.of("kind", ["a", "b"] * 12)
    ticks = []
    tuned = tune_systems(
        signals, [AP()], normalizations=[Unchanged()], by=column, n_repeats=1, n_folds=3, tick=lambda: ticks.append(1)
    )
    assert len(ticks) == 3
    assert tuned.varying is not None
    assert set(tuned.varying.weights_by_label) == {"a", "b"}
    assert tuned.varying_verdict is not None
    assert tuned.varying_values is not None
    assert (tuned.varying_verdict.pick, tuned.varying_verdict.current) == ("weights by kind", "fixed weights")
    fixed = tuned.row("learned").values
    assert tuned.varying_verdict.gain.observed == pytest.approx((tuned.varying_values - fixed)[0].mean())


def test_runs_that_lack_queries_and_documents_are_fused() -> None:
    a = {f"q{q}": {f"d{d}": 5.0 - d for d in range(3)} for q in range(6)}
    b = {f"q{q}": {f"d{d}": float(d) for d in range(2, 5)} for q in range(2, 9)}
    constant = {f"q{q}": {f"d{d}": 1.0 for d in range(2)} for q in range(8)}
    qrels = {f"q{q}": {"d0": 1, "d4": 1} for q in range(8)}
    runs = {name: Run.from_dict(run) for name, run in (("a", a), ("b", b), ("constant", constant))}
    tuned = tune_systems(signals_of_runs(runs, Qrels.from_dict(qrels)), [AP()], n_repeats=1)
    assert tuned.signals.data.n_queries == 8
    assert tuned.pick.mean >= max(tuned.row(name).mean for name in runs) - 0.05
    assert tuned.row("a").values[0].tolist() == [0.5] * 6 + [0.0] * 2


def test_runs_that_are_the_same_give_no_reason_to_change() -> None:
    rng = np.random.default_rng(3)
    run = Run.from_dict({f"q{q}": {f"d{d}": float(rng.normal()) for d in range(9)} for q in range(12)})
    qrels = Qrels.from_dict({f"q{q}": {"d1": 1, "d5": 1} for q in range(12)})
    tuned = tune_systems(signals_of_runs({"a": run, "b": run}, qrels), [AP()], n_repeats=1)
    assert tuned.verdict.word == "keep the current one"
    assert tuned.recommended is tuned.current_row.fusion


def test_a_system_alone_is_written_as_a_model_that_ranks_its_documents_first() -> None:
    rng = np.random.default_rng(4)
    lists = {
        name: {f"q{q}": {f"d{d}": float(rng.normal()) for d in rng.choice(20, 6, replace=False)} for q in range(8)}
        for name in ("a", "b")
    }
    qrels = Qrels.from_dict({f"q{q}": {f"d{d}": 1 for d in range(0, 20, 3)} for q in range(8)})
    runs = {name: Run.from_dict(run) for name, run in lists.items()}
    tuned = tune_systems(signals_of_runs(runs, qrels), [AP()], n_repeats=1)
    model = tuned.model(tuned.row("a").fusion)
    fused = fuse_runs(model, runs)
    for query, scores in lists["a"].items():
        best = sorted(fused.to_dict()[query].items(), key=lambda pair: -pair[1])[: len(scores)]
        assert [document for document, _ in best] == sorted(scores, key=lambda document: -scores[document])
    assert model.training is not None
    judged = judge(fused, qrels)
    expected = evaluate_metrics([AP()], judged.scores, judged.judgments).mean()
    assert model.training.value == pytest.approx(expected)


def test_optima_between_the_points_of_the_lattice_leave_a_plateau() -> None:
    data = planted_linear(20, 12, 2, noise=0.1, seed=5).data
    scaled = replace(data, features=np.asarray(data.features) * [1.0, 1e6])
    tuned = tune_systems(signals_of_features(scaled), [AP()], normalizations=[Unchanged()], n_repeats=1)
    confidence = weight_confidence(tuned.search, tuned.learned_fusion.weights)
    assert confidence.plateau_ranges is not None
    assert np.isfinite(confidence.plateau_ranges).all()


def test_what_cannot_be_tuned_is_refused(signals: Signals) -> None:
    one = signals_of_features(signals.data.select_features(["f1"]))
    with pytest.raises(InvalidDataError, match="'f1' is the only system"):
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
