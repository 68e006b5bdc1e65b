"""Values, top documents and unjudged documents of systems, held to brute force."""

from __future__ import annotations

import numpy as np

from rankmax.data.judging import judge
from rankmax.data.judgments import Judgments
from rankmax.data.runs import Qrels, Run
from rankmax.metrics.registry import parse_metric
from rankmax.metrics.ties import TiePolicy
from rankmax.workflows.relevance_gate.gate_systems import judgment_digests, system_of

METRICS = [parse_metric(name) for name in ("nDCG@10", "AP", "P@5")]


def random_case(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    rng = np.random.default_rng(seed)
    run = {f"q{q}": {f"d{d}": float(rng.integers(0, 8)) for d in rng.permutation(40)[:25]} for q in range(6)}
    qrels = {
        f"q{q}": {f"d{d}": int(rng.integers(0, 3)) for d in rng.permutation(40)[:15]} | {"d99": 2} for q in range(6)
    }
    return run, qrels


def evaluated(run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]], depth: int):  # type: ignore[no-untyped-def]
    judged = judge(Run.from_dict(run), Qrels.from_dict(qrels))
    return system_of("new", None, judged, METRICS, TiePolicy.TREC_EVAL, depth)


def test_top_documents_are_trec_evals_and_all_relevant_is_judging_them_so() -> None:
    for seed in range(5):
        run, qrels = random_case(seed)
        system = evaluated(run, qrels, 10)
        assert system.top is not None
        assert system.grades is not None
        judged_so = {query: dict(grades) for query, grades in qrels.items()}
        for q, (query, scores) in enumerate(run.items()):
            ranked = sorted(scores, key=lambda d: (scores[d], d), reverse=True)[:10]
            assert list(system.top[q]) == ranked
            unjudged = [d for d in ranked if d not in qrels[query]]
            assert system.unjudged is not None
            assert system.unjudged[q] == len(unjudged) / 10
            judged_so[query] |= dict.fromkeys(unjudged, 2)
        assert system.if_relevant is not None
        assert np.array_equal(system.if_relevant, evaluated(run, judged_so, 10).values)


def test_a_query_without_documents_is_empty() -> None:
    system = evaluated({"q1": {"d1": 1.0}}, {"q1": {"d1": 1}, "q2": {"d1": 1}}, 10)
    assert system.top == (("d1",), ())
    assert system.ranking(1, 10) == ()
    assert np.isnan(system.unjudged[1])


def test_digests_tell_changed_judgments() -> None:
    before = judgment_digests(Qrels.from_dict({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}}))
    after = judgment_digests(Qrels.from_dict({"q1": {"d2": 0, "d1": 1}, "q2": {"d1": 2}}))
    assert before[0] == after[0]
    assert before[1] != after[1]
    grades = [Judgments.from_grades([1, second, 0], [0, 2, 3]) for second in (0, 1)]
    first, second = map(judgment_digests, grades)
    assert (first[0] == second[0], first[1] == second[1]) == (False, True)
