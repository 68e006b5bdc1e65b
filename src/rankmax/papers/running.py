"""Execution of studies step by step; stored results are not computed again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rankmax.papers.memory import require_memory
from rankmax.papers.papers import Exhibit, Paper, Study
from rankmax.papers.setup import Setup
from rankmax.papers.store import StoredStudy, current_versions


def result_file(folder: Path, paper: Paper, study: Study, *, small: bool) -> Path:
    """Return the path of a study's results.

    Parameters
    ----------
    folder : Path
        Folder of all results.
    paper : Paper
    study : Study
    small : bool
    """
    return folder / paper.name / f"{study.name}{'-small' if small else ''}.json"


def run_study(
    paper: Paper, study: Study, setup: Setup, folder: Path, *, tell: Callable[[str, int, int], None] | None = None
) -> StoredStudy:
    """Run the steps that are not stored yet, and store each as soon as it is done, so that an interrupt loses little.

    Results of other settings, such as other data or another seed, or of another version of rankmax are replaced.

    Parameters
    ----------
    paper : Paper
    study : Study
    setup : Setup
    folder : Path
        Folder of all results.
    tell : callable, optional
        Called before each step with its name, its zero-based number, and the number of steps.
    """
    path = result_file(folder, paper, study, small=setup.small)
    settings = {"small": setup.small, "seed": setup.seed, **study.settings(setup)}
    stored = StoredStudy.load(path) if path.is_file() else StoredStudy(study.name, settings)
    if stored.settings != settings or stored.versions["rankmax"] != current_versions()["rankmax"]:
        stored = StoredStudy(study.name, settings)
    steps = list(study.steps(setup))
    if study.memory is not None and any(name not in stored.steps for name, _ in steps):
        require_memory(
            study.memory(setup),
            f"the study {study.name} of {paper.name}",
            "use fewer runs (runs.txt names those to use), --methods or --bins, or set NUMBA_NUM_THREADS=1",
        )
    for number, (name, step) in enumerate(steps):
        if tell is not None:
            tell(name, number, len(steps))
        if name not in stored.steps:
            stored.get(name, lambda step=step: step(stored.values))  # type: ignore[misc]
            stored.save(path)
    return stored


def draw_exhibit(exhibit: Exhibit, stored: StoredStudy, folder: Path, paper: Paper) -> Path | None:
    """Draw a figure beside the results, if the exhibit is a figure and has results.

    Parameters
    ----------
    exhibit : Exhibit
    stored : StoredStudy
    folder : Path
        Folder of all results.
    paper : Paper
    """
    if exhibit.draw is None or not stored.steps:
        return None
    path = folder / paper.name / f"{exhibit.name}{'-small' if stored.settings['small'] else ''}.svg"
    exhibit.draw(stored.values, path)
    return path


def shipped_results(paper: Paper, study: Study) -> StoredStudy | None:
    """Return the results that are shipped with rankmax, if there are any.

    Parameters
    ----------
    paper : Paper
    study : Study
    """
    file = paper.folder / "results" / f"{study.name}.json"
    return StoredStudy.load(file) if file.is_file() else None
