from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankmax.papers.registry import paper_named
from rankmax.papers.reports import Finding
from rankmax.papers.yue2007.learning import METHODS, OURS, SVM_MAP
from rankmax.papers.yue2007.studies import BASE, CHOSEN

PAPER = paper_named("yue2007")
QUERIES = np.linspace(0.2, 0.6, 20)


def values(name: str, svm_map: float, others: float, best: float) -> dict[str, Any]:
    """Return two parts in which systems are better or worse than each other on every query."""
    found: dict[str, Any] = {
        f"{name}, {BASE}": {"bm25": (QUERIES + best).tolist(), "tf": QUERIES.tolist()},
        f"{name}, {CHOSEN}": QUERIES.tolist(),
    }
    for method in [*METHODS, OURS]:
        shift = svm_map if method == SVM_MAP else others
        found |= {
            f"{name}, {method}, part {n}": (QUERIES + shift + sign * 0.01).tolist() for n, sign in ((1, 1), (2, -1))
        }
    return found


def verdicts(exhibit: str, found: dict[str, Any]) -> list[str]:
    return [finding.verdict for finding in PAPER.report(PAPER.exhibit(exhibit), found).findings.values()]


def test_functions() -> None:
    assert verdicts("table-6", values("a", 0.2, 0.0, 0.1)) == ["holds"]
    assert verdicts("table-6", values("a", 0.1, 0.0, 0.1)) == ["does not hold"]  # the same is not better
    assert verdicts("table-6", values("a", 0.105, 0.0, 0.1)) == ["holds"]  # on every query, though by little
    assert verdicts("table-7", values("a", 0.1, 0.0, 0.1)) == ["holds"]  # but as good
    assert verdicts("table-7", values("a", 0.0, 0.0, 0.1)) == ["does not hold"]


def test_methods() -> None:
    assert verdicts("table-9", values("a", 0.2, 0.1, 0.0)) == ["holds", "holds"]
    assert verdicts("table-9", values("a", 0.1, 0.1, 0.0)) == ["does not hold", "holds"]
    assert verdicts("table-10", values("a", 0.1, 0.2, 0.0)) == ["does not hold", "does not hold"]


def test_tables_are_laid_out_as_in_the_paper() -> None:
    ours, theirs = PAPER.report(PAPER.exhibit("table-9"), values("a", 0.2, 0.1, 0.0)).tables
    assert ours.rows[0] == [SVM_MAP, "0.600", "-"]
    assert ours.rows[1] == ["SVM-roc", "0.500", "20/0 **"]
    assert [row[0] for row in ours.rows[:-1]] == [row[0] for row in theirs.rows]
    functions = PAPER.report(PAPER.exhibit("table-6"), values("a", 0.2, 0.1, 0.0)).tables[0]
    assert functions.rows[-1] == [CHOSEN, "0.400", "20/0 **"]


def test_tables_without_the_best_run_have_their_own_values() -> None:
    both = values("a", 0.2, 0.1, 0.0) | values("a without the best", 0.1, 0.1, 0.0)
    assert PAPER.report(PAPER.exhibit("table-7"), both).tables[0].rows[0] == [SVM_MAP, "0.600", "-"]
    assert PAPER.report(PAPER.exhibit("table-8"), both).tables[0].rows[0] == [SVM_MAP, "0.500", "-"]


def test_direction_of_claims_in_the_small_version(small_findings: Callable[[str], dict[str, Finding]]) -> None:
    found = small_findings("yue2007")
    assert found["not-below-roc-table-9"].verdict == "holds"
    assert found["as-good-as-best-run"].verdict == "not tested"
    assert "does not hold" not in {finding.verdict for finding in found.values()}


def test_queries_that_cannot_tell_are_inconclusive() -> None:
    found = values("a", 0.0, 0.0, 0.0)
    noise = np.where(np.arange(20) % 2, 0.3, -0.28)
    for part in (1, 2):
        found[f"a, {SVM_MAP}, part {part}"] = (QUERIES + noise).tolist()
    assert verdicts("table-6", found) == ["inconclusive"]
    assert verdicts("table-9", found) == ["inconclusive", "inconclusive"]


def test_one_collection_is_said_to_be_one() -> None:
    (finding,) = PAPER.report(PAPER.exhibit("table-7"), values("a", 0.1, 0.0, 0.1)).findings.values()
    assert "one collection alone (2 base functions)" in finding.evidence


def test_methods_may_be_left_out() -> None:
    found = {name: value for name, value in values("a", 0.2, 0.1, 0.0).items() if "SVM-roc" not in name}
    report = PAPER.report(PAPER.exhibit("table-9"), found)
    assert {claim: finding.verdict.value for claim, finding in report.findings.items()} == {
        "beats-classification-table-9": "holds",
        "not-below-roc-table-9": "not tested",
    }
    without = {name: value for name, value in found.items() if SVM_MAP not in name}
    assert {f.verdict for f in PAPER.report(PAPER.exhibit("table-9"), without).findings.values()} == {"not tested"}


def test_the_data_are_described() -> None:
    (ours, theirs) = PAPER.report(
        PAPER.exhibit("table-5"), {"a": {"functions": 2, "features": 100, "queries": 50, "documents": 9}}
    ).tables
    assert ours.rows == [["a", "2", "100", "50", "9"]]
    assert theirs.rows[2] == ["TREC 9 Submissions", "53", "2650"]
