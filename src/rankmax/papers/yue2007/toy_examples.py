"""Tables 1 to 4: two hypotheses, of which other measures than average precision choose the worse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankmax._arrays import F64
from rankmax.metrics import AP, ROC
from rankmax.papers.papers import Exhibit, Study, Values
from rankmax.papers.reports import Finding, Report, Table, Verdict

_RELEVANT = {  # documents by number, as printed; h1 ranks them first to last, h2 last to first
    "ROC area": [1, 0, 0, 0, 0, 1, 1, 0],
    "accuracy": [1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0],
}
_HYPOTHESES = ("h1", "h2")


def best_accuracy(scores: F64, relevant: F64) -> float:
    """Return the highest share of documents that any threshold on the scores classifies correctly.

    Parameters
    ----------
    scores : array of float64
        All different.
    relevant : array of float64
        1 for relevant documents, 0 for others.

    Examples
    --------
    >>> best_accuracy(np.array([3.0, 2.0, 1.0]), np.array([0.0, 1.0, 0.0]))
    0.6666666666666666
    """
    ranked = relevant[np.argsort(-scores)]
    n_correct = [ranked[:cut].sum() + (1 - ranked[cut:]).sum() for cut in range(ranked.size + 1)]
    return float(max(n_correct) / ranked.size)


def _evaluate(other: str, _: object) -> dict[str, dict[str, float]]:
    relevant = np.array(_RELEVANT[other], np.float64)
    ascending = np.arange(1.0, relevant.size + 1)
    from rankmax.data.judgments import Judgments

    judgments = Judgments.from_grades(relevant, [0, relevant.size])
    found = {}
    for name, scores in zip(_HYPOTHESES, (ascending[::-1].copy(), ascending), strict=True):
        measured = (
            float(ROC().per_query(scores, judgments)[0]) if other == "ROC area" else best_accuracy(scores, relevant)
        )
        found[name] = {"MAP": float(AP().per_query(scores, judgments)[0]), other: measured}
    return found


_TOYS = Study(
    "toys",
    lambda setup: {},
    lambda setup: [(other, lambda values, other=other: _evaluate(other, values)) for other in _RELEVANT],  # type: ignore[misc]
    "nothing",
)


def _models(other: str, key: str, values: Values, expected: Mapping[str, Any]) -> Report:
    relevant = _RELEVANT[other]
    n = len(relevant)
    rows = [
        ["p", *map(str, relevant)],
        ["rank of h1", *(str(n - d) for d in range(n))],
        ["rank of h2", *(str(d + 1) for d in range(n))],
    ]
    return Report((Table("The example", ["document", *(str(d + 1) for d in range(n))], rows),))


def _performance(other: str, key: str, values: Values, expected: Mapping[str, Any]) -> Report:
    found, paper = values[other], expected[key]
    rows = [[name, *(f"{found[name][measure]:.2f}" for measure in ("MAP", other))] for name in _HYPOTHESES]
    best = {measure: max(_HYPOTHESES, key=lambda name: found[name][measure]) for measure in ("MAP", other)}
    as_printed = rows == paper["rows"]
    evidence = f"MAP chooses {best['MAP']}, {other} {best[other]}; {'as printed' if as_printed else paper['differs']}"
    holds = best["MAP"] != best[other]
    return Report(
        (
            Table("Computed", ["hypothesis", "MAP", other], rows),
            Table("As printed", ["hypothesis", "MAP", other], paper["rows"]),
        ),
        {f"differs-{key}": Finding(Verdict.HOLDS if holds else Verdict.FAILS, evidence)},
    )


def _exhibit(key: str, title: str, other: str, report: Any) -> Exhibit:
    return Exhibit(key, title, _TOYS, lambda values, expected: report(other, key, values, expected))


TABLE_1 = _exhibit("table-1", "Toy example: MAP and ROC area", "ROC area", _models)
TABLE_2 = _exhibit("table-2", "MAP and ROC area of the toy models", "ROC area", _performance)
TABLE_3 = _exhibit("table-3", "Toy example: MAP and accuracy", "accuracy", _models)
TABLE_4 = _exhibit("table-4", "MAP and best accuracy of the toy models", "accuracy", _performance)
