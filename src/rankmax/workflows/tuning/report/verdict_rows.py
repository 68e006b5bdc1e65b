"""The first sections of a tuning's page: the verdict, and all fusion methods compared with the current one."""

from __future__ import annotations

from html import escape
from typing import Any

from rankmax.workflows.tuning.report.axes import Kind
from rankmax.workflows.tuning.report.charts import GainRow, forest
from rankmax.workflows.tuning.report.elements import Markup, legend, listed, paragraph, section, table

_KINDS = {"use it": "use", "probably better": "probably", "cannot tell": "unsure", "keep the current one": "keep"}
_LONGEST = 24  # characters of a label that fits below a chart


def verdict_banner(summary: dict[str, Any]) -> str:
    """Return the title and the verdict.

    Parameters
    ----------
    summary : dict
        Result of :func:`rankmax.workflows.tuning.tuning_summary.summarize`.
    """
    verdict, current, pick = summary["verdict"], summary["current"], summary["pick"]
    word = verdict["word"]
    said = verdict["text"].removeprefix(f"{word.capitalize()}: ")
    assumed = (
        f"{current['label']} was assumed to be the current fusion, because --current was not given."
        if current["assumed"]
        else f"The current fusion is {current['label']}, as given by --current."
    )
    return (
        f"<h1>Weights for {escape(listed(list(summary['weights'])))}</h1>"
        + paragraph(
            f"{summary['metrics'][0]} on {summary['queries']:,} judged queries with {summary['documents']:,} "
            "candidate documents.",
            "soft",
        )
        + f'<section class="banner {_KINDS[word]}"><p class="verdict"><span class="pill">{word.capitalize()}</span> '
        + f"{escape(said)}</p>"
        + (_odds(verdict) if verdict["pick"] != verdict["current"] else "")
        + paragraph(assumed, "soft")
        + ("" if pick["folds_agree"] else paragraph(_doubt(pick), "soft"))
        + "</section>"
    )


def _doubt(pick: dict[str, Any]) -> str:
    return (
        f"The folds do not agree on the pick: {pick['label']} was {pick['agreement']}. With other queries, another "
        "candidate may well be picked; the stated gain allows for that."
    )


def _odds(verdict: dict[str, Any]) -> str:
    """Return the probability as a divided bar, with the gain and the loss."""
    better = min(max(verdict["probability"], 0.01), 0.99)
    low, high = verdict["interval"]
    facts = [
        (f"{better:.0%}", "probability that the pick does better on as many new queries"),
        (f"{verdict['expected']:+.4f}", "expected gain on new queries"),
        (f"{verdict['expected_loss']:.4f}", "expected loss, if it does worse"),
        (f"{verdict['observed']:+.4f}", f"gain on held-out queries, 95% interval {low:+.3f} to {high:+.3f}"),
    ]
    tiles = "".join(f"<div><dd>{escape(number)}</dd><dt>{escape(label)}</dt></div>" for number, label in facts)
    return (
        f'<div class="odds" aria-hidden="true"><i class="pick" style="width:{better:.0%}"></i>'
        f'<i class="current" style="width:{1 - better:.0%}"></i></div>'
        + legend(
            ("pick", f"{better:.0%}: {verdict['pick']} does better"),
            ("current", f"{1 - better:.0%}: {verdict['current']} does better"),
        )
        + f'<dl class="facts">{tiles}</dl>'
    )


def fusion_rows(summary: dict[str, Any]) -> str:
    """Return the table of all fusion methods, with a forest plot of their gains.

    Parameters
    ----------
    summary : dict
    """
    metric, *others = summary["metrics"]
    rows, kinds, gains = [], [], []
    for i, row in enumerate(summary["rows"]):
        kind: Kind = "pick" if i == 0 else "current" if row["is_current"] else "other"
        low, high = row["gain_interval"]
        rows.append(
            [
                _named(row, kind),
                f"{row['mean']:.4f}",
                *(f"{row['means'][other]:.4f}" for other in others),
                "" if row["is_current"] else Markup(f'{row["gain"]:+.4f}<span class="marker">{row["marker"]}</span>'),
                "" if row["is_current"] else f"{low:+.3f} to {high:+.3f}",
                f"{row['interval'][0]:.3f} to {row['interval'][1]:.3f}",
            ]
        )
        kinds.append(kind)
        gains.append(GainRow(row["name"], row["gain"], (low, high), kind))
    if "varying" in summary:
        varying = summary["varying"]
        gain = varying["means"][metric] - summary["rows"][1]["mean"]
        means = [f"{varying['means'][name]:.4f}" for name in others]
        name = varying["name"].removeprefix("weights ")
        rows.append([name, f"{varying['means'][metric]:.4f}", *means, f"{gain:+.4f}", "", ""])
        kinds.append("other")
    current = summary["current"]["label"]
    over = current if len(current) <= _LONGEST else "the current fusion"
    return section(
        "All fusion methods, compared with the current one",
        "held out",
        paragraph(
            "Each query's value comes from weights that were learned, and a candidate that was selected, without that "
            f"query: {summary['repeats']} times, the queries are split into {summary['folds']} folds, and each fold is "
            "evaluated with the weights fitted to the other folds. Where a row represents several candidates, as "
            "“pick” represents all, an inner cross-validation within those other folds selects one, so that the cost "
            "of selection is part of the value. Fixed weights, as those of RRF or of one system alone, learn nothing."
        ),
        paragraph(
            "Sections marked “on these queries” learn from all queries and evaluate on the same; their values tend "
            "to be higher than those on new queries."
        ),
        forest(gains, f"gain in {metric} over {over}"),
        legend(("pick", "pick"), ("current", "current"), ("other", "others")),
        table(
            ["", *summary["metrics"], "gain over current", "95% interval of the gain", f"95% interval of {metric}"],
            rows,
            kinds,
        ),
        paragraph(
            "▲ the interval of the gain lies above 0, ▼ below. Intervals are bootstrap ones over queries; those of "
            "gains are paired, query by query.",
            "soft",
        ),
    )


def _named(row: dict[str, Any], kind: Kind) -> Markup:
    badge = "" if kind == "other" else f' <span class="badge {kind}">{kind}</span>'
    name = row["label"] if kind == "pick" else row["name"]
    return Markup(f"{escape(name)}{badge}")
