"""SARIF of a relevance gate, for code scanning."""

from __future__ import annotations

import hashlib
from typing import Any
from urllib.parse import quote

from rankmax._version import __version__
from rankmax.workflows.relevance_gate.findings import Finding, GateReport, Outcome
from rankmax.workflows.relevance_gate.reports.source_locations import SourceLocations

RULES = {
    "significance": "A metric must not be significantly worse than the baseline's.",
    "guardrail": "A guardrail metric must not be significantly worse than the baseline's.",
    "margin": "A metric must be shown to be no worse than the baseline's by a margin.",
    "floor": "A metric must not be below its floor.",
    "must-win": "A must-win query must not lose.",
    "fallen": "Queries must not fall from 1 to 0.",
    "unjudged": "The top documents must be judged.",
    "latency": "Queries must not take too long.",
}
"""Rules of a gate by their names."""

_LEVELS = {Outcome.FAIL: "error", Outcome.UNKNOWN: "error", Outcome.WARNING: "warning"}


def sarif_log(report: GateReport, locations: SourceLocations) -> dict[str, Any]:
    """Return a log of SARIF 2.1.0 as plain data, with a result for every rule that does not hold.

    Parameters
    ----------
    report : GateReport
    locations : SourceLocations
    """
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in RULES.items()]
    driver = {"name": "rankmax check", "semanticVersion": __version__, "rules": rules}
    results = [_result(one, locations) for one in report.findings if one.outcome in _LEVELS]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results, "columnKind": "utf16CodeUnits"}],
    }


def _result(finding: Finding, locations: SourceLocations) -> dict[str, Any]:
    told = f"{finding.candidate}: {finding.subject}: {finding.message}"
    if finding.outcome is Outcome.UNKNOWN:
        told = f"Cannot tell. {told}"
    path, line = locations.of(finding)
    # The same finding of the next run has other numbers, so it is known by its subject.
    known_by = f"{finding.rule}\0{finding.candidate}\0{finding.subject}".encode()
    place = {"artifactLocation": {"uri": quote(path or "rankmax.toml")}, "region": {"startLine": line}}
    return {
        "ruleId": finding.rule,
        "ruleIndex": list(RULES).index(finding.rule),
        "level": _LEVELS[finding.outcome],
        "message": {"text": told},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"rankmaxCheck/v1": hashlib.sha256(known_by).hexdigest()[:32]},
    }
