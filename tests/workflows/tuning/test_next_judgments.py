from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.runs import Qrels, Run
from rankmax.data.synthetic import planted_linear
from rankmax.errors import IncompatibleError
from rankmax.fusion.signals import signals_of_features, signals_of_runs
from rankmax.fusion.weight_search import LatticeSearch
from rankmax.metrics import AP, RR, P, nDCG
from rankmax.metrics.metric import Metric
from rankmax.workflows.tuning.next_judgments import next_judgments
from rankmax.workflows.tuning.tuning import tune_systems
from rankmax.workflows.tuning.tuning_result import SystemTuning

N_QUERIES, N_DOCUMENTS = 12, 15


def problem(seed: int, unjudged: float = 0.5) -> tuple[dict[str, Run], dict[str, dict[str, int]]]:
    """Return runs of two systems, and grades of some of their documents."""
    rng = np.random.default_rng(seed)
    runs: dict[str, dict[str, dict[str, float]]] = {"a": {}, "b": {}}
    grades: dict[str, dict[str, int]] = {}
    for q in range(N_QUERIES):
        truth = rng.integers(0, 3, N_DOCUMENTS)
        for name, noise in (("a", 1.0), ("b", 1.4)):
            scores = truth + noise * rng.normal(size=N_DOCUMENTS)
            kept = np.argsort(-scores)[:12]
            runs[name][f"q{q}"] = {f"d{d}": 5 + float(scores[d]) for d in kept}
        known = rng.random(N_DOCUMENTS) >= unjudged
        known[np.argmax(truth)] = True
        grades[f"q{q}"] = {f"d{d}": int(truth[d]) for d in range(N_DOCUMENTS) if known[d]}
    return {name: Run.from_dict(run) for name, run in runs.items()}, grades


def tuned(runs: dict[str, Run], grades: dict[str, dict[str, int]], metric: Metric) -> SystemTuning:
    return tune_systems(signals_of_runs(runs, Qrels.from_dict(grades)), [metric], n_repeats=1)


def fused(tuning: SystemTuning, row: str) -> dict[str, dict[str, float]]:
    """Return the scores of a row's fusion by query and document."""
    fusion, data = tuning.row(row).fusion, tuning.signals.data
    return by_query(tuning, fusion.normalization.with_weights(fusion.weights).apply(data).scores(fusion.weights))


def by_query(tuning: SystemTuning, scores: np.ndarray) -> dict[str, dict[str, float]]:
    data = tuning.signals.data
    found: dict[str, dict[str, float]] = {}
    assert data.judgments.document_ids is not None
    for d, q in enumerate(data.judgments.query_of_document):
        found.setdefault(data.query_ids[q], {})[data.judgments.document_ids[d]] = float(scores[d])
    return found


@pytest.mark.parametrize("metric", [nDCG(cutoff=4), AP(), RR(cutoff=3)], ids=str)
@pytest.mark.parametrize(("seed", "depth"), [(0, None), (1, None), (2, None), (0, 1), (1, 2)])
def test_the_change_is_that_of_judging_the_document_relevant(metric: Metric, seed: int, depth: int | None) -> None:
    """The oracle adds the judgment to the qrels, and evaluates the fused runs once more."""
    from rankmax import evaluate

    runs, grades = problem(seed)
    tuning = tuned(runs, grades, metric)
    fusions = {row: fused(tuning, row) for row in ("pick", "current")}

    def gain(judged: dict[str, dict[str, int]]) -> float:
        means = evaluate(judged, fusions, [metric], ties="document-order").means
        return means["pick"][metric.name] - means["current"][metric.name]

    found, _ = next_judgments(tuning, depth=depth)
    assert found
    for one in found:
        judged = grades | {one.query: grades[one.query] | {one.document: 2}}
        assert one.change == pytest.approx(gain(judged) - gain(grades), abs=1e-12)


@pytest.mark.parametrize("metric", [nDCG(cutoff=3), RR(cutoff=3)], ids=str)
def test_the_importance_is_chance_times_the_mean_change_over_pick_and_plateau(metric: Metric) -> None:
    """The oracle judges every document in turn, and evaluates the fusion at each of the plateau's weights once more."""
    from rankmax import evaluate

    runs, grades = problem(2)
    tuning = tuned(runs, grades, metric)
    assert isinstance(tuning.search, LatticeSearch)
    means = tuning.search.table.mean(axis=1)
    error = tuning.search.table[means.argmax()].std(ddof=1) / N_QUERIES**0.5
    inside = np.flatnonzero(means >= means.max() - error)
    chosen = inside[np.linspace(0, inside.size - 1, 64).round().astype(int)] if inside.size > 64 else inside
    fusions = {str(p): by_query(tuning, tuning.search.scores(tuning.search.points[p])) for p in chosen}
    fusions |= {row: fused(tuning, row) for row in ("pick", "current")}

    def gains(judged: dict[str, dict[str, int]]) -> np.ndarray:
        means = evaluate(judged, fusions, [metric], ties="document-order").means
        return np.array([means[name][metric.name] - means["current"][metric.name] for name in fusions])

    before = gains(grades)
    found, _ = next_judgments(tuning)
    assert found
    for one in found:
        *plateau, pick, _ = np.abs(gains(grades | {one.query: grades[one.query] | {one.document: 2}}) - before)
        assert one.importance == pytest.approx(one.chance * (np.mean(plateau) + pick) / 2, abs=1e-12)


def test_the_order_of_documents_in_the_files_does_not_matter() -> None:
    runs, grades = problem(3)
    backwards = {
        name: Run.from_dict({q: dict(reversed(of.items())) for q, of in run.to_dict().items()})
        for name, run in runs.items()
    }
    unsorted = {q: dict(reversed(of.items())) for q, of in grades.items()}
    metric = nDCG(cutoff=4)
    assert next_judgments(tuned(backwards, unsorted, metric)) == next_judgments(tuned(runs, grades, metric))


def test_every_unjudged_document_at_the_top_is_listed_and_no_judged_one() -> None:
    runs, grades = problem(5)
    tuning = tuned(runs, grades, nDCG(cutoff=4))
    found, share = next_judgments(tuning)
    listed = {(one.query, one.document) for one in found}
    assert not any(document in grades[query] for query, document in listed)
    top = {
        (query, document)
        for row in ("pick", "current")
        for query, scores in fused(tuning, row).items()
        for document in sorted(scores, key=lambda d: -scores[d])[:4]
    }
    assert {pair for pair in top if pair[1] not in grades[pair[0]]} <= listed
    assert 0 < share < 1
    for one in found:  # some weights of the plateau, the pick or the current fusion show it, or the ideal ranking does
        assert one.share > 0 or one.pick_rank <= 4 or one.current_rank <= 4 or one.change != 0 or one.importance > 0


def test_documents_below_count_where_they_change_the_ideal_ranking() -> None:
    """nDCG compares with the ideal ranking, reciprocal ranks with nothing."""
    runs, grades = problem(5)
    by_metric = {}
    for metric in (nDCG(cutoff=2), RR(cutoff=2)):
        found, _ = next_judgments(tuned(runs, grades, metric))
        by_metric[metric.name] = [one for one in found if one.share == 0 and min(one.pick_rank, one.current_rank) > 2]
    assert by_metric["nDCG@2"]
    assert not by_metric["RR@2"]
    assert all(min(one.pick_rank, one.current_rank) > 2 and one.importance > 0 for one in by_metric["nDCG@2"])


def test_documents_that_change_no_gain_are_not_listed() -> None:
    """P@4 of two fusions that both show a document: whatever its grade, their difference stays."""
    runs, grades = problem(5)
    runs["b"] = runs["a"]  # all weights give one ranking
    assert next_judgments(tuned(runs, grades, P(cutoff=4)))[0] == []
    runs, grades = problem(5)
    found, _ = next_judgments(tuned(runs, grades, P(cutoff=4)))
    assert found
    assert all(one.importance > 0 for one in found)


def test_the_order_is_by_importance_and_nothing_is_left_when_all_is_judged() -> None:
    runs, grades = problem(6)
    found, _ = next_judgments(tuned(runs, grades, nDCG(cutoff=4)))
    assert [one.importance for one in found] == sorted((one.importance for one in found), reverse=True)
    complete = {query: {f"d{d}": 0 for d in range(N_DOCUMENTS)} | of for query, of in grades.items()}
    assert next_judgments(tuned(runs, complete, nDCG(cutoff=4))) == ([], 0.0)


def test_a_greater_depth_lists_more() -> None:
    runs, grades = problem(7)
    tuning = tuned(runs, grades, nDCG(cutoff=4))
    few, many = ({(one.query, one.document) for one in next_judgments(tuning, depth=k)[0]} for k in (2, 8))
    assert few < many


def test_more_than_six_systems_have_a_sample_of_weights() -> None:
    runs, grades = problem(8)
    rng = np.random.default_rng(0)
    names = {f"s{i}": runs["a" if i % 2 else "b"].to_dict() for i in range(7)}
    noisy = {
        name: Run.from_dict({q: {d: s + rng.normal() for d, s in of.items()} for q, of in run.items()})
        for name, run in names.items()
    }
    found, _ = next_judgments(tuned(noisy, grades, nDCG(cutoff=4)))
    assert found


def test_features_are_refused() -> None:
    data = planted_linear(20, 8, 2, noise=0.5, seed=2).data
    tuning = tune_systems(signals_of_features(data), [AP()], n_repeats=1)
    with pytest.raises(IncompatibleError, match="for runs"):
        next_judgments(tuning)
