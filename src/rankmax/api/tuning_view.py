"""A tuning as tables and facts, from the same data as --json and the web page."""

from __future__ import annotations

from typing import Any

from rankmax._result_views import Block, Facts, Table

_MOST_QUERIES = 5  # whose weights move most
_MOST_SHOWN = 12  # weights in a table; the files have all


def tuning_blocks(summary: dict[str, Any]) -> list[Block]:
    """Return the rows, the weights, and the verdict.

    Parameters
    ----------
    summary : dict
        Result of :func:`rankmax.workflows.tuning.tuning_summary.summarize`.
    """
    return [held_out_table(summary), *_weights(summary), Facts(_facts(summary))]


def held_out_table(summary: dict[str, Any]) -> Table:
    """Return the held-out values of all rows.

    Parameters
    ----------
    summary : dict
        Result of :func:`rankmax.workflows.tuning.tuning_summary.summarize_held_out`, or the whole summary.
    """
    metric, *others = summary["metrics"]
    current = summary["current"]["label"]
    title = (
        f"{summary['queries']} queries, {summary['documents']:,} candidates; held out in {summary['repeats']} x "
        f"{summary['folds']}-fold cross-validation"
    )
    rows = [_row(row, others) for row in summary["rows"]]
    if "varying" in summary:
        varying = summary["varying"]
        gain = varying["means"][metric] - summary["rows"][1]["mean"]
        means = [f"{varying['means'][name]:.4f}" for name in (metric, *others)]
        rows.append([varying["name"].removeprefix("weights "), *means, f"{gain:+.4f}", ""])
    shown = current if len(current) <= 24 else "current"
    header = ["", metric, *others, f"gain over {shown}", "95% interval"]
    return Table(header, rows, title=title)


def _row(row: dict[str, Any], others: list[str]) -> list[str]:
    name = f"{row['name']} (current)" if row["is_current"] and row["name"] != "current" else row["name"]
    cells = [name, f"{row['mean']:.4f}", *(f"{row['means'][other]:.4f}" for other in others)]
    if row["is_current"]:
        return [*cells, "", ""]
    low, high = row["gain_interval"]
    return [*cells, f"{row['gain']:+.4f}{row['marker'] or ' '}", f"{low:+.3f} to {high:+.3f}"]


def _weights(summary: dict[str, Any]) -> list[Table]:
    learned, ranges = summary["learned"], summary["plateau_ranges"]
    names = sorted(learned["weights"], key=lambda name: -learned["weights"][name])[:_MOST_SHOWN]
    header = ["weights", "learned", "round", "90% of samples", *(["within 1 s.e. of best"] if ranges else [])]
    rows = [
        [
            name,
            f"{learned['weights'][name]:.3f}",
            f"{learned['rounded_weights'][name]:g}",
            _range(learned["intervals"][name]),
            *([_range(ranges[name])] if ranges else []),
        ]
        for name in names
    ]
    tables = [Table(header, rows)]
    if "varying" in summary:
        by_label = summary["varying"]["weights"]
        rows = [[name, *(f"{weights[name]:.3f}" for weights in by_label.values())] for name in names]
        tables.append(Table([summary["varying"]["name"], *by_label], rows))
        if moved := summary["varying"].get("moved_queries"):
            rows = [
                [
                    one["query"],
                    *(f"{one['weights'][name]:.3f}" for name in names),
                    f"{one['because']} {one['value']:.4g} ({one['deviations']:+.1f} s.d.)",
                ]
                for one in moved[:_MOST_QUERIES]
            ]
            tables.append(Table(["weights move most for", *names, "because of"], rows))
    return tables


def _facts(summary: dict[str, Any]) -> dict[str, str]:
    pick, best = summary["pick"], summary["best"]
    facts = {}
    if summary["missing_shares"]:
        facts["missing from run"] = ", ".join(
            f"{name} {share:.0%}" for name, share in summary["missing_shares"].items()
        )
    if open_ends := _unjudged(summary):
        facts["not judged"] = open_ends
    doubt = "" if pick["folds_agree"] else ": the folds do not agree on it"
    facts["pick"] = f"{pick['label']}; {pick['agreement']}{doubt}"
    assumed = " (assumed; set it with --current)" if summary["current"]["assumed"] else ""
    here = ", tuned on these queries: its values are not held out" if summary["current"]["tuned_here"] else ""
    facts["current"] = f"{summary['current']['label']}{assumed}{here}"
    learned = summary["learned"]["normalization"]
    facts["best on these queries"] = f"{best['value']:.4f} with {learned}, standard error {best['standard_error']:.4f}"
    if best["proven"] is not None:
        facts["proven"] = best["proven"]
    if summary["plateau_share"] is not None:
        facts["plateau"] = f"{summary['plateau_share']:.0%} of all weights are within one standard error of the best"
    if "constraint" in summary:
        kept = summary["constraint"]
        met = "kept" if kept["met"] else "cannot be kept"
        facts["constraint"] = (
            f"{kept['text']} {met}: {kept['value']:.4f} on all queries, {kept['held_out']:.4f} held out"
        )
    if alone := summary["as_good_alone"]:
        facts["simpler"] = f"{alone} alone does no worse than the pick on held-out queries: see --current {alone}"
    facts["verdict"] = summary["verdict"]["text"]
    if "constraint" in summary and not summary["constraint"]["met"]:
        facts["verdict"] = "The constraint cannot be met, so nothing is recommended."
    if "varying" in summary:
        facts[f"verdict {summary['varying']['name'].removeprefix('weights ')}"] = summary["varying"]["verdict"]["text"]
    return facts


def _unjudged(summary: dict[str, Any]) -> str:
    """Return the share of unjudged documents in the pick and the current fusion, and the bounds of the metric."""
    found = {summary[which]["label"]: one for which, one in summary.get("unjudged", {}).items() if one["share"]}
    parts = [
        f"{one['share']:.0%} of the top {one['depth']} of {label}"
        + ("" if one["lowest"] is None else f", {summary['metrics'][0]} {one['lowest']:.2f} to {one['highest']:.2f}")
        for label, one in found.items()
    ]
    return "; ".join(parts)


def _range(ends: list[float]) -> str:
    return f"{ends[0]:.2f} to {ends[1]:.2f}"
