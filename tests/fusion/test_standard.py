from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.normalise import MinMax, Unchanged
from rankmax.data.retrieved import L2, OpenSearchMinMax, OpenSearchZScore, ReciprocalRank, RetrievedMinMax
from rankmax.data.synthetic import planted_linear
from rankmax.data.trec import Qrels, Run
from rankmax.errors import IncompatibleError, UnknownNameError
from rankmax.export.named import export_model
from rankmax.fusion.constraint import ConstrainedSearch, Constraint
from rankmax.fusion.methods import Fixed, Learned
from rankmax.fusion.signals import signals_of_features, signals_of_runs
from rankmax.fusion.standard import ENGINES, RANK_CONSTANTS, fusion_methods, usual_normalisations
from rankmax.metrics import AP, P
from rankmax.models import LinearModel


def test_runs_and_features_have_their_own_normalisations() -> None:
    runs = {name: Run.from_dict({"q": {"d": 1.0, "e": 0.5}}) for name in "ab"}
    of_runs = signals_of_runs(runs, Qrels.from_dict({"q": {"d": 1}}))
    assert Unchanged() in usual_normalisations(of_runs)
    assert ReciprocalRank() in usual_normalisations(of_runs)
    in_opensearch = (OpenSearchMinMax(), L2(), OpenSearchZScore(), ReciprocalRank())
    assert usual_normalisations(of_runs, "opensearch") == in_opensearch
    of_features = signals_of_features(planted_linear(3, 4, 2, seed=1).data)
    assert MinMax() in usual_normalisations(of_features)
    with pytest.raises(UnknownNameError, match="unknown engine 'solar'"):
        usual_normalisations(of_runs, "solar")


def test_every_system_stands_beside_the_fusions() -> None:
    signals = signals_of_features(planted_linear(8, 5, 2, seed=1).data)
    learned, others = fusion_methods(signals, [AP()], [Unchanged(), L2()])
    names = ["f1", "f2", "CombSUM", "CombMNZ", "RRF", "best equal weights", "weighted RRF"]
    assert [method.name for method in others] == names
    assert isinstance(others[0], Fixed)
    np.testing.assert_array_equal(others[0].fusion.values, signals.alone("f1", [AP()]))
    assert list(learned.searches) == [Unchanged(), L2()]
    ranks = others[-1]
    assert isinstance(ranks, Learned)
    assert list(ranks.searches) == [ReciprocalRank(k) for k in RANK_CONSTANTS]


def test_constraints_bind_what_is_learned_and_want_few_systems() -> None:
    metrics, constraint = [AP(), P(cutoff=1)], Constraint(P(cutoff=1), 0.5)
    few = signals_of_features(planted_linear(8, 5, 2, seed=1).data)
    learned, _ = fusion_methods(few, metrics, [Unchanged()], constraint=constraint)
    assert isinstance(learned.searches[Unchanged()], ConstrainedSearch)
    many = signals_of_features(planted_linear(8, 5, 7, seed=1).data)
    with pytest.raises(IncompatibleError, match=r"P@1>=0\.5: constraints work for up to 6 systems, not for 7"):
        fusion_methods(many, metrics, [Unchanged()], constraint=constraint)


def test_engines_know_what_they_can_do() -> None:
    runs = {name: Run.from_dict({"q": {"d": 1.0, "e": 0.5}}) for name in "abcdef"}
    of_runs = signals_of_runs(dict(list(runs.items())[:5]), Qrels.from_dict({"q": {"d": 1}}))
    of_features = signals_of_features(planted_linear(3, 4, 2, seed=1).data)
    assert usual_normalisations(of_runs, "vespa") == (RetrievedMinMax(), ReciprocalRank(), Unchanged())
    assert usual_normalisations(of_features, "vespa") == (MinMax(), ReciprocalRank(), Unchanged())
    assert usual_normalisations(of_runs, "solr") == usual_normalisations(of_features, "solr") == (Unchanged(),)
    assert usual_normalisations(of_runs, "sql") == usual_normalisations(of_runs)
    assert set(usual_normalisations(of_features)) <= set(usual_normalisations(of_features, "sql"))
    below = signals_of_runs({**runs, "a": Run.from_dict({"q": {"d": -1.0}})}, Qrels.from_dict({"q": {"d": 1}}))
    with pytest.raises(IncompatibleError, match="solr adds scores up as they are, and those of a are below 0"):
        usual_normalisations(below, "solr")
    with pytest.raises(IncompatibleError, match="combines at most 5 systems, and there are 6: tune the 5 most useful"):
        usual_normalisations(below, "opensearch")


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_takes_a_model_of_each_of_its_normalisations(engine: str) -> None:
    target = {"elasticsearch": "elasticsearch-retriever", "opensearch": "opensearch-hybrid"}.get(engine, engine)
    for normalisation in ENGINES[engine]:
        assert export_model(LinearModel([0.5, 0.5], ("bm25", "e5"), normalisation), target).text
