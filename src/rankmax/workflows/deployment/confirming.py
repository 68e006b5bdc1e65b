"""Confirmation that an engine ranks as the model predicts from the collected runs, or an explanation why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmax.data.runs import Run
from rankmax.engines.connectors.engine import Answer, Engine, Fusion
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.formats.trec import read_qrels
from rankmax.fusion.engine_normalizations import ENGINES
from rankmax.fusion.signals import trec_ordered
from rankmax.models import LinearModel
from rankmax.workflows.deployment.collecting import Task, placeholder_values, vectors_of
from rankmax.workflows.deployment.explanations import (
    Scores,
    fitting,
    hypotheses,
    longest,
    of_window,
    predicted,
    used_part,
)
from rankmax.workflows.deployment.parallel_requests import ask_all
from rankmax.workflows.deployment.project_file import ProjectFile

SAME_RANK = 1e-5
"""Difference of predicted scores, relative to a query's best, up to which documents may change places: engines compute
in single precision, and order equal scores by where documents lie in the index."""
SAME_SCORE = 1e-4
"""Difference of scores, relative to a query's best, up to which an engine's scores count as the predicted ones."""
PlaceholderValues = Mapping[str, Mapping[str, Any]]
"""Values of the placeholders, by retriever."""
_FEW = 10  # queries by which a window is chosen


@dataclass(frozen=True)
class Difference:
    """A query for which the engine's ranking is not the predicted one.

    Attributes
    ----------
    query : str
    rank : int
        First rank at which they differ, from 1.
    engine : str or None
        The engine's document there; None where it returned fewer.
    predicted : str or None
        The predicted document there; None where there are fewer.
    unknown : tuple of str
        Documents of the engine that no run has for this query.
    """

    query: str
    rank: int
    engine: str | None
    predicted: str | None
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """An explanation of the engine's rankings.

    Attributes
    ----------
    kind : str
        Kind of mistake: "ignored weights", "swapped weights", "single retriever", "other normalization", "smaller
        window", "unknown documents", "fewer documents", "shards" or "changed results".
    text : str
        What the engine does, in words.
    queries : int
        Number of queries that it fits.
    """

    kind: str
    text: str
    queries: int


@dataclass(frozen=True)
class Comparison:
    """An engine's rankings compared with those that the model predicts.

    Attributes
    ----------
    queries : int
    size : int
        Number of documents compared per query.
    differences : tuple of Difference
        Queries with another ranking.
    score_difference : float
        Largest difference of scores at the same ranking, relative to a query's best, up to a common factor.
    explanations : tuple of Explanation
        Explanations that fit more queries than the model, the best first.
    """

    queries: int
    size: int
    differences: tuple[Difference, ...]
    score_difference: float
    explanations: tuple[Explanation, ...]

    @property
    def same_scores(self) -> bool:
        """Whether scores are the predicted ones up to a common factor."""
        return self.score_difference <= SAME_SCORE

    @property
    def same(self) -> bool:
        """Whether rankings and scores are the predicted ones."""
        return not self.differences and self.same_scores


def judged_queries(project: ProjectFile) -> list[str]:
    """Return the judged queries of a project's topics.

    Parameters
    ----------
    project : ProjectFile
    """
    judged = set(read_qrels(project.qrels).query_ids)
    queries = [query for query in project.topics() if query in judged]
    if not queries:
        raise InvalidDataError(f"{project.qrels} judges none of the topics; the ids must be the same")
    return queries


def fused_answers(
    project: ProjectFile, fusion: Fusion, queries: list[str], size: int, tick: Callable[[], None] = lambda: None
) -> dict[str, Answer]:
    """Ask the engine for the fused rankings of queries.

    Parameters
    ----------
    project : ProjectFile
    fusion : Fusion
    queries : list of str
    size : int
        Number of documents per query.
    tick : callable
        Called after each answer.
    """
    return answers_of(project, queries, lambda engine, _, values: engine.fused_search(fusion, values, size), tick)


def answers_of(
    project: ProjectFile,
    queries: list[str],
    ask: Callable[[Engine, str, PlaceholderValues], Answer],
    tick: Callable[[], None],
) -> dict[str, Answer]:
    """Ask the engine for the answers to queries, in parallel.

    Parameters
    ----------
    project : ProjectFile
    queries : list of str
    ask : callable (engine, query, values) -> Answer
        Asks for one query, with the values of placeholders by retriever.
    tick : callable
        Called after each answer.
    """
    topics = {query: text for query, text in project.topics().items() if query in set(queries)}
    vectors = vectors_of(project, topics, list(project.retrievers))
    engine = project.connect()

    def ask_for(query: str) -> Answer:
        names = project.retrievers
        values = {name: placeholder_values(project, topics, vectors, Task(name, query)) for name in names}
        return ask(engine, query, values)

    answers = {}
    with closing(ask_all(queries, ask_for, project.requests)) as arriving:
        for query, answer in arriving:
            answers[query] = answer
            tick()
    return answers


def compare_answers(project: ProjectFile, fusion: Fusion, answers: Mapping[str, Answer], size: int) -> Comparison:
    """Compare an engine's rankings with those that the model predicts from the collected runs.

    Parameters
    ----------
    project : ProjectFile
    fusion : Fusion
    answers : mapping of str to Answer
        By query.
    size : int
        Number of documents per query.
    """
    if not isinstance(fusion.model, LinearModel):
        raise IncompatibleError("only linear models can be confirmed")
    model = used_part(fusion.model)
    runs = project.runs()
    by_id = project.engine_class.ties_by_id
    runs = {name: trec_ordered(runs[name]) if by_id else runs[name] for name in model.feature_names}
    expected = predicted(model, runs)
    differences = [
        difference
        for query, answer in answers.items()
        if (difference := first_difference(query, answer, expected.get(query, {}), size)) is not None
    ]
    score_difference = score_difference_of(answers, expected, {one.query for one in differences})
    found: list[Explanation] = []
    if differences or score_difference > SAME_SCORE:

        def fits(scores: Scores) -> int:
            """Return the number of queries that scores explain; none where they do not explain the engine's scores."""
            other = {q for q, a in answers.items() if first_difference(q, a, scores.get(q, {}), size) is not None}
            same_scores = score_difference_of(answers, scores, other) <= SAME_SCORE
            return len(answers) - len(other) if same_scores else 0

        n_same = 0 if score_difference > SAME_SCORE else len(answers) - len(differences)
        for hypothesis in hypotheses(model, runs, fusion.depth, ENGINES[project.engine_class.tuned_as]):
            n_fits = fitting(hypothesis, fits)
            if n_fits > n_same:
                found.append(Explanation(hypothesis.kind, hypothesis.text, n_fits))
        if not any(one.queries == len(answers) for one in found):
            texts = {one.text for one in found}
            window = _of_any_window(model, runs, fusion.depth, answers, fits)
            found += [one for one in window if one.queries > n_same and one.text not in texts]
        found.sort(key=lambda one: -one.queries)  # stable: the simplest first among equals
    found += explanations_of_documents(answers, differences, fusion.depth)
    return Comparison(len(answers), size, tuple(differences), score_difference, tuple(found))


def first_difference(query: str, answer: Answer, expected: Mapping[str, float], size: int) -> Difference | None:
    """Return where an engine's ranking of a query is not the predicted one, or None.

    Parameters
    ----------
    query : str
    answer : Answer
    expected : mapping of str to float
        Predicted score of each document.
    size : int
        Number of documents to compare.
    """
    ranked = sorted(expected.items(), key=lambda item: (item[1], item[0]), reverse=True)[:size]
    close = SAME_RANK * max((abs(score) for _, score in ranked), default=0.0)
    hits = answer.hits[:size]
    unknown = tuple(hit.document for hit in hits if hit.document not in expected)
    for place in range(max(len(ranked), len(hits))):
        theirs = hits[place].document if place < len(hits) else None
        ours, score = ranked[place] if place < len(ranked) else (None, np.nan)
        if theirs is None or ours is None or not abs(expected.get(theirs, np.nan) - score) <= close:
            return Difference(query, place + 1, theirs, ours, unknown)
    return None


def score_difference_of(answers: Mapping[str, Answer], expected: Scores, left_out: set[str]) -> float:
    """Return the largest relative difference of scores after a common factor, over queries with the same ranking.

    Parameters
    ----------
    answers : mapping of str to Answer
    expected : dict
        Predicted scores by query and document.
    left_out : set of str
        Queries with another ranking.
    """
    rows = [
        (hit.score, expected[query][hit.document], query)
        for query, answer in answers.items()
        if query not in left_out
        for hit in answer.hits
        if hit.document in expected.get(query, {})
    ]
    if not rows:
        return 0.0
    theirs, ours = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    firm = np.abs(ours) > SAME_RANK * np.abs(ours).max(initial=0.0)
    if not firm.any():
        return 0.0
    factor = float(np.median(theirs[firm] / ours[firm]))
    best: dict[str, float] = {}
    for _, score, query in rows:
        best[query] = max(best.get(query, 0.0), abs(score))
    scale = np.array([best[row[2]] for row in rows]) * abs(factor)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(scale > 0, np.abs(theirs - factor * ours) / scale, 0.0)
    return float(np.nan_to_num(relative, nan=np.inf).max())


def _of_any_window(
    model: LinearModel,
    runs: Mapping[str, Run],
    depth: int,
    answers: Mapping[str, Answer],
    fits: Callable[[Scores], int],
) -> list[Explanation]:
    """Return the window that explains the most, chosen by a few queries."""
    few = list(answers)[:_FEW]

    def fits_few(scores: Scores) -> int:
        return sum(first_difference(q, answers[q], scores.get(q, {}), len(answers[q].hits)) is None for q in few)

    runs_of_few = _of_queries(runs, set(few))
    if not all(run.n_queries for run in runs_of_few.values()):
        return []
    fitted = {
        window: fitting(of_window(model, runs_of_few, depth, window), fits_few)
        for window in range(1, min(depth, longest(runs)))
    }
    best = max(fitted, key=fitted.__getitem__, default=0)
    if not best or not fitted[best]:
        return []
    hypothesis = of_window(model, runs, depth, best)
    return [Explanation(hypothesis.kind, hypothesis.text, fitting(hypothesis, fits))]


def _of_queries(runs: Mapping[str, Run], queries: set[str]) -> dict[str, Run]:
    found = {name: run.to_dict() for name, run in runs.items()}
    return {name: Run.from_dict({q: of[q] for q in of if q in queries}) for name, of in found.items()}


def explanations_of_documents(
    answers: Mapping[str, Answer], differences: list[Difference], depth: int
) -> list[Explanation]:
    """Return explanations by what was returned, rather than by how it was ranked.

    Parameters
    ----------
    answers : mapping of str to Answer
    differences : list of Difference
    depth : int
        Number of documents of each retriever.
    """
    found = []
    strange = [one for one in differences if one.unknown]
    if strange:
        first = strange[0]
        said = (
            f"documents that no run has, such as {first.unknown[0]!r} for query {first.query!r}: another index, a "
            "filter that is missing, or documents that have changed since the runs were collected"
        )
        found.append(Explanation("unknown documents", said, len(strange)))
    shards = max((answer.shards or 1 for answer in answers.values()), default=1)
    if differences and shards > 1:
        said = (
            f"the index has {shards} shards: each gives up to {depth} documents of its own, and scores are normalized "
            "over all of them"
        )
        found.append(Explanation("shards", said, len(differences)))
    few = [one for one in differences if one.engine is None]
    if few:
        found.append(Explanation("fewer documents", "fewer documents than predicted: a filter, or a limit", len(few)))
    return found
