"""The small version of each study, run once."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rankmax.papers.registry import paper_named
from rankmax.papers.reports import Finding, Report
from rankmax.papers.running import result_file, run_study
from rankmax.papers.setup import Setup, find_setup
from rankmax.papers.store import StoredStudy


@pytest.fixture(scope="session")
def small_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of results, which all processes that run tests share."""
    own = tmp_path_factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "experiments"


@pytest.fixture(scope="session")
def small_setup(tmp_path_factory: pytest.TempPathFactory) -> Setup:
    return find_setup(tmp_path_factory.mktemp("indexes"), small=True)


@pytest.fixture(scope="session")
def small_study(small_folder: Path, small_setup: Setup) -> Callable[[str, str], StoredStudy]:
    """Return what runs the study behind an exhibit, or takes what an earlier test left, in whichever process."""

    def run(paper: str, exhibit: str) -> StoredStudy:
        chosen = paper_named(paper)
        study = chosen.exhibit(exhibit).study
        results = result_file(small_folder, chosen, study, small=True)
        results.parent.mkdir(parents=True, exist_ok=True)
        with results.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return run_study(chosen, study, small_setup, small_folder)

    return run


@pytest.fixture(scope="session")
def small_report(small_study: Callable[[str, str], StoredStudy]) -> Callable[[str, str], Report]:
    def report(paper: str, exhibit: str) -> Report:
        chosen = paper_named(paper)
        return chosen.report(chosen.exhibit(exhibit), small_study(paper, exhibit).values, small=True)

    return report


@pytest.fixture(scope="session")
def small_findings(small_report: Callable[[str, str], Report]) -> Callable[[str], dict[str, Finding]]:
    """Return what gives the findings of all claims of a paper."""

    def findings(paper: str) -> dict[str, Finding]:
        found: dict[str, Finding] = {}
        for exhibit in paper_named(paper).exhibits:
            found |= small_report(paper, exhibit.name).findings
        return found

    return findings
