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
    "_arrays.py": "data/test_feature_matrix.py",
    **{f"api/{verb}.py": "cli/test_verbs_as_functions.py" for verb in ("distance", "index", "profile")},
    **{f"{front}/prune.py": "workflows/test_tree_pruning.py" for front in ("api", "cli")},
    "api/judge_next.py": "cli/test_judge_next.py",
    **{f"api/{verb}.py": "cli/test_verbs_as_functions.py" for verb in ("surface", "verify")},
    "cli/completion.py": "cli/test_main.py",
    "cli/warm_up.py": "workflows/warm_up/test_processes.py",
    "workflows/warm_up/jobs.py": "workflows/warm_up/test_processes.py",
    "cli/exit_status.py": "faults/test_full_disk.py",
    "cli/shared_options.py": "cli/test_mistakes.py",
    "cli/saving.py": "faults/test_full_disk.py",
    "api/tuning_notes.py": "cli/test_tune.py",
    "api/tuning_signals.py": "api/test_tune.py",
    "api/tuning_view.py": "api/test_tune.py",
    "cli/system_arguments.py": "cli/test_evaluate.py",
    "cli/judgment_data.py": "cli/test_data.py",
    **{f"formats/{name}.py": "formats/test_judgment_lists.py" for name in ("opensearch_relevance", "quepid")},
    "_io/appended_files.py": "optimizers/test_journal_file.py",
    "_io/locked_files.py": "_io/test_temporary_files.py",
    "_kernels/cells/cell_search.py": "optimizers/test_branch_and_bound.py",
    "_kernels/cells/cell_stack.py": "optimizers/test_branch_and_bound.py",
    "_kernels/cells/cell_polytopes.py": "_kernels/cells/test_plane_arrangement.py",
    "_kernels/cells/layered_metric.py": "_kernels/cells/test_bounds.py",
    "_kernels/cells/cell_survey.py": "optimizers/test_survey.py",
    "_kernels/metrics/ranked_values.py": "metrics/test_evaluator.py",
    "_kernels/lines/crossings.py": "line_search/test_metric_sweep.py",
    "_kernels/lines/kinetic_top.py": "line_search/test_metric_sweep.py",
    "_kernels/lines/peaks.py": "line_search/test_metric_sweep.py",
    "_kernels/text/postings_checks.py": "retrieval/index/test_index_checks.py",
    "_kernels/lines/line_rankings.py": "line_search/test_rescored_line.py",
    "_kernels/lines/step_moments.py": "line_search/test_smoothed_line.py",
    "_kernels/lines/sweep.py": "line_search/test_metric_sweep.py",
    "_kernels/lines/swept_query.py": "line_search/test_metric_sweep.py",
    "_kernels/numerics/binned_products.py": "data/test_binned_matrix.py",
    "_kernels/margins/*.py": "learners/structural/oracles/test_separation_oracle.py",
    "papers/fingerprints.py": "papers/test_letor_folds.py",
    "papers/papers.py": "papers/test_registry.py",
    "papers/reports.py": "papers/test_registry.py",
    "data/runs.py": "formats/test_trec.py",
    "engines/export_target.py": "engines/test_registry.py",
    "engines/client_code.py": "engines/test_registry.py",
    "engines/curves.py": "engines/test_additive_exports.py",
    "engines/score_sources.py": "engines/test_additive_exports.py",
    "engines/search_scripts.py": "engines/test_additive_exports.py",
    "engines/solr_function.py": "engines/test_additive_exports.py",
    "engines/*_ltr.py": "engines/test_learning_to_rank_plugin.py",
    "engines/python/source.py": "engines/test_formulas.py",
    "engines/sql/steps.py": "engines/test_databases.py",
    "engines/vespa/schema.py": "engines/vespa/test_rank_profile.py",
    "engines/export_text.py": "engines/test_registry.py",
    "fusion/engine_normalizations.py": "fusion/test_standard_candidates.py",
    "fusion/priors.py": "fusion/test_standard_candidates.py",
    "learners/structural/solution.py": "learners/structural/test_one_slack.py",
    "models/model.py": "models/test_linear_model.py",
    "_kernels/trees/tree_sums.py": "models/test_tree_ensemble_model.py",
    "models/trees/structure.py": "models/test_tree_ensemble_model.py",
    "models/trees/*.py": "models/trees/test_library_files.py",
    "models/json_file.py": "models/test_linear_model.py",
    "models/provenance.py": "models/test_linear_model.py",
    "backends/training_data.py": "backends/test_distributed_dataset.py",
    "learners/query_samples.py": "learners/direct/test_direct_training.py",
    "line_search/query_weights.py": "line_search/test_linear_objective.py",
    "line_search/line_search.py": "line_search/test_rescored_line.py",
    "optimizers/ascent.py": "optimizers/test_contract.py",
    "optimizers/best_first.py": "optimizers/test_branch_and_bound.py",
    "optimizers/proof.py": "optimizers/test_branch_and_bound.py",
    "spaces/parameter_space.py": "spaces/test_contract.py",
    "testing/optimizers.py": "optimizers/test_contract.py",
    "testing/spaces.py": "spaces/test_contract.py",
    "studio/messages.py": "studio/test_app.py",
    "workflows/proofs/polytopes.py": "workflows/proofs/test_verification.py",
    "workflows/proofs/cell_values.py": "_kernels/cells/test_plane_sides.py",
    "workflows/tuning/current.py": "workflows/tuning/test_tuning.py",
    "workflows/tuning/tuning_result.py": "workflows/tuning/test_tuning.py",
    "_numerics/tolerance.py": "fusion/test_weight_search.py",
    "learners/registry.py": "cli/test_learners.py",
    "learners/declared_options.py": "cli/test_learners.py",
    "learners/presets.py": "cli/test_learners.py",
    "cli/learner_options.py": "cli/test_learners.py",
    "learners/surrogate/expected_gain_ranker.py": "cli/test_learners.py",
    "preprocessing/registry.py": "test__registry.py",
    "retrieval/registry.py": "test__registry.py",
    **{f"engines/connectors/{name}.py": "engines/connectors/test_json_search.py" for name in ("elasticsearch", "solr")},
    **{f"engines/connectors/{name}.py": "testing/test_engines.py" for name in ("opensearch", "duckdb", "engine")},
    "engines/connectors/sqlite.py": "engines/connectors/test_sql_engine.py",
    "engines/connectors/registry.py": "workflows/deployment/test_project_file.py",
    "workflows/deployment/project_outline.py": "workflows/deployment/test_project_file.py",
    "workflows/deployment/collection_journal.py": "workflows/deployment/test_collecting.py",
    "api/collect.py": "workflows/deployment/test_collecting.py",
    "api/push.py": "cli/test_collect.py",
    "api/confirm.py": "workflows/deployment/test_confirming.py",
    **{f"cli/{verb}.py": "cli/test_collect.py" for verb in ("init", "push", "confirm")},
    "workflows/relevance_gate/findings.py": "workflows/relevance_gate/reports/test_reports.py",
    "workflows/relevance_gate/gate_comparisons.py": "workflows/relevance_gate/test_gate.py",
    "workflows/relevance_gate/reports/*.py": "workflows/relevance_gate/reports/test_reports.py",
    "api/check_inputs.py": "api/test_check.py",
    "metrics/*": "metrics/test_contract.py",  # one class for every metric
    "studio/background_job.py": "studio/test_training_process.py",
    "studio/tuning_routes.py": "studio/test_tunings.py",
    "studio/wire.py": "studio/test_app.py",
}


# Wording that the field has a plainer word for; what a paper says, and what is stored of it, keeps its own.
PRIVATE_WORDS = [
    *("from 0 up", "steps a query", "one a query", "documents a query,", "lies? with an engine", "is followed exactly"),
    *("a line is followed", r"\bclimb", "queries that took no part", "what they are worth", "model is worth"),
    *("candidates lacking", "learned minus", "do not tell", "ended with the best so far", r"\banew\b", r"\bfor ever\b"),
    *("Of all that is random", "weights may lie", "choose among what was found", "What errors cost"),
    *("in so many folds", "ways up", "How far a training has come", "less than linearly", "all weights 1"),
    *("other weights are held", "of all shares", "weights that last", "seconds at most", "as good as the best"),
    *(
        "(normali|maximi|minimi|optimi|regulari|randomi|generali|summari)s(e|ed|er|es|ing|ation)s?\\b",
        "(behavi|neighb|fav|col)our",
    ),
]


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


def test_texts_use_the_words_of_the_field(tracked: list[Path]) -> None:
    private = re.compile("|".join(PRIVATE_WORDS).lower())
    texts = [path for path in tracked if path.suffix in {".py", ".md", ".js", ".html", ".ipynb"}]
    quoting = {"CHANGELOG.md", "test_repository.py", "test__deprecation.py", "test_main.py", "_deprecation.py"}
    own = [path for path in texts if path.name not in quoting and "papers" not in path.parts]
    found = []
    for path in own:
        text = re.sub('hill-climbing|normalisation="normalization"', "", path.read_text(encoding="utf-8").lower())
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in private.finditer(text)]
    assert found == []


def test_a_module_name_leads_to_one_module() -> None:
    # A verb has one file in api/ and one in cli/; each kind of thing has a registry, each paper its exhibits.
    source = ROOT / "src" / "rankmax"
    places: dict[str, list[str]] = {}
    for path in source.rglob("*.py"):
        places.setdefault(path.name, []).append(path.parent.relative_to(source).as_posix())
    shared = {
        name: folders for name, folders in places.items() if len(folders) > 1 and sorted(folders) != ["api", "cli"]
    }
    assert sorted(shared) == ["__init__.py", "exhibits.py", "registry.py"]


def test_pages_name_modules_that_exist(tracked: list[Path]) -> None:
    files = [path.relative_to(ROOT).as_posix() for path in tracked]
    missing = []
    for page in (name for name in files if name.endswith(".md") and name != "CHANGELOG.md"):
        # The architecture is of the package: a bare name in it is not that of a test or a benchmark.
        places = [f for f in files if page != "ARCHITECTURE.md" or "/" not in f or f.startswith("src/")]
        named = re.findall(r"`([\w/.-]+\.(?:py|pyi|js))`", (ROOT / page).read_text(encoding="utf-8"))
        missing += [f"{page}: {n}" for n in named if n not in files and not any(f.endswith(f"/{n}") for f in places)]
    assert missing == []


def test_tests_mirror_the_source() -> None:
    source, tests = ROOT / "src" / "rankmax", ROOT / "tests"
    modules = [path.relative_to(source) for path in source.rglob("*.py") if path.name != "__init__.py"]
    without_own = [m.as_posix() for m in modules if not (tests / m.with_name(f"test_{m.name}")).exists()]
    assert [module for module in without_own if not any(fnmatch(module, pattern) for pattern in TESTED_BY)] == []
    assert [pattern for pattern in TESTED_BY if not any(fnmatch(m, pattern) for m in without_own)] == [], "outdated"
    assert [test for test in TESTED_BY.values() if not (tests / test).exists()] == []
