from __future__ import annotations

import numpy as np
import pytest

from rankmax.api.tune import TARGETS as EXPORTED_TO
from rankmax.data.runs import Qrels, Run
from rankmax.data.synthetic import planted_linear
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError, UnknownNameError
from rankmax.fusion.candidates import FixedWeights, LearnedWeights
from rankmax.fusion.constraint import ConstrainedSearch, Constraint
from rankmax.fusion.engine_normalizations import ENGINES, usual_normalizations
from rankmax.fusion.priors import equal_prior, learned_prior, prior_of_current
from rankmax.fusion.signals import signals_of_features, signals_of_runs
from rankmax.fusion.standard_candidates import RANK_CONSTANTS, fusion_candidates, learned_candidates
from rankmax.metrics import AP, RR, P
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import MinMax, Unchanged
from rankmax.preprocessing.run_normalization import (
    L2,
    OpenSearchMinMax,
    OpenSearchZScore,
    ReciprocalRank,
    RetrievedMinMax,
)


def test_runs_and_features_have_their_own_normalizations() -> None:
    runs = {name: Run.from_dict({"q": {"d": 1.0, "e": 0.5}}) for name in "ab"}
    of_runs = signals_of_runs(runs, Qrels.from_dict({"q": {"d": 1}}))
    assert Unchanged() in usual_normalizations(of_runs)
    assert ReciprocalRank() in usual_normalizations(of_runs)
    in_opensearch = (OpenSearchMinMax(), L2(), OpenSearchZScore(), ReciprocalRank())
    assert usual_normalizations(of_runs, "opensearch") == in_opensearch
    of_features = signals_of_features(planted_linear(3, 4, 2, seed=1).data)
    assert MinMax() in usual_normalizations(of_features)
    with pytest.raises(UnknownNameError, match="unknown engine 'solar'"):
        usual_normalizations(of_runs, "solar")


def test_every_system_stands_beside_the_fusions() -> None:
    signals = signals_of_features(planted_linear(8, 5, 2, seed=1).data)
    candidates = fusion_candidates(signals, [AP()])
    families = list(dict.fromkeys(one.family for one in candidates))
    assert families == ["learned", "weighted RRF", "RRF", "CombSUM", "equal weights", "f1", "f2"]
    assert all(one.eligible for one in candidates)
    last = candidates[-1]
    assert isinstance(last, FixedWeights)
    np.testing.assert_array_equal(last.fusion.values, signals.alone("f2", [AP()]))
    assert last.fusion.weights.tolist() == [0.0, 1.0]
    learned = [one for one in candidates if isinstance(one, LearnedWeights)]
    assert [one.normalization for one in learned] == [
        *usual_normalizations(signals),
        *(ReciprocalRank(k) for k in RANK_CONSTANTS),
    ]


def test_only_what_is_allowed_may_be_picked() -> None:
    runs = {name: Run.from_dict({"q": {"d": 1.0, "e": 0.5}}) for name in "ab"}
    signals = signals_of_runs(runs, Qrels.from_dict({"q": {"d": 1}}))
    for allowed in ([L2()], list(usual_normalizations(signals, "opensearch")), [ReciprocalRank(k=7.0)]):
        candidates = fusion_candidates(signals, [AP()], allowed)
        ranks = any(isinstance(one, ReciprocalRank) for one in allowed)
        for one in candidates:
            single = one.family in signals.names
            known = one.normalization in allowed or (ranks and isinstance(one.normalization, ReciprocalRank))
            assert one.eligible == (single or known)
        assert any(one.eligible for one in candidates if isinstance(one, LearnedWeights))
    constants = [one.normalization for one in candidates if isinstance(one, LearnedWeights)]
    assert constants == [ReciprocalRank(k=7.0)]


@pytest.mark.parametrize("from_runs", [True, False])
def test_equal_weights_and_systems_alone_are_known_to_be_worse_than_learned_weights(from_runs: bool) -> None:
    runs = {name: Run.from_dict({"q": {"d": 1.0, "e": 0.5}}) for name in "ab"}
    signals = signals_of_runs(runs, Qrels.from_dict({"q": {"d": 1}}))
    for one in usual_normalizations(signals):
        equal, learned = equal_prior(one, from_runs), learned_prior(one, from_runs)
        by_hand = prior_of_current(one, np.array([0.3, 0.7]), from_runs)
        alone = prior_of_current(one, np.array([0.0, 0.7]), from_runs)
        assert prior_of_current(one, np.array([0.5, 0.5]), from_runs) == equal
        assert alone.effect < equal.effect < by_hand.effect < learned.effect


def test_constraints_bind_what_is_learned_and_want_few_systems() -> None:
    metrics, constraint = [AP(), P(cutoff=1)], Constraint(P(cutoff=1), 0.5)
    few = signals_of_features(planted_linear(8, 5, 2, seed=1).data)
    learned = fusion_candidates(few, metrics, [Unchanged()], constraint=constraint)[0]
    assert isinstance(learned, LearnedWeights)
    assert isinstance(learned.search, ConstrainedSearch)
    many = signals_of_features(planted_linear(8, 5, 7, seed=1).data)
    with pytest.raises(IncompatibleError, match=r"P@1>=0\.5: constraints work for up to 6 systems, not for 7"):
        fusion_candidates(many, metrics, [Unchanged()], constraint=constraint)


def test_scores_below_0_rule_out_what_keeps_them() -> None:
    runs = {"lm": Run.from_dict({"q": {"d": -1.0, "e": -2.0}}), "e5": Run.from_dict({"q": {"d": 0.5}})}
    signals = signals_of_runs(runs, Qrels.from_dict({"q": {"d": 1}}))
    assert not {L2(), Unchanged()} & set(usual_normalizations(signals))


def test_engines_know_what_they_can_do() -> None:
    runs = {name: Run.from_dict({"q": {"d": 1.0, "e": 0.5}}) for name in "abcdef"}
    of_runs = signals_of_runs(dict(list(runs.items())[:5]), Qrels.from_dict({"q": {"d": 1}}))
    of_features = signals_of_features(planted_linear(3, 4, 2, seed=1).data)
    assert usual_normalizations(of_runs, "vespa") == (RetrievedMinMax(), ReciprocalRank(), Unchanged())
    assert usual_normalizations(of_features, "vespa") == (MinMax(), ReciprocalRank(), Unchanged())
    assert usual_normalizations(of_runs, "solr") == usual_normalizations(of_features, "solr") == (Unchanged(),)
    assert usual_normalizations(of_runs, "sql") == usual_normalizations(of_runs)
    assert set(usual_normalizations(of_features)) <= set(usual_normalizations(of_features, "sql"))
    below = signals_of_runs({**runs, "a": Run.from_dict({"q": {"d": -1.0}})}, Qrels.from_dict({"q": {"d": 1}}))
    with pytest.raises(IncompatibleError, match="solr adds up raw scores, and some of a are negative"):
        usual_normalizations(below, "solr")
    with pytest.raises(IncompatibleError, match="combines at most 5 systems, and there are 6: tune the 5 most useful"):
        usual_normalizations(below, "opensearch")
    with pytest.raises(IncompatibleError, match="a keyword search and a vector search, and there are 6 systems"):
        usual_normalizations(below, "weaviate")


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_takes_a_model_of_each_of_its_normalizations(engine: str) -> None:
    target = EXPORTED_TO[engine]
    for normalization in ENGINES[engine]:
        assert export_model(LinearModel([0.5, 0.5], ("bm25", "e5"), normalization), target).text


def test_qdrants_own_ranks_are_learned_beside_sums() -> None:
    signals = signals_of_runs(
        {
            "bm25": Run.from_dict({f"q{i}": {"a": 3.0, "b": 2.0 + i % 3, "c": 1.0} for i in range(6)}),
            "e5": Run.from_dict({f"q{i}": {"c": 0.75, "a": 0.5, "d": 0.25} for i in range(6)}),
        },
        Qrels.from_dict({f"q{i}": {"a" if i % 2 else "c": 1} for i in range(6)}),
    )
    allowed = usual_normalizations(signals, "qdrant")
    found = {one.label: one for one in learned_candidates(signals, [AP()], allowed)}
    assert list(found) == [
        "learned weights (raw scores)",
        *(f"weighted RRF of Qdrant (k={k})" for k in (1, 10, 60)),
        "weighted RRF (k=0)",
    ]
    (fusion,) = found["weighted RRF of Qdrant (k=10)"].fit([np.arange(6)])
    model = LinearModel(fusion.weights, signals.names, fusion.normalization)
    assert fusion.values[0] == pytest.approx(AP().per_query(model.scores(signals.data), signals.data.judgments))
    assert '"rrf"' in export_model(model, "qdrant").text
    constrained = learned_candidates(signals, [AP(), RR()], allowed, constraint=Constraint.parsed("RR>=0.1"))
    assert not any("Qdrant" in one.label for one in constrained)
