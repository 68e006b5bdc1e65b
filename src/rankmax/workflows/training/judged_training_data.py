"""Training data judged again: by qrels, by people and a machine, or by gains from clicks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import grade_features, judged_again
from rankmax.data.mixed_judgments import MixedJudgments
from rankmax.data.runs import Qrels
from rankmax.errors import InvalidDataError, counted
from rankmax.evaluation.machine_judgments import pooled_worth, values_of_all
from rankmax.evaluation.prediction_powered import (
    coefficients,
    emphasis,
    prediction_powered,
    require_enough,
    shrunken_weight,
)
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric


def graded_by(data: RankingDataset, qrels: Qrels) -> RankingDataset:
    """Return the queries of a data set that qrels judge, with their grades; raise if there are none.

    Parameters
    ----------
    data : RankingDataset
        With document ids.
    qrels : Qrels
    """
    graded = grade_features(data, qrels)
    if not graded.n_queries:
        raise InvalidDataError(
            f"no query of the data is judged: the data has {data.query_ids[0]!r}, the judgments have "
            f"{qrels.query_ids[0]!r}; the ids must be the same"
        )
    return graded


def graded_by_people_and_machine(
    data: RankingDataset, human: Qrels, machine: Qrels, metric: Metric
) -> tuple[RankingDataset, str]:
    """Return data whose queries have prediction-powered values, and a note on what the machine is worth.

    The machine's weight minimizes the variance of the differences between rankings by single features, because
    training decides by such differences. A machine that tells features apart no better than chance is left out.

    Parameters
    ----------
    data : RankingDataset
        With document ids; queries without machine judgments are left out.
    human, machine : Qrels
        The machine judges all queries that people judged, and further ones.
    metric : Metric
        Metric to be maximized.

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> rng = np.random.default_rng(0)
    >>> queries, documents = np.repeat(np.arange(80), 4), [f"d{i}" for i in range(320)]
    >>> X = rng.random((320, 2))
    >>> data = RankingDataset.from_arrays(X, np.zeros(320), qid=queries, document_ids=documents)
    >>> grades = (X[:, 0] + 0.5 * rng.random(320) > 0.9).astype(int)
    >>> truth = {str(q): {documents[i]: int(grades[i]) for i in np.flatnonzero(queries == q)} for q in range(80)}
    >>> human = Qrels.from_dict({str(q): truth[str(q)] for q in range(20)})
    >>> graded, note = graded_by_people_and_machine(data, human, Qrels.from_dict(truth), RR())
    >>> note
    '20 queries judged by people, 60 more by a machine: to tell these features apart they are worth ... by people'
    """
    graded = graded_by(data, machine)
    known = set(data.query_ids)
    judged = [query for query in human.query_ids if query in known]
    if not judged:
        graded_by(data, human)  # raises
    values_of_all(judged, np.empty(len(judged)), graded.query_ids)  # raises where the machine lacks some
    require_enough(len(judged))
    by_people = np.isin(graded.query_ids, judged)
    by_human = judged_again(graded.judgments, human)
    scores = [graded.scores(one) for one in np.eye(graded.n_features)]
    human_values, machine_values = (
        np.array([evaluate_metrics([metric], one, judgments)[0] for one in scores])
        for judgments in (by_human, graded.judgments)
    )
    human_values -= human_values.mean(axis=0)
    machine_values -= machine_values.mean(axis=0)
    human_values[:, ~by_people] = np.nan
    spread = np.nanstd(human_values, axis=1)
    human_values, machine_values = (
        one[spread > 0] / spread[spread > 0, None] for one in (human_values, machine_values)
    )
    weight = shrunken_weight(human_values, machine_values) if len(human_values) else 0.0
    if weight == 0:
        useless = "machine judgments are left out: they do not distinguish features as people do"
        return graded_by(data, human), useless
    found = [prediction_powered(h, m, weight=weight) for h, m in zip(human_values, machine_values, strict=True)]
    n = int(by_people.sum())
    rows = np.stack(coefficients(by_people, weight))
    mixed = MixedJudgments.of(graded.judgments, [by_human, graded.judgments], rows, emphasis(by_people))
    worth = counted(round(pooled_worth(found) - n), "more query", "more queries")
    note = (
        f"{n} queries judged by people, {by_people.size - n} more by a machine: to tell these features apart they are "
        f"worth {worth} judged by people"
    )
    return replace(graded, judgments=mixed), note
