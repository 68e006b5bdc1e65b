"""The section of a tuning's page on single queries: gains, losses, and example rankings."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._numerics.tolerance import SAME_VALUE
from rankmax.fusion.candidates import WeightedFusion
from rankmax.workflows.tuning.report.charts import differences
from rankmax.workflows.tuning.report.elements import Markup, legend, paragraph, section, table
from rankmax.workflows.tuning.tuning_result import SystemTuning

_MOST_BARS = 500
_EXTREMES = 5
_TOP = 10


def per_query(tuning: SystemTuning, summary: dict[str, Any]) -> str:
    """Return the section on single queries.

    Parameters
    ----------
    tuning : SystemTuning
    summary : dict
        Summary of the tuning.
    """
    metric, queries = summary["metrics"][0], tuning.signals.data.query_ids
    picked, current = tuning.pick.values[0], tuning.current_row.values[0]
    gains = np.where(np.abs(picked - current) <= SAME_VALUE, 0.0, picked - current)
    order = np.argsort(-gains, kind="stable")
    every = math.ceil(order.size / _MOST_BARS)
    bars = [
        (float(gains[q]), f"{queries[q]}: {gains[q]:+.4f} (pick {picked[q]:.4f}, current {current[q]:.4f})")
        for q in order[::every].tolist()
    ]
    winners, losers = int((gains > 0).sum()), int((gains < 0).sum())
    ties = order.size - winners - losers
    best = [q for q in order[:_EXTREMES].tolist() if gains[q] > 0]
    worst = [q for q in order[::-1][:_EXTREMES].tolist() if gains[q] < 0]

    def rows(chosen: list[int]) -> list[list[str]]:
        return [[queries[q], f"{current[q]:.4f}", f"{picked[q]:.4f}", f"{gains[q]:+.4f}"] for q in chosen]

    header = ["query", "current", "pick", "difference"]
    return section(
        "Winners and losers",
        "held out",
        paragraph(
            Markup(
                f"Pick minus current in {escape(metric)}: <b>{_count(winners, 'query', 'queries')}</b> better, "
                f"<b>{losers}</b> worse, <b>{ties}</b> the same; {summary['verdict']['observed']:+.4f} on average."
            )
        ),
        differences(bars, f"difference in {metric}"),
        legend(("pick", f"pick better ({winners})"), ("current", f"current better ({losers})")),
        paragraph("Each bar is a query" + (f"; one of every {every} is shown." if every > 1 else "."), "soft"),
        '<div class="pair">',
        "<div><h3>Largest gains</h3>" + table(header, rows(best)) + "</div>" if best else "",
        "<div><h3>Largest losses</h3>" + table(header, rows(worst)) + "</div>" if worst else "",
        "</div>",
        _rankings(tuning, best[:1], worst[:1], gains),
    )


def _rankings(tuning: SystemTuning, best: list[int], worst: list[int], gains: F64) -> str:
    verdict = tuning.verdict
    if verdict.pick == verdict.current:
        return paragraph(
            f"The pick from all queries is {verdict.current} itself, so there are no two rankings to show."
        )
    if not best and not worst:
        return ""
    shown = [
        f"<h3>{title}: query {escape(tuning.signals.data.query_ids[q])} ({gains[q]:+.4f})</h3>" + _beside(tuning, q)
        for title, chosen in (("Largest gain", best), ("Largest loss", worst))
        for q in chosen
    ]
    return "".join(shown) + paragraph(
        f"The top {_TOP} documents, with their grades (- where not judged) and their rank in the other ranking. "
        "The values above are held-out values, averages over folds that did not see the query; the rankings are those "
        "of the final pick, which was fitted to all queries.",
        "soft",
    )


def _beside(tuning: SystemTuning, query: int) -> str:
    one = np.array([query])
    orders = [_ranking(tuning, row.fusion, one) for row in (tuning.current_row, tuning.pick)]
    titles = (f"Current: {tuning.verdict.current}", f"Pick: {tuning.verdict.pick}")
    tables = [
        f"<div><h4>{escape(title)}</h4>{_top_documents(tuning, one, order, other, header)}</div>"
        for title, order, other, header in zip(
            titles, orders, reversed(orders), ("rank by pick", "rank by current"), strict=True
        )
    ]
    return f'<div class="pair">{"".join(tables)}</div>'


def _ranking(tuning: SystemTuning, fusion: WeightedFusion, query: I64) -> I64:
    """Return the documents of a query by a fusion's scores, best first; ties stay in the data's order."""
    data = tuning.signals.data.select(query)
    normalized = fusion.normalization.with_weights(fusion.weights).apply(data)
    return np.argsort(-normalized.scores(fusion.weights), kind="stable")


def _top_documents(tuning: SystemTuning, query: I64, order: I64, other: I64, header: str) -> str:
    data = tuning.signals.data.select(query)
    ids, grades = data.document_ids, data.grades
    rank_in_other = np.empty(other.size, np.int64)
    rank_in_other[other] = np.arange(1, other.size + 1)
    rows = []
    for rank, document in enumerate(order[:_TOP].tolist(), start=1):
        name = f"document {document + 1}" if ids is None else ids[document]
        grade = float(grades[document])
        shown = "-" if math.isnan(grade) else f"{grade:g}"
        relevant = "grade relevant" if grade > 0 else "grade"
        rows.append(
            [
                Markup(f'<span class="rank">{rank}</span> {escape(name)}'),
                Markup(f'<span class="{relevant}">{shown}</span>'),
                f"{rank_in_other[document]}",
            ]
        )
    return table(["document", "grade", header], rows)


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"
