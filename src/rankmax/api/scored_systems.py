"""Metric values of systems: runs against qrels, models and scores on a data set, models on shards."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmax._arrays import F64
from rankmax.api.inputs import Judged, is_array, is_model, is_model_file
from rankmax.api.progress import Progress, Stage
from rankmax.data.dataset import RankingDataset
from rankmax.data.judge_ratings import JudgeRatings
from rankmax.data.judging import JudgedRun, judge
from rankmax.data.judgments import Judgments
from rankmax.data.runs import Qrels
from rankmax.errors import IncompatibleError, InvalidDataError, some_of
from rankmax.evaluation.run_evaluation import MetricValues, evaluate_scores
from rankmax.evaluation.unjudged_bounds import (
    QueryBounds,
    Unjudged,
    query_bounds,
    unjudged_documents,
    unjudged_of_parts,
)
from rankmax.formats.interchange import as_run
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric
from rankmax.metrics.ties import TiePolicy

if TYPE_CHECKING:
    from rankmax.backends.backend import Backend
    from rankmax.backends.partition import Partition
    from rankmax.formats.shards import Shards

COMPILE_FROM = 16_000_000
"""Documents from which loading the compiled kernel pays for a single evaluation."""


@dataclass(frozen=True, eq=False)
class System:
    """A system with its metric values.

    Attributes
    ----------
    name : str
    path : str or None
        The file that it was read from, if any.
    values : MetricValues
    missing_queries : tuple of str
        Judged queries that the system does not rank.
    unjudged_queries : tuple of str
        Queries of the system that have no judgments; they are ignored.
    unjudged : tuple of Unjudged
        Share of unjudged documents at the top, and what they leave open, by metric; empty where this is not known.
    """

    name: str
    path: str | None
    values: MetricValues
    missing_queries: tuple[str, ...] = ()
    unjudged_queries: tuple[str, ...] = ()
    unjudged: tuple[Unjudged, ...] = ()


def score_systems(
    judged: Judged,
    systems: Mapping[str, Any],
    metrics: Sequence[Metric],
    *,
    ties: TiePolicy | None,
    skip_missing_queries: bool = False,
    backend: Backend | str | None = None,
    memory: str | None = None,
    progress: Progress,
) -> list[System]:
    """Evaluate systems by the kind of their judgments.

    Parameters
    ----------
    judged : Judged
    systems : mapping of str to object
    metrics : sequence of Metric
    ties : TiePolicy or None
        Order of documents with equal scores; None is trec_eval's for runs, and document order for data.
    skip_missing_queries : bool, default False
        Leave judged queries out that a run lacks, instead of counting them as 0.
    backend, memory
        Where shards are read and worked on; see :func:`rankmax.backends.registry.backend_named`.
    progress : Progress
    """
    content = judged.content
    with progress.stage("Evaluating", total=len(systems)) as stage:
        if isinstance(content, Qrels):
            policy = ties or TiePolicy.TREC_EVAL
            found = _score_runs(content, systems, metrics, policy, skip_missing_queries, stage)
        elif isinstance(content, JudgeRatings):
            policy = ties or TiePolicy.TREC_EVAL
            found = _score_expected(content, systems, metrics, policy, skip_missing_queries, stage)
        elif isinstance(content, RankingDataset | Judgments):
            found = _score_data(content, systems, metrics, ties or TiePolicy.DOCUMENT_ORDER, stage)
        else:
            from rankmax.backends.registry import backend_named

            models = {name: _model(name, system) for name, system in systems.items()}
            policy = ties or TiePolicy.DOCUMENT_ORDER
            if backend is None or isinstance(backend, str):
                with backend_named(backend or "local", memory=memory) as started:
                    scored = _score_on_shards(content, started, models, metrics, policy, stage)
            else:
                scored = _score_on_shards(content, backend, models, metrics, policy, stage)
            found = [replace(one, path=_path(systems[one.name])) for one in scored]
    _note_queries(judged, found, skip_missing_queries, progress)
    return found


def _score_runs(
    qrels: Qrels,
    systems: Mapping[str, Any],
    metrics: Sequence[Metric],
    ties: TiePolicy,
    skip_missing_queries: bool,
    stage: Stage,
) -> list[System]:
    found = []
    for name, system in systems.items():
        if is_model(system) or is_array(system):
            raise IncompatibleError(
                f"system {name!r} is a {type(system).__name__}, and qrels hold no features to score; give a "
                "RankingDataset or a data file as the judgments, or a run as the system"
            )
        judged = judge(as_run(system), qrels)
        values = _evaluate_once(judged, metrics, ties, skip_missing_queries)
        unjudged = _unjudged(judged.scores, judged.judgments, values, ties)
        found.append(System(name, _path(system), values, judged.missing_queries, judged.unjudged_queries, unjudged))
        stage.advance()
    return found


def _score_expected(
    ratings: JudgeRatings,
    systems: Mapping[str, Any],
    metrics: Sequence[Metric],
    ties: TiePolicy,
    skip_missing_queries: bool,
    stage: Stage,
) -> list[System]:
    """Return the mean values of systems over random judges of the documents."""
    read = {
        name: system if is_model(system) or is_array(system) else as_run(system) for name, system in systems.items()
    }
    draws = [_score_runs(qrels, read, metrics, ties, skip_missing_queries, Stage()) for qrels in ratings.draws()]
    found = []
    for name, *drawn in zip(systems, *draws, strict=True):
        values = np.array([one.values.values for one in drawn])
        counted = (~np.isnan(values)).sum(axis=0)  # a query without relevant documents may be left out of some draws
        with np.errstate(invalid="ignore"):
            means = np.nansum(values, axis=0) / counted
        first = drawn[0]
        found.append(replace(first, path=_path(systems[name]), values=replace(first.values, values=means), unjudged=()))
        stage.advance()
    return found


def _score_data(
    data: RankingDataset | Judgments,
    systems: Mapping[str, Any],
    metrics: Sequence[Metric],
    ties: TiePolicy,
    stage: Stage,
) -> list[System]:
    found = []
    for name, system in systems.items():
        scores = system_scores(name, system, data)
        values = evaluate_scores(scores, data, metrics, ties=ties)
        judgments = data.judgments if isinstance(data, RankingDataset) else data
        found.append(System(name, _path(system), values, unjudged=_unjudged(scores, judgments, values, ties)))
        stage.advance()
    return found


def system_scores(name: str, system: Any, data: RankingDataset | Judgments) -> F64:
    """Return a system's score of each document: a model's, a file's, or the numbers themselves.

    Parameters
    ----------
    name : str
        Name for messages.
    system : model, fitted learner, path of a model or of scores, or array
    data : RankingDataset or Judgments
    """
    n_documents = data.n_documents
    if isinstance(system, str | os.PathLike) and not is_model_file(system):
        from rankmax.formats.predictions import read_scores

        return read_scores(system, n_documents=n_documents)
    if isinstance(system, str | os.PathLike) or is_model(system):
        if isinstance(data, Judgments):
            raise IncompatibleError(f"system {name!r} is a model, which needs features; give a RankingDataset")
        scores: F64 = _model(name, system).scores(data)
        return scores
    if not is_array(system):
        raise IncompatibleError(
            f"system {name!r} is a {type(system).__name__}; on a data set expected a model, a model file, a file of "
            "scores or an array of scores; runs are judged by qrels"
        )
    scores = np.asarray(system, np.float64)
    if scores.shape != (n_documents,):
        raise InvalidDataError(
            f"the scores of system {name!r} have shape {scores.shape} for {n_documents} documents; expected one each"
        )
    if not np.isfinite(scores).all():
        raise InvalidDataError(f"the scores of system {name!r} are not all finite numbers")
    return scores


def _model(name: str, system: Any) -> Any:
    """Return a model, from a file, a learner that has learned it, or itself."""
    if isinstance(system, str | os.PathLike):
        from rankmax.models.model_files import load_scoring_model

        return load_scoring_model(system)
    if not is_model(system):
        raise IncompatibleError(f"system {name!r} is a {type(system).__name__}; shards are scored by models")
    return getattr(system, "model_", system)


def _score_on_shards(
    shards: Shards,
    backend: Backend,
    models: Mapping[str, Any],
    metrics: Sequence[Metric],
    ties: TiePolicy,
    stage: Stage,
) -> list[System]:
    from rankmax.backends.distributed_dataset import DistributedDataset
    from rankmax.preprocessing.feature_normalization import Unchanged

    data = DistributedDataset.kept(backend, shards, Unchanged())  # a model normalizes for itself
    found = []
    for name, model in models.items():
        parts = data.map(_values_and_bounds, None, model, tuple(metrics), ties, data.levels)
        values = MetricValues(tuple(metrics), data.query_ids, np.hstack([values for values, _ in parts]))
        found.append(System(name, None, values, unjudged=unjudged_of_parts([bounds for _, bounds in parts])))
        stage.advance()
    return found


def _values_and_bounds(
    partition: Partition, model: Any, metrics: Sequence[Metric], ties: TiePolicy, levels: F64
) -> tuple[F64, tuple[QueryBounds, ...]]:
    data = partition.with_levels(levels)
    scores = model.scores(data)
    values = evaluate_metrics(metrics, scores, data.judgments, ties=ties)
    return values, query_bounds(scores, data.judgments, metrics, values, ties=ties)


def _evaluate_once(
    judged: JudgedRun, metrics: Sequence[Metric], ties: TiePolicy, skip_missing_queries: bool
) -> MetricValues:
    compiled = judged.judgments.n_documents >= COMPILE_FROM
    values = evaluate_scores(judged.scores, judged.judgments, metrics, ties=ties, compiled=compiled)
    if not skip_missing_queries:
        return values
    missing = judged.judgments.documents_by_query == 0
    return replace(values, values=np.where(missing, np.nan, values.values))


def _unjudged(scores: F64, judgments: Judgments, values: MetricValues, ties: TiePolicy) -> tuple[Unjudged, ...]:
    compiled = judgments.n_documents >= COMPILE_FROM
    return unjudged_documents(scores, judgments, values.metrics, values.values, ties=ties, compiled=compiled)


def _note_queries(judged: Judged, systems: Sequence[System], skipped: bool, progress: Progress) -> None:
    """Note the queries that were left out, and raise an error for systems that rank no judged query."""
    for system in systems:
        name = system.path or system.name
        if system.unjudged_queries:
            progress.note(f"{name}: ignored {_queries(system.unjudged_queries)}, not judged in {judged.name}")
        if system.missing_queries:
            how = "left out" if skipped else "counted as 0"
            progress.note(f"{name}: has nothing for {_queries(system.missing_queries)} of {judged.name}, {how}")
    strangers = [one.path or one.name for one in systems if len(one.missing_queries) == len(one.values.query_ids)]
    if strangers:
        raise InvalidDataError(f"{some_of(strangers)}: no query in common with {judged.name}; the ids must be the same")


def _queries(ids: Sequence[str]) -> str:
    return f"{len(ids)} {'query' if len(ids) == 1 else 'queries'} ({some_of(ids)})"


def _path(system: Any) -> str | None:
    return os.fspath(system) if isinstance(system, str | os.PathLike) else None
