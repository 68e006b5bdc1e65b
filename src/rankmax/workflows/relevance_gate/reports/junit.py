"""JUnit XML of a relevance gate: a test case for every rule."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

from rankmax.workflows.relevance_gate.findings import Finding, GateReport, Outcome

_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(report: GateReport) -> bytes:
    """Return the outcome of every rule as JUnit XML: regressions are failures, what cannot be told errors.

    Parameters
    ----------
    report : GateReport
    """
    counts = {outcome: sum(one.outcome is outcome for one in report.findings) for outcome in Outcome}
    totals = {
        "tests": str(len(report.findings)),
        "failures": str(counts[Outcome.FAIL]),
        "errors": str(counts[Outcome.UNKNOWN]),
        "skipped": "0",
    }
    root = ElementTree.Element("testsuites", {"name": "rankmax check", **totals})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "rankmax check", **totals})
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (("baseline", report.baseline), ("queries", str(report.queries)), ("method", report.method)):
        ElementTree.SubElement(properties, "property", {"name": name, "value": _text(value)})
    for finding in report.findings:
        _add(suite, finding)
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _add(suite: ElementTree.Element, finding: Finding) -> None:
    names = {"name": _text(finding.subject), "classname": f"rankmax.check.{_text(finding.candidate)}.{finding.rule}"}
    case = ElementTree.SubElement(suite, "testcase", {**names, "time": "0"})
    kind = {Outcome.FAIL: "failure", Outcome.UNKNOWN: "error"}.get(finding.outcome)
    if kind is None:
        ElementTree.SubElement(case, "system-out").text = _text(finding.message)
        return
    told = ElementTree.SubElement(case, kind, {"message": _text(finding.message), "type": finding.rule})
    told.text = _text(f"{finding.candidate}: {finding.subject}: {finding.message}")


def _text(text: str) -> str:
    """Return text without the characters that XML has no place for."""
    return _NOT_IN_XML.sub("\ufffd", text)
