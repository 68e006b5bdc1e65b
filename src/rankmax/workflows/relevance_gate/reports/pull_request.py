"""Markdown of a relevance gate, as a comment on a pull request."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rankmax.errors import counted
from rankmax.workflows.relevance_gate.findings import Cell, FallenQuery, GateReport, Outcome, RankedDocument

VERDICTS = {
    Outcome.PASS: "No regression found",
    Outcome.FAIL: "Relevance regression",
    Outcome.UNKNOWN: "Cannot tell",
}
"""Outcome of a gate in words."""

_MARKS = {Outcome.PASS: "✅", Outcome.FAIL: "❌", Outcome.UNKNOWN: "❔", Outcome.WARNING: "⚠️"}
# Entities in one pass: none of these characters is then Markdown, HTML, a mention, or the end of a line.
_SPECIAL = str.maketrans({char: f"&#{ord(char)};" for char in "&<>\"'\\`*_{}[]#|~@\r\n\t"})
_LONGEST_NAME, _LONGEST_TEXT = 200, 600  # characters


def pull_request_comment(report: GateReport) -> str:
    """Return a report in GitHub's Markdown.

    Parameters
    ----------
    report : GateReport
    """
    lines = [f"## {_MARKS[report.outcome]} {VERDICTS[report.outcome]}", ""]
    lines += [
        f"{_safe(name)} against the baseline {_safe(report.baseline)}, {counted(report.queries, 'query', 'queries')}."
        for name in report.candidates
    ]
    lines += ["", *_cells(report), "", *_findings(report), *_fallen(report.fallen, report.main_metric)]
    chances = "; ".join(f"{_safe(name)}: {100 * share:.0f}%" for name, share in report.power.items())
    lines += [f"<sub>{_plain(report.method)}."]
    if chances:
        lines += [
            f"On as many other queries of this kind, this change would be found worse with a probability of {chances}."
        ]
    return "\n".join([*lines, "</sub>"]) + "\n"


def _cells(report: GateReport) -> Iterator[str]:
    several = len(report.candidates) > 1
    outcomes = {(one.candidate, one.subject): one.outcome for one in report.findings}
    names = ["", *(["candidate"] if several else []), "metric", "queries", "baseline", "candidate", "difference", "p"]
    yield from _header([*names, "smallest drop noticed (4 of 5)"], left=3 if several else 2)
    for cell in report.cells:
        outcome = outcomes.get((cell.candidate, cell.name))
        mark = "" if outcome is None else _MARKS[outcome]
        first = [mark, *([_safe(cell.candidate)] if several else []), _safe(cell.name)]
        yield _row([*first, *cell_numbers(cell)])


def cell_numbers(cell: Cell) -> list[str]:
    """Return the numbers of a cell as text: queries, means, difference, corrected p-value, smallest noticed drop.

    Parameters
    ----------
    cell : Cell
    """
    p, drop = cell.corrected_p_value, cell.noticeable_drop
    return [
        f"{cell.queries:,}",
        f"{cell.baseline:.4f}",
        f"{cell.value:.4f}",
        f"{cell.difference:+.4f}",
        "" if math.isnan(p) else f"{p:.4f}",
        "" if math.isnan(drop) else f"{drop:.4f}",
    ]


def _findings(report: GateReport) -> Iterator[str]:
    told = [one for one in report.findings if one.outcome is not Outcome.PASS]
    for one in told:
        told_of = f"**{_plain(one.subject)}** ({one.rule}, {_safe(one.candidate)})"
        yield f"- {_MARKS[one.outcome]} {told_of}: {_plain(one.message)}"
    n_held = len(report.findings) - len(told)
    if n_held:
        yield f"- {_MARKS[Outcome.PASS]} {n_held} {'rule holds' if n_held == 1 else 'rules hold'}"
    yield ""


def _fallen(fallen: Sequence[FallenQuery], metric: str) -> Iterator[str]:
    if not fallen:
        return
    yield f"### Queries that fell most in {_plain(metric)}"
    yield ""
    for one in fallen:
        text = "" if one.text is None else f": {_plain(one.text)}"
        change = f"{one.baseline:.4f} to {one.value:.4f}"
        yield f"<details><summary>{_safe(one.query)}{text} ({change}, {_safe(one.candidate)})</summary>"
        yield ""
        yield from _header(["rank", "baseline", "candidate"], left=3)
        before, after = one.before or (), one.after or ()
        for rank in range(max(len(before), len(after))):
            yield _row([str(rank + 1), _document(before, rank), _document(after, rank)])
        if one.before is None:
            yield ""
            yield "The baseline has no rankings."
        yield ""
        yield "</details>"
        yield ""


def _document(ranking: Sequence[RankedDocument], rank: int) -> str:
    if rank >= len(ranking):
        return ""
    grade = ranking[rank].grade
    return f"{_safe(ranking[rank].id)} ({'not judged' if grade is None else f'grade {grade:g}'})"


def _header(names: Sequence[str], left: int) -> Iterator[str]:
    yield _row(names)
    yield _row([":--" if place < left else "--:" for place in range(len(names))])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """Return text in which nothing is Markdown, HTML, a link or a mention."""
    shown = text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}..."
    return shown.translate(_SPECIAL).replace("://", "&#58;//")


def _safe(name: str) -> str:
    """Return a name as code, whatever characters it has."""
    shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..."
    return f"<code>{_plain(shown)}</code>"
