"""The section of a tuning's page on the weights and their confidence."""

from __future__ import annotations

from html import escape
from typing import Any

from rankmax.workflows.tuning.confidence import WeightConfidence
from rankmax.workflows.tuning.report.axes import Mark
from rankmax.workflows.tuning.report.charts import histograms
from rankmax.workflows.tuning.report.elements import Markup, legend, paragraph, section, table
from rankmax.workflows.tuning.tuning_result import SystemTuning

_MOST_HISTOGRAMS = 12


def weights_and_doubt(tuning: SystemTuning, confidence: WeightConfidence, summary: dict[str, Any]) -> str:
    """Return the section on the weights.

    Parameters
    ----------
    tuning : SystemTuning
    confidence : WeightConfidence
        Confidence in its learned weights.
    summary : dict
        Summary of both.
    """
    learned, current, pick = summary["learned"], summary["current"], summary["pick"]
    ranges, names = summary["plateau_ranges"], list(learned["weights"])
    order = sorted(range(len(names)), key=lambda j: -learned["weights"][names[j]])
    comparable = current["normalization"] == learned["normalization"] and all(
        0 <= weight <= 1 for weight in current["weights"].values()
    )
    is_pick = pick["label"] == learned["label"]
    header = ["", "learned", "round", "90% of samples", *(["within 1 s.e. of best"] if ranges else [])]
    header += [] if is_pick else ["pick"]
    rows = []
    for j in order:
        name = names[j]
        cells = [
            f"{learned['weights'][name]:.3f}",
            f"{learned['rounded_weights'][name]:g}",
            between(learned["intervals"][name]),
            *([between(ranges[name])] if ranges else []),
            *([] if is_pick else [f"{pick['weights'][name]:.3f}"]),
            f"{current['weights'][name]:.3f}",
        ]
        rows.append([name, *cells])
    shown = order[:_MOST_HISTOGRAMS]
    marks = []
    for name in (names[j] for j in shown):
        own = [Mark(learned["weights"][name], f"learned {learned['weights'][name]:.3f}", "pick")]
        if comparable:
            own.append(Mark(current["weights"][name], f"current {current['weights'][name]:.3f}", "current"))
        marks.append(own)
    return section(
        "The weights and their confidence",
        "on these queries",
        paragraph(
            Markup(
                f"The pick is <b>{escape(pick['label'])}</b>, {escape(pick['agreement'])}. "
                f"The learned weights below are for scores normalized within each query by "
                f"<b>{escape(learned['normalization'])}</b>; the current fusion, {escape(current['label'])}, uses "
                f"<b>{escape(current['normalization'])}</b>"
                + ("." if comparable else ", so that its weights are not comparable with them and not marked.")
            )
        ),
        histograms([names[j] for j in shown], confidence.resampled[:, shown], marks),
        legend(
            ("box", "best weights for resampled queries"),
            ("pick", "learned"),
            *([("current", "current")] if comparable else []),
        ),
        table([*header, "current"], rows),
        paragraph(
            "90% of samples: range of the best weights over resampled queries. "
            + ("Within 1 s.e. of best: range of the weights within one standard error of the best. " if ranges else "")
            + f"Mean geodesic distance of the resampled weights from the learned ones: {learned['spread']:.3f}.",
            "soft",
        ),
    )


def between(ends: list[float]) -> str:
    """Return a range of weights as text.

    Parameters
    ----------
    ends : pair of float

    Examples
    --------
    >>> between([0.25, 1.0])
    '0.25 to 1.00'
    """
    return f"{ends[0]:.2f} to {ends[1]:.2f}"
