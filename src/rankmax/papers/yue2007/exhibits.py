"""Tables 5 to 11: the data; average precision, wins and losses, and the Wilcoxon test."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmax._arrays import F64
from rankmax.evaluation.significance import wilcoxon_test
from rankmax.papers.papers import Exhibit, Values
from rankmax.papers.reports import Finding, Report, Table
from rankmax.papers.verdicts import Interval, Rule, all_of
from rankmax.papers.yue2007.learning import OURS, SVM_MAP, SVM_ROC
from rankmax.papers.yue2007.studies import (
    BASE,
    CHOSEN,
    DESCRIPTION,
    FUNCTIONS,
    SUBMISSIONS,
    WITHOUT_BEST,
    mean_over_parts,
)

_LEVEL = 0.05
_PLACES = ("Best Func.", "2nd Best", "3rd Best")


@dataclass(frozen=True)
class _Beside:
    """Comparison of SVM-map with another system, query by query."""

    differences: F64
    mean: float
    wins: int
    losses: int
    p_value: float

    @classmethod
    def of(cls, svm_map: F64, other: F64) -> _Beside:
        differences = svm_map - other
        p_value = wilcoxon_test(svm_map, other).p_value if differences.any() else 1.0
        return cls(
            differences, float(other.mean()), int((differences > 0).sum()), int((differences < 0).sum()), p_value
        )

    @property
    def is_significant(self) -> bool:
        return self.p_value < _LEVEL

    @property
    def cells(self) -> list[str]:
        return [f"{self.mean:.3f}", f"{self.wins}/{self.losses}{' **' if self.is_significant else ''}"]


@dataclass(frozen=True)
class _Collection:
    """Results on one collection."""

    name: str
    n_functions: int
    svm_map: F64
    functions: dict[str, _Beside]  # the three best, best first, and those that the trials select
    methods: dict[str, _Beside]

    @property
    def mean(self) -> float:
        return float(self.svm_map.mean())


def _collections(values: Values, *, without_best: bool) -> list[_Collection]:
    grouped: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        collection, _, kind = name.rpartition(", ")
        if kind in {BASE, CHOSEN}:
            grouped.setdefault(collection, {})[kind] = value
        elif match := re.fullmatch(r"(.+), (.+), part \d+", name):
            grouped.setdefault(match[1], {}).setdefault(match[2], []).append(value)
    found = []
    for name, by_method in grouped.items():
        if name.endswith(WITHOUT_BEST) == without_best:
            base, chosen = by_method.pop(BASE), by_method.pop(CHOSEN)
            means = {method: mean_over_parts(parts) for method, parts in by_method.items()}
            if SVM_MAP not in means:  # left out by --methods
                continue
            svm_map = means.pop(SVM_MAP)
            best = sorted(base.values(), key=lambda one: -float(np.mean(one)))[: len(_PLACES)]
            shown = {**dict(zip(_PLACES, best, strict=False)), CHOSEN: chosen}
            functions = {place: _Beside.of(svm_map, np.array(one)) for place, one in shown.items()}
            methods = {method: _Beside.of(svm_map, one) for method, one in means.items()}
            found.append(_Collection(name.removesuffix(WITHOUT_BEST), len(base), svm_map, functions, methods))
    return found


def _tables(title: str, collections: list[_Collection], rows: list[str], paper: Mapping[str, Any]) -> list[Table]:
    header = ["model", *(cell for one in collections for cell in (f"{one.name} MAP", "W/L"))]
    lines = [[SVM_MAP, *(cell for one in collections for cell in (f"{one.mean:.3f}", "-"))]]
    for row in rows:
        besides = [one.functions.get(row) or one.methods.get(row) for one in collections]
        lines.append([row, *(cell for beside in besides for cell in (beside.cells if beside else ["", ""]))])
    return [
        Table(f"{title} (W/L: queries on which SVM-map is better and worse; ** significant)", header, lines),
        Table("The paper's, on WT10g", ["model", "TREC 9 MAP", "W/L", "TREC 10 MAP", "W/L"], paper["rows"]),
    ]


def _against_functions(key: str, claim: str, values: Values, expected: Mapping[str, Any]) -> Report:
    collections = _collections(values, without_best=key == "table-8")
    tables = _tables("Average precision over trials", collections, [*_PLACES, CHOSEN], expected[key])
    if not collections:
        return Report()
    shown = ", ".join(f"{one.name} {one.mean:.3f} to {one.functions[_PLACES[0]].mean:.3f}" for one in collections)
    besides = [one.functions[_PLACES[0]] for one in collections]
    return Report(tables, {claim: _decided(Rule.of_claim(expected, claim), besides, collections, shown)})


def _against_methods(key: str, values: Values, expected: Mapping[str, Any]) -> Report:
    collections = _collections(values, without_best=key == "table-11")
    if not collections:
        return Report()
    rows = [method for method in collections[0].methods if method != OURS]
    tables = _tables("Average precision over trials", collections, [*rows, OURS], expected[key])
    classification, roc = f"beats-classification-{key}", f"{'not-below' if key == 'table-9' else 'beats'}-roc-{key}"
    found = {
        method: _decided(
            Rule.of_claim(expected, roc if method == SVM_ROC else classification),
            [one.methods[method] for one in collections],
            collections,
            method,
        )
        for method in rows
    }
    findings = {} if SVM_ROC not in found else {roc: found.pop(SVM_ROC)}
    if found:
        findings[classification] = all_of(list(found.values()))
    return Report(tables, findings)


def _decided(rule: Rule, besides: list[_Beside], collections: list[_Collection], note: str) -> Finding:
    """Decide by the differences of each query's average precision, every collection counting alike."""
    interval = Interval.of_strata([beside.differences for beside in besides])
    better = sum(beside.is_significant and beside.differences.mean() > 0 for beside in besides)
    worse = sum(beside.is_significant and beside.differences.mean() < 0 for beside in besides)
    only = f", one collection alone ({collections[0].n_functions} base functions)" if len(collections) == 1 else ""
    tested = f"significantly better on {better} of {len(besides)} collections and worse on {worse}{only}"
    return rule.finding(interval, "queries", note, tested)


def _functions_exhibit(key: str, claim: str, title: str, study: Any) -> Exhibit:
    return Exhibit(key, title, study, lambda values, expected: _against_functions(key, claim, values, expected))


def _methods_exhibit(key: str, title: str, study: Any) -> Exhibit:
    return Exhibit(key, title, study, lambda values, expected: _against_methods(key, values, expected))


def _description(values: Values, expected: Mapping[str, Any]) -> Report:
    rows = [[name, *(str(number) for number in one.values())] for name, one in values.items()]
    paper = expected["table-5"]
    return Report(
        (
            Table("Data sets", ["data set", "base functions", "features", "queries", "documents"], rows),
            Table("The paper's", ["data set", "base functions", "features"], paper["rows"]),
        )
    )


TABLE_5 = Exhibit("table-5", "Data sets: base functions and indicators", DESCRIPTION, _description)
TABLE_6 = _functions_exhibit("table-6", "beats-functions", "SVM-map and the best retrieval functions", FUNCTIONS)
TABLE_7 = _functions_exhibit("table-7", "as-good-as-best-run", "SVM-map and the best submitted runs", SUBMISSIONS)
TABLE_8 = _functions_exhibit("table-8", "as-good-without-best", "The same, trained without the best run", SUBMISSIONS)
TABLE_9 = _methods_exhibit("table-9", "SVMs trained on retrieval functions", FUNCTIONS)
TABLE_10 = _methods_exhibit("table-10", "SVMs trained on submitted runs", SUBMISSIONS)
TABLE_11 = _methods_exhibit("table-11", "SVMs trained on submitted runs without the best", SUBMISSIONS)
