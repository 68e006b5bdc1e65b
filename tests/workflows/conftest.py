"""The demonstration on a part of its collection, run once for all tests of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracles.docstrings import few_docstrings
from rankmax.workflows.demo import demonstration
from rankmax.workflows.demo.demonstration import Demo, run_demo


@pytest.fixture(scope="session")
def small_demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Demo, Path]:
    """Return what was found, and the folder that was written."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demonstration, "docstrings", few_docstrings)
        return run_demo(folder, seed=3), folder
