"""What holds for the repository's files as such."""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MOST_LINES = 500

# Which test file covers a module that has none of its own name.
TESTED_BY = {
    "__main__.py": "cli/test_main.py",
    "_version.py": "cli/test_main.py",
    "arrays.py": "data/test_features.py",
    "cli/completion.py": "cli/test_main.py",
    "cli/ending.py": "faults/test_full_disk.py",
    "cli/options.py": "cli/test_main.py",
    "cli/saving.py": "faults/test_full_disk.py",
    "cli/systems.py": "cli/test_evaluate.py",
    "cli/tuning_view.py": "cli/test_tune.py",
    "locked.py": "optimizers/test_journal_file.py",
    "kernels/cell_parts.py": "optimizers/test_branch_and_bound.py",
    "kernels/cell_search.py": "optimizers/test_branch_and_bound.py",
    "kernels/cell_stack.py": "optimizers/test_branch_and_bound.py",
    "kernels/cell_survey.py": "optimizers/test_survey.py",
    "kernels/evaluate.py": "metrics/test_evaluate.py",
    "kernels/crossings.py": "lines/test_sweep.py",
    "kernels/kinetic.py": "lines/test_sweep.py",
    "kernels/peaks.py": "lines/test_sweep.py",
    "kernels/postings_checks.py": "retrieval/test_index_checks.py",
    "kernels/rescoring.py": "lines/test_rescoring.py",
    "kernels/sweep.py": "lines/test_sweep.py",
    "kernels/separation*.py": "learners/structural/oracles/test_base.py",
    "experiments/fingerprints.py": "experiments/test_letor.py",
    "experiments/papers.py": "experiments/test_catalogue.py",
    "experiments/reports.py": "experiments/test_catalogue.py",
    "export/base.py": "export/test_named.py",
    "export/*_ltr.py": "export/test_learning_to_rank.py",
    "export/python_source.py": "export/test_formulas.py",
    "export/sql_steps.py": "export/test_databases.py",
    "export/vespa_schema.py": "export/test_vespa.py",
    "export/text.py": "export/test_named.py",
    "fusion/normalisations.py": "fusion/test_standard.py",
    "fusion/priors.py": "fusion/test_standard.py",
    "learners/structural/solution.py": "learners/structural/test_one_slack.py",
    "models/json_file.py": "models/test_linear.py",
    "models/provenance.py": "models/test_linear.py",
    "lines/query_weights.py": "lines/test_objective.py",
    "lines/search.py": "lines/test_rescoring.py",
    "optimizers/ascent.py": "optimizers/test_contract.py",
    "optimizers/best_first.py": "optimizers/test_branch_and_bound.py",
    "optimizers/proof.py": "optimizers/test_branch_and_bound.py",
    "spaces/base.py": "spaces/test_contract.py",
    "testing/optimizers.py": "optimizers/test_contract.py",
    "testing/spaces.py": "spaces/test_contract.py",
    "studio/messages.py": "studio/test_app.py",
    "workflows/certainty/polytopes.py": "workflows/certainty/test_verification.py",
    "workflows/certainty/pairs.py": "kernels/test_cell_planes.py",
    "workflows/tuning/current.py": "workflows/tuning/test_systems.py",
    "workflows/tuning/result.py": "workflows/tuning/test_systems.py",
    "workflows/tuning/report/elements.py": "workflows/tuning/report/test_tuning_page.py",
    "workflows/tuning/report/verdict_rows.py": "workflows/tuning/report/test_tuning_page.py",
    "workflows/tuning/report/weights.py": "workflows/tuning/report/test_tuning_page.py",
    "workflows/training/learners.py": "cli/test_learners.py",
    "metrics/*": "metrics/test_contract.py",  # one class for every metric
}


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    """Return the files under version control; a source distribution has none."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout, so no list of tracked files")
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    return [path for name in listing.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_no_file_names_a_folder_of_a_developers_machine(tracked: list[Path]) -> None:
    personal = re.compile(rb"(?<![\w.])/(?:work|root|home|Users)/")
    assert [str(path.relative_to(ROOT)) for path in tracked if personal.search(path.read_bytes())] == []


def test_files_stay_readable_in_one_sitting(tracked: list[Path]) -> None:
    text = [path for path in tracked if path.suffix in {".py", ".md", ".toml", ".yml", ".yaml", ".txt"}]
    assert [str(p.relative_to(ROOT)) for p in text if len(p.read_bytes().splitlines()) > MOST_LINES] == []


def test_tests_mirror_the_source() -> None:
    source, tests = ROOT / "src" / "rankmax", ROOT / "tests"
    modules = [path.relative_to(source) for path in source.rglob("*.py") if path.name != "__init__.py"]
    without_own = [m.as_posix() for m in modules if not (tests / m.with_name(f"test_{m.name}")).exists()]
    assert [module for module in without_own if not any(fnmatch(module, pattern) for pattern in TESTED_BY)] == []
    assert [pattern for pattern in TESTED_BY if not any(fnmatch(m, pattern) for m in without_own)] == [], "outdated"
    assert [test for test in TESTED_BY.values() if not (tests / test).exists()] == []
