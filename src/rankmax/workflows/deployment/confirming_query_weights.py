"""Confirmation of weights that fit the query, which an application sends with each request.

Each system is asked for its list, as the exported client function needs it; the weights that follow go into the request
for the fused ranking. The prediction comes from the collected runs alone, so a list that has changed since, or an
engine that ignores the weights of a request, shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.runs import Run
from rankmax.engines.connectors.engine import Answer, Engine
from rankmax.fusion.signals import trec_ordered
from rankmax.models import LinearModel
from rankmax.models.query_weights_model import QueryWeightsModel, rows_of
from rankmax.preprocessing.query_features import QueryRows
from rankmax.preprocessing.run_normalization import ZERO_SCORE
from rankmax.workflows.deployment.confirming import (
    SAME_SCORE,
    Comparison,
    Explanation,
    PlaceholderValues,
    answers_of,
    explanations_of_documents,
    first_difference,
    score_difference_of,
)
from rankmax.workflows.deployment.explanations import Scores, predicted, used_part
from rankmax.workflows.deployment.project_file import ProjectFile

Lists = Mapping[str, Mapping[str, float]]
"""What each system found for a query: scores by document."""


def weighted_answers(
    project: ProjectFile, model: QueryWeightsModel, queries: list[str], size: int, tick: Callable[[], None]
) -> dict[str, Answer]:
    """Ask the engine for the lists of queries, and for their fused rankings by the weights that follow.

    Parameters
    ----------
    project : ProjectFile
    model : QueryWeightsModel
    queries : list of str
    size : int
        Number of documents per query.
    tick : callable
        Called after each answer.
    """
    rows = rows_of(project.topics_path)

    def ask(engine: Engine, query: str, values: PlaceholderValues) -> Answer:
        lists = {
            name: dict(engine.search(project.templates[name], values[name], project.depth).hits)
            for name in model.feature_names
        }
        if not any(lists.values()):
            return Answer(())
        fixed = linear_of(model, weights_of(model, query, lists, rows))
        return engine.weighted_search(project.fusion(fixed), values, size)

    return answers_of(project, queries, ask, tick)


def weights_of(model: QueryWeightsModel, query: str, lists: Lists, rows: QueryRows | None) -> F64:
    """Return the weights of a query by its lists, which add up to 1.

    Parameters
    ----------
    model : QueryWeightsModel
    query : str
    lists : mapping of str to mapping of str to float
    rows : mapping of str to mapping of str to str, optional
        Text and columns by query.

    Examples
    --------
    >>> from rankmax.preprocessing.query_features import QueryFeature
    >>> gap = QueryFeature("gap", "bm25")
    >>> model = QueryWeightsModel((gap,), [0.5], [0.5], [1.0, 1.0], [[1.0, -1.0]], ("bm25", "e5"))
    >>> weights_of(model, "q1", {"bm25": {"d1": 9.0, "d2": 1.0}, "e5": {"d2": 0.5}}, None)
    array([1., 0.])
    """
    documents = sorted({document for found in lists.values() for document in found})
    X = np.zeros((len(documents), len(model.feature_names)))
    for j, name in enumerate(model.feature_names):
        for i, document in enumerate(documents):
            X[i, j] = lists.get(name, {}).get(document, 0.0) or (ZERO_SCORE if document in lists.get(name, {}) else 0.0)
    data = RankingDataset.from_arrays(
        X, [0] * len(documents), qid=[query] * len(documents), feature_names=model.feature_names, document_ids=documents
    )
    weights = model.weights_of(data, rows)[0]
    shares: F64 = weights / weights.sum()
    return shares


def linear_of(model: QueryWeightsModel, weights: F64) -> LinearModel:
    """Return the model of one query.

    Parameters
    ----------
    model : QueryWeightsModel
    weights : array, shape (n_systems,)
    """
    return replace(model.fixed, weights=weights)


def compare_weighted(
    project: ProjectFile, model: QueryWeightsModel, answers: Mapping[str, Answer], size: int
) -> Comparison:
    """Compare an engine's rankings with those that weights that fit the query predict from the collected runs.

    Parameters
    ----------
    project : ProjectFile
    model : QueryWeightsModel
    answers : mapping of str to Answer
        By query.
    size : int
        Number of documents per query.
    """
    runs = project.runs()
    if project.engine_class.ties_by_id:
        runs = {name: trec_ordered(run) for name, run in runs.items()}
    lists = {name: runs[name].to_dict() for name in model.feature_names}
    rows = rows_of(project.topics_path)
    expected, fixed = {}, {}
    for query in answers:
        own = {name: found[query] for name, found in lists.items() if query in found}
        if own:
            weights = weights_of(model, query, own, rows)
            expected[query] = _predicted(linear_of(model, weights), query, own)
            fixed[query] = _predicted(linear_of(model, model.weights / model.weights.sum()), query, own)

    def differing(scores: Scores) -> dict[str, object]:
        found = {query: first_difference(query, one, scores.get(query, {}), size) for query, one in answers.items()}
        return {query: one for query, one in found.items() if one is not None}

    differences = [
        one
        for query, answer in answers.items()
        if (one := first_difference(query, answer, expected.get(query, {}), size)) is not None
    ]
    score_difference = score_difference_of(answers, expected, {one.query for one in differences})
    explanations: list[Explanation] = []
    if differences or score_difference > SAME_SCORE:
        other = set(differing(fixed))
        n_fits = len(answers) - len(other) if score_difference_of(answers, fixed, other) <= SAME_SCORE else 0
        n_same = 0 if score_difference > SAME_SCORE else len(answers) - len(differences)
        if n_fits > n_same:
            text = "all queries have the weights of the average query: those of the request do not count"
            explanations.append(Explanation("ignored weights", text, n_fits))
    explanations += explanations_of_documents(answers, differences, project.depth)
    return Comparison(len(answers), size, tuple(differences), score_difference, tuple(explanations))


def _predicted(model: LinearModel, query: str, lists: Lists) -> dict[str, float]:
    used = [name for name in used_part(model).feature_names if name in lists]
    if not used:
        return {}
    weights = np.array([model.weights[model.feature_names.index(name)] for name in used])
    part = replace(model, weights=weights, feature_names=tuple(used))
    return predicted(part, {name: Run.from_dict({query: dict(lists[name])}) for name in used})[query]
