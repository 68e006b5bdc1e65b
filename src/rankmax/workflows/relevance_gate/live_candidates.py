"""Candidates that are asked of a search engine when the gate runs."""

from __future__ import annotations

from collections.abc import Callable

from rankmax.data.runs import Run
from rankmax.errors import InvalidDataError
from rankmax.workflows.deployment.collecting import collection
from rankmax.workflows.deployment.confirming import fused_answers, judged_queries
from rankmax.workflows.deployment.project_file import ProjectFile
from rankmax.workflows.relevance_gate.check_file import ENGINE

FOLDER = "check-runs"
"""Folder of the runs that a gate collects, beside the project file."""


def live_run(project: ProjectFile, asked: str, tick: Callable[[], None] = lambda: None) -> Run:
    """Ask the engine of a project, now, and return the run.

    Parameters
    ----------
    project : ProjectFile
    asked : str
        "engine" for the fusion that was pushed, or "engine:NAME" for a retriever.
    tick : callable
        Called after each answer.
    """
    retriever = asked.partition(":")[2]
    if not retriever:
        answers = fused_answers(project, project.fusion(), judged_queries(project), project.depth, tick)
        found = {query: {hit.document: hit.score for hit in one.hits} for query, one in answers.items() if one.hits}
        if not found:
            raise InvalidDataError(f"the fusion {project.name!r} found nothing for any judged query")
        return Run.from_dict(found, tag=ENGINE)
    fresh = project.collecting_into(FOLDER, retriever)
    # Everything is asked again: what the engine answered before says nothing about the engine of now.
    with collection(fresh, restart=True) as collecting:
        collecting.run(tick)
    return fresh.runs()[retriever]
