"""`rankmax.collect`: runs of a search engine's retrievers."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any

from rankmax._result_views import Block, ResultView, Table
from rankmax.api.progress import Progress
from rankmax.workflows.deployment.collecting import CollectedRun, collection
from rankmax.workflows.deployment.project_file import NAME, ProjectFile


@dataclass(frozen=True, repr=False)
class Collection(ResultView):
    """Complete runs of a project's retrievers.

    Attributes
    ----------
    runs : tuple of CollectedRun
    """

    runs: tuple[CollectedRun, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which can be written as JSON."""
        return {"runs": [asdict(run) for run in self.runs]}

    @property
    def blocks(self) -> list[Block]:
        """The runs as a table."""
        rows = [
            (run.retriever, f"{run.queries:,}", f"{run.documents:,}", f"{run.without_results:,}", f"{run.asked:,}")
            for run in self.runs
        ]
        return [Table(["retriever", "queries", "documents", "without results", "asked now"], rows)]


def collect(
    project: str | os.PathLike[str] = NAME, *, restart: bool = False, progress: Progress | None = None
) -> Collection:
    """Collect one run per retriever of a project from its search engine.

    Answers are stored as they arrive: after an interrupt or an error, the same call resumes, and asks nothing twice.
    A run's file appears when it is complete.

    Parameters
    ----------
    project : path, default "rankmax.toml"
        Project file.
    restart : bool, default False
        Whether to drop what was collected before, and ask for everything again.
    progress : Progress, optional
        Receives progress.

    Returns
    -------
    Collection

    Examples
    --------
    >>> collect("no-such.toml")
    Traceback (most recent call last):
    rankmax.errors.DataFormatError: no-such.toml: no such file; rankmax init ENGINE writes one
    """
    told = progress or Progress()
    with (
        collection(ProjectFile(project), restart=restart) as collecting,
        told.stage("Collecting", total=len(collecting.waiting)) as stage,
    ):
        return Collection(tuple(collecting.run(stage.advance)))
