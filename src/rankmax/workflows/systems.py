"""Evaluating systems that stand in files: runs, predictions, models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankmax.data.join import JudgedRun, judge
from rankmax.data.trec import read_qrels, read_run
from rankmax.evaluation.evaluate import Evaluation, evaluate
from rankmax.metrics.base import Metric
from rankmax.metrics.ties import TiePolicy
from rankmax.workflows.named_files import named_files

if TYPE_CHECKING:
    from rankmax.data.shards import Shards
    from rankmax.engines.base import Engine

COMPILE_FROM = 16_000_000
"""Documents from which loading the compiled kernel pays for a single evaluation."""

Tick = Callable[[], None]
"""Called after each unit of work, for a progress display."""


@dataclass(frozen=True, eq=False)
class System:
    """One ranked system: a run, a file of predictions or a model, with its values.

    Attributes
    ----------
    name : str
        Name to show; see :func:`~rankmax.workflows.named_files.named_files`.
    path : str
    evaluation : Evaluation
    missing_queries : tuple of str
        Judged queries that the system does not rank.
    unjudged_queries : tuple of str
        Queries of the system that have no judgments; they are ignored.
    """

    name: str
    path: str
    evaluation: Evaluation
    missing_queries: tuple[str, ...] = ()
    unjudged_queries: tuple[str, ...] = ()


def evaluate_runs(
    qrels_path: str,
    run_paths: Sequence[str],
    metrics: Sequence[Metric],
    *,
    ties: TiePolicy = TiePolicy.TREC_EVAL,
    skip_missing_queries: bool = False,
    tick: Tick = lambda: None,
) -> list[System]:
    """Evaluate TREC runs against qrels.

    Parameters
    ----------
    qrels_path : str
    run_paths : sequence of str
        Paths, or ``name=path``.
    metrics : sequence of Metric
    ties : TiePolicy
    skip_missing_queries : bool
        Leave judged queries out that a run lacks, instead of counting them as 0.
    tick : callable
        Called after each run.
    """
    qrels = read_qrels(qrels_path)
    systems = []
    for name, path in named_files(run_paths):
        judged = judge(read_run(path), qrels)
        evaluation = _evaluate_once(judged, metrics, ties, skip_missing_queries)
        systems.append(System(name, path, evaluation, judged.missing_queries, judged.unjudged_queries))
        tick()
    return systems


def evaluate_predictions(
    data_path: str,
    scores_paths: Sequence[str],
    model_paths: Sequence[str],
    metrics: Sequence[Metric],
    *,
    ties: TiePolicy = TiePolicy.DOCUMENT_ORDER,
    tick: Tick = lambda: None,
) -> list[System]:
    """Evaluate files of scores, and models, on a data file with features and grades.

    Parameters
    ----------
    data_path : str
    scores_paths, model_paths : sequences of str
        Paths, or ``name=path``.
    metrics : sequence of Metric
    ties : TiePolicy
    tick : callable
        Called after each system.
    """
    # Here, because evaluating runs needs none of it and is over in the time that these take to import.
    from rankmax.data.formats import read_dataset
    from rankmax.data.scores import read_scores
    from rankmax.models.files import load_model

    data = read_dataset(data_path)
    systems = []
    for i, (name, path) in enumerate(named_files([*scores_paths, *model_paths])):
        if i < len(scores_paths):
            scores = read_scores(path, n_documents=data.n_documents)
        else:
            scores = load_model(path).scores(data)
        systems.append(System(name, path, evaluate(scores, data, metrics, ties=ties)))
        tick()
    return systems


def evaluate_on_shards(
    shards: Shards,
    engine: Engine,
    model_paths: Sequence[str],
    metrics: Sequence[Metric],
    *,
    ties: TiePolicy = TiePolicy.DOCUMENT_ORDER,
    tick: Tick = lambda: None,
) -> list[System]:
    """Evaluate models where an engine reads the shards.

    Parameters
    ----------
    shards : Shards
    engine : Engine
    model_paths : sequence of str
        Paths, or ``name=path``.
    metrics : sequence of Metric
    ties : TiePolicy
    tick : callable
        Called after each model.
    """
    from rankmax.data.normalise import Unchanged
    from rankmax.engines.dataset import EngineDataset
    from rankmax.models.files import load_model

    files = named_files(model_paths)
    models = [load_model(file.path) for file in files]
    data = EngineDataset.kept(engine, shards, Unchanged())  # a model normalises for itself
    systems = []
    for (name, path), model in zip(files, models, strict=True):
        values = data.values(model, metrics, ties=ties)
        systems.append(System(name, path, Evaluation(tuple(metrics), data.query_ids, values)))
        tick()
    return systems


def _evaluate_once(
    judged: JudgedRun, metrics: Sequence[Metric], ties: TiePolicy, skip_missing_queries: bool
) -> Evaluation:
    compiled = judged.judgments.n_documents >= COMPILE_FROM
    evaluation = evaluate(judged.scores, judged.judgments, metrics, ties=ties, compiled=compiled)
    if not skip_missing_queries:
        return evaluation
    missing = judged.judgments.documents_by_query == 0
    return replace(evaluation, values=np.where(missing, np.nan, evaluation.values))
