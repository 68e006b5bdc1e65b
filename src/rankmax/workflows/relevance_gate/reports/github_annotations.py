"""Workflow commands of GitHub Actions, which annotate files."""

from __future__ import annotations

from collections.abc import Iterator

from rankmax.workflows.relevance_gate.findings import GateReport, Outcome
from rankmax.workflows.relevance_gate.reports.source_locations import SourceLocations

_COMMANDS = {Outcome.FAIL: "error", Outcome.UNKNOWN: "error", Outcome.WARNING: "warning"}


def github_annotations(report: GateReport, locations: SourceLocations) -> Iterator[str]:
    """Yield a workflow command for every rule that does not hold.

    Parameters
    ----------
    report : GateReport
    locations : SourceLocations
    """
    for finding in report.findings:
        if finding.outcome not in _COMMANDS:
            continue
        path, line = locations.of(finding)
        place = "" if path is None else f"file={_property(path)},line={line},"
        title = f"{finding.candidate}: {finding.subject}"
        told = f"cannot tell: {finding.message}" if finding.outcome is Outcome.UNKNOWN else finding.message
        yield f"::{_COMMANDS[finding.outcome]} {place}title={_property(title)}::{_data(told)}"


def _data(text: str) -> str:
    """Return text escaped as GitHub asks for, so that nothing in it begins a command of its own."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
