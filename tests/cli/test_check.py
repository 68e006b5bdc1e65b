"""`rankmax check`: statuses, reports, and the GitHub Action and pre-commit hook around it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import yaml

from oracles.deployed_project import Deployed

ROOT = Path(__file__).parents[2]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write judgments of twelve queries, and runs that are perfect, nearly so, and the reverse."""
    queries = range(12)
    (tmp_path / "qrels.txt").write_text("".join(f"q{q} 0 d{d} {int(d == 1)}\n" for q in queries for d in (1, 2, 3)))
    orders = {"good": (1, 2, 3), "same": (1, 3, 2), "bad": (3, 2, 1)}
    for name, order in orders.items():
        lines = [f"q{q} Q0 d{d} {r} {9 - r} {name}\n" for q in queries for r, d in enumerate(order)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "rankmax.toml").write_text(
        'qrels = "qrels.txt"\n[check]\nbaseline = "baseline.tsv"\ncandidate = "good.run"\nmetrics = ["RR", "AP"]\n'
    )
    return tmp_path


def test_statuses(rankmax, files: Path) -> None:
    done = rankmax("check")
    assert (done.status, "--update-baseline writes one" in done.err) == (2, True)
    assert rankmax("check", "--update-baseline").status == 0
    done = rankmax("check", "rankmax.toml", "--candidate", "same.run")
    assert (done.status, "No regression found" in done.out) == (0, True)
    done = rankmax("check", "--candidate", "bad.run")  # the rankmax.toml of this folder
    assert (done.status, "Relevance regression" in done.out) == (1, True)
    done = rankmax("check", "rankmax.toml", "--candidate", "absent.run")
    assert (done.status, "absent.run: no such file" in done.err) == (2, True)
    done = rankmax("check", "--qrels", "qrels.txt", "--baseline", "good.run", "--candidate", "bad.run", "-m", "RR")
    assert done.status == 1
    (files / "rankmax.toml").unlink()
    done = rankmax("check", "--candidate", "bad.run")
    assert (done.status, "no qrels: give one (--qrels)" in done.err) == (2, True)
    done = rankmax("check")
    assert (done.status, "rankmax.toml: no such file" in done.err) == (2, True)


def test_segments_too_small_to_test_are_warnings_and_no_rules_that_fail(rankmax, files: Path) -> None:
    rows = "".join(f"q{q}\ttext\t{'rare' if q < 2 else 'usual'}\n" for q in range(12))
    (files / "topics.tsv").write_text("query\ttext\tkind\n" + rows)
    common = ("check", "--qrels", "qrels.txt", "--baseline", "good.run", "--candidate", "same.run", "-m", "RR")
    done = rankmax(*common, "--topics", "topics.tsv", "--segment", "kind")
    assert (done.status, "No regression found: 2 of 2 rules hold, 1 warning\n" in done.out) == (0, True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('guardrail = ["AP"]', "rankmax.toml: [check]: unknown rule 'guardrail'; did you mean 'guardrails'?"),
        ("level = 2", "rankmax.toml: [check]: Expected `float` < 0.5 - at `$.level`"),
    ],
)
def test_a_wrong_rule_is_told_with_its_file(rankmax, files: Path, line: str, message: str) -> None:
    with (files / "rankmax.toml").open("a") as project:
        project.write(line)
    done = rankmax("check", "--candidate", "good.run")
    assert (done.status, message in done.err) == (2, True)


def test_options_are_rules(rankmax, files: Path) -> None:
    common = ("check", "--qrels", "qrels.txt", "--baseline", "good.run", "--candidate", "same.run", "-m", "RR")
    for options, status in (
        (["--floor", "RR >= 0.9", "--must-win", "q3", "--fallen", 0, "--unjudged", "0.1@3"], 0),
        (["--floor", "RR >= 1.1"], 1),
        (["--must-win", "q3=1.5"], 1),
        (["--margin", "RR=0.01", "--guardrail", "AP"], 0),
        (["--must-win", "q99"], 2),
        (["--margin", "RR"], 2),
        (["--must-win", "q3", "--must-win", "q4=1"], 2),
        (["--unjudged", "many"], 2),
        (["--latency", 100], 2),
    ):
        assert rankmax(*common, *options).status == status, options


def test_reports_are_written(rankmax, files: Path) -> None:
    rankmax("check", "--update-baseline")
    options = ("--junit", "j.xml", "--markdown", "c.md", "--sarif", "s.json", "--annotations", "--json")
    done = rankmax("check", "--candidate", "bad.run", "rankmax.toml", *options)
    assert done.status == 1
    plain, _, commands = done.out.partition("\n::")
    assert json.loads(plain)["outcome"] == "fail"
    assert commands.startswith("error file=rankmax.toml,line=1,title=bad%3A RR::1.0000 to 0.3333")
    assert ElementTree.parse(files / "j.xml").getroot().attrib["failures"] == "2"
    assert "Queries that fell most in RR" in (files / "c.md").read_text(encoding="utf-8")
    assert json.loads((files / "s.json").read_text())["runs"][0]["results"][0]["ruleId"] == "significance"
    done = rankmax("check", "rankmax.toml", "--candidate", "absent.run", "--annotations")
    assert done.out.startswith("::error title=rankmax check::")


def test_an_engine_that_is_running(rankmax, deployed: Deployed) -> None:
    deployed.path.write_text(
        deployed.path.read_text()
        + '\n[check]\nbaseline = "b.tsv"\ncandidate = "engine:bm25"\nmissing_queries = "zero"\n'
    )
    assert rankmax("check", "--update-baseline").status == 0
    done = rankmax("check")
    assert (done.status, "bm25 against bm25" in done.out) == (0, True)
    deployed.change('index = "docs"', 'index = "old"')
    done = rankmax("check")
    assert (done.status, "none of its documents is judged" in done.err) == (2, True)


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return an environment in which `rankmax` is this checkout's."""
    (folder / "bin").mkdir(exist_ok=True)
    command = folder / "bin" / "rankmax"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rankmax "$@"\n')
    command.chmod(0o755)
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "src"), **more}


def test_the_action_runs_its_check_and_trusts_no_input(rankmax, files: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    steps = {step.get("id", step["name"]): step for step in action["runs"]["steps"]}
    assert action["runs"]["using"] == "composite"
    for step in steps.values():
        assert "${{" not in step.get("run", ""), "an input in a script would be run as a command"
        assert "run" not in step or step["shell"] == "bash"
    rankmax("check", "--update-baseline")
    known = {"INPUT_PROJECT": "rankmax.toml", "INPUT_REPORTS": "reports"}
    assert set(steps["check"]["env"]) == {*known, "INPUT_ARGUMENTS"}
    for arguments, status in (
        ("--candidate same.run", "0"),
        ("--candidate\nbad.run", "1"),
        ("--candidate $(id).run", "2"),
    ):
        output, summary = files / "output", files / "summary"
        output.write_text("")
        summary.write_text("")
        more = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary), "INPUT_ARGUMENTS": arguments}
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", steps["check"]["run"]],
            cwd=files,
            env=environment(files, **known, **more),
            capture_output=True,
            text=True,
        )
        assert f"status={status}\n" in output.read_text(), done.stderr
        assert done.returncode == 0
        if status != "2":
            assert (files / "reports" / "junit.xml").is_file()
            assert "nDCG" in summary.read_text() or "RR" in summary.read_text()
    assert not list(files.glob("*uid*"))


def test_the_hook_is_one_that_pre_commit_takes() -> None:
    from pre_commit.clientlib import load_manifest

    (hook,) = load_manifest(str(ROOT / ".pre-commit-hooks.yaml"))
    assert hook["id"] == "rankmax-check"
    assert hook["entry"] == "rankmax check"
    assert hook["pass_filenames"] is False
    assert hook["language"] == "python"
