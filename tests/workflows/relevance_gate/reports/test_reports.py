"""Reports of a gate: valid for the programs that read them, whatever names the data has."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from html import unescape

import msgspec

from rankmax.workflows.relevance_gate.findings import (
    Cell,
    FallenQuery,
    Finding,
    GateReport,
    Outcome,
    RankedDocument,
)
from rankmax.workflows.relevance_gate.reports.github_annotations import github_annotations
from rankmax.workflows.relevance_gate.reports.junit import junit_xml
from rankmax.workflows.relevance_gate.reports.pull_request import pull_request_comment
from rankmax.workflows.relevance_gate.reports.sarif import RULES, sarif_log
from rankmax.workflows.relevance_gate.reports.source_locations import SourceLocations

HOSTILE = "x|<b>&`[@a](http://b)\x07::error::%0A"
CELL = Cell("new", "nDCG@10", None, 40, 0.5, 0.4, 0.001, 0.002, 0.9, 0.04, 0.1, 0.45)
FINDINGS = (
    Finding("significance", Outcome.FAIL, "new", "nDCG@10", "0.5000 to 0.4000\nworse"),
    Finding("margin", Outcome.UNKNOWN, "new", "AP", "not shown"),
    Finding("fallen", Outcome.WARNING, HOSTILE, f"query {HOSTILE}", HOSTILE, "q7"),
    Finding("floor", Outcome.PASS, "new", "AP >= 0.1", "0.2000"),
)
FALLEN = FallenQuery(
    "new", HOSTILE, "red | shoes\n# title", 1.0, 0.0, (RankedDocument("d1", 2.0),), (RankedDocument(HOSTILE, None),)
)
REPORT = GateReport("old", ("new",), "nDCG@10", 40, FINDINGS, (CELL,), (FALLEN,), 0.04, "a test", {"new": 0.9})
LOCATIONS = SourceLocations("rankmax.toml", "baseline.tsv", {"q7": 12})


def test_junit_counts_failures_and_errors() -> None:
    suite = ElementTree.fromstring(junit_xml(REPORT))[0]
    assert {name: suite.attrib[name] for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4",
        "failures": "1",
        "errors": "1",
        "skipped": "0",
    }
    cases = suite.findall("testcase")
    assert [[child.tag for child in case] for case in cases] == [["failure"], ["error"], ["system-out"], ["system-out"]]
    assert cases[0].attrib["classname"] == "rankmax.check.new.significance"
    assert cases[2].attrib["name"] == f"query {HOSTILE}".replace("\x07", "\ufffd")


def test_sarif_has_what_code_scanning_asks_for() -> None:
    log = json.loads(msgspec.json.encode(sarif_log(REPORT, LOCATIONS)))
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    run = log["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(RULES)
    assert [(one["ruleId"], one["level"]) for one in run["results"]] == [
        ("significance", "error"),
        ("margin", "error"),
        ("fallen", "warning"),
    ]
    for one in run["results"]:
        assert run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"]
        assert one["message"]["text"]
    places = [one["locations"][0]["physicalLocation"] for one in run["results"]]
    assert [(one["artifactLocation"]["uri"], one["region"]["startLine"]) for one in places] == [
        ("rankmax.toml", 1),
        ("rankmax.toml", 1),
        ("baseline.tsv", 12),
    ]
    prints = [one["partialFingerprints"]["rankmaxCheck/v1"] for one in run["results"]]
    assert len(set(prints)) == 3


def test_annotations_are_one_command_each() -> None:
    lines = list(github_annotations(REPORT, LOCATIONS))
    assert lines[0] == "::error file=rankmax.toml,line=1,title=new%3A nDCG@10::0.5000 to 0.4000%0Aworse"
    assert lines[1].endswith("::cannot tell: not shown")
    assert re.fullmatch(r"::warning file=baseline.tsv,line=12,title=[^:,]*::.*", lines[2])
    assert "%250A" in lines[2]
    assert not any("\n" in line for line in lines)


def test_markdown_shows_names_and_lets_them_do_nothing() -> None:
    text = pull_request_comment(REPORT)
    assert text.startswith("## ❌ Relevance regression\n")
    for special in ("<b>", "`[", "](http", "@a", "://b"):
        assert special not in text
    assert HOSTILE in unescape(text)
    rows = [line for line in text.splitlines() if line.startswith("| 1 |")]
    assert [row.count("|") for row in rows] == [4]
    assert "(grade 2)" in rows[0]
    assert "(not judged)" in rows[0]
    assert "0.0400" in text  # the smallest drop that would be noticed
    assert "\n# title" not in text


def test_markdown_of_a_pass() -> None:
    passed = GateReport("old", ("new",), "nDCG@10", 40, FINDINGS[3:], (CELL,), (), 0.04, "a test", {})
    text = pull_request_comment(passed)
    assert "No regression found" in text
    assert "1 rule holds" in text
    assert "fell most" not in text


def test_outcomes_become_statuses() -> None:
    def status(*outcomes: Outcome) -> int:
        found = tuple(Finding("floor", outcome, "new", "AP", "") for outcome in outcomes)
        return GateReport("old", ("new",), "AP", 1, found, (), (), 0.04, "", {}).exit_status

    assert status(Outcome.PASS, Outcome.WARNING) == 0
    assert status(Outcome.PASS, Outcome.UNKNOWN) == 2
    assert status(Outcome.UNKNOWN, Outcome.FAIL) == 1
