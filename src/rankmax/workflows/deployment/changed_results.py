"""Retrievers that no longer return what was collected: asked again, where no known mistake explains a fusion."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from rankmax.engines.connectors.engine import Answer, Fusion
from rankmax.models import LinearModel
from rankmax.workflows.deployment.collecting import Task, placeholder_values, vectors_of
from rankmax.workflows.deployment.confirming import (
    SAME_SCORE,
    Comparison,
    Explanation,
    first_difference,
    judged_queries,
)
from rankmax.workflows.deployment.explanations import used_part
from rankmax.workflows.deployment.parallel_requests import ask_all
from rankmax.workflows.deployment.project_file import ProjectFile

_MOST_ASKED = 20  # queries, which tell as much as all


def queries_to_ask_again(project: ProjectFile, comparison: Comparison) -> list[str]:
    """Return the queries whose retrievers to ask again: none where a mistake explains every query.

    Parameters
    ----------
    project : ProjectFile
    comparison : Comparison
    """
    if comparison.same or any(one.queries == comparison.queries for one in comparison.explanations):
        return []
    return ([one.query for one in comparison.differences] or judged_queries(project))[:_MOST_ASKED]


def changed_results(
    project: ProjectFile, fusion: Fusion, queries: list[str], tick: Callable[[], None] = lambda: None
) -> list[Explanation]:
    """Ask each retriever of a fusion again, and return which give other results than were collected.

    Parameters
    ----------
    project : ProjectFile
    fusion : Fusion
        Of a linear model.
    queries : list of str
    tick : callable
        Called after each query.
    """
    assert isinstance(fusion.model, LinearModel)  # no other was compared
    names = used_part(fusion.model).feature_names
    topics = {query: text for query, text in project.topics().items() if query in set(queries)}
    vectors = vectors_of(project, topics, list(names))
    runs = {name: run.to_dict() for name, run in project.runs().items() if name in names}
    engine = project.connect()

    def ask(query: str) -> dict[str, Answer]:
        return {
            name: engine.search(
                project.templates[name],
                placeholder_values(project, topics, vectors, Task(name, query)),
                project.depth,
            )
            for name in names
        }

    changed = dict.fromkeys(names, 0)
    with closing(ask_all(queries, ask, project.requests)) as arriving:
        for query, answers in arriving:
            for name, answer in answers.items():
                changed[name] += _is_other(answer, runs[name].get(query, {}), project.depth)
            tick()
    return [
        Explanation(
            "changed results",
            f"{name} alone returns other documents or scores than were collected, for {count} of {len(queries)} queries"
            " that were asked again: the index or its settings have changed; collect with --restart, and tune again",
            count,
        )
        for name, count in changed.items()
        if count
    ]


def _is_other(answer: Answer, collected: dict[str, float], depth: int) -> bool:
    if first_difference("", answer, collected, depth) is not None:
        return True
    most = max(map(abs, collected.values()), default=0.0)
    hits = answer.hits[:depth]
    return any(abs(hit.score - collected.get(hit.document, hit.score)) > SAME_SCORE * most for hit in hits)
