"""Input files of a tuning: runs and qrels, or a log of features."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rankmax.data.judging import grade_features
from rankmax.errors import IncompatibleError, InvalidDataError, counted
from rankmax.formats.interchange import as_qrels, as_run
from rankmax.formats.named_files import named_files
from rankmax.formats.registry import read_dataset
from rankmax.formats.topic_columns import read_query_column
from rankmax.fusion.linear_query_weights import QueryWeights
from rankmax.fusion.machine_signals import signals_with_machine
from rankmax.fusion.signals import Signals, signals_of_features, signals_of_runs
from rankmax.fusion.varying_weights import QueryColumn
from rankmax.metrics.metric import Metric
from rankmax.models.query_weights_model import rows_of
from rankmax.preprocessing.query_features import query_feature_values, usual_features
from rankmax.retrieval.queries.rare_terms import with_rare_terms

_LOGS = (".jsonl", ".csv", ".tsv", ".parquet", ".npz")  # with qrels, a file of any other name is a run


def read_signals(
    systems: Sequence[str] | Mapping[str, Any], qrels: Any = None, *, tick: Callable[[], None] = lambda: None
) -> Signals:
    """Read runs with qrels, or a data file, whose grades the qrels may replace.

    Parameters
    ----------
    systems : sequence of str, or mapping of str to object
        Paths of runs, or of one file of features, each of which may be ``name=path``; or runs by name, in any form that
        :func:`~rankmax.formats.interchange.as_run` takes.
    qrels : path or object, optional
        Needed for runs, in any form that :func:`~rankmax.formats.interchange.as_qrels` takes.
    tick : callable
        Called after each file.

    Examples
    --------
    >>> read_signals(["bm25.run", "e5.run"])
    Traceback (most recent call last):
    rankmax.errors.IncompatibleError: 2 files without qrels: runs need judgments (--qrels); a log of features is one
    file
    """
    files = systems if isinstance(systems, Mapping) else dict(named_files(systems))
    only = next(iter(files.values())) if len(files) == 1 else None
    if qrels is None:
        if not isinstance(only, str | os.PathLike):
            raise IncompatibleError(
                f"{len(files)} files without qrels: runs need judgments (--qrels); a log of features is one file"
            )
        data = read_dataset(only)
        tick()
        return signals_of_features(data)
    judged = as_qrels(qrels)
    if isinstance(only, str | os.PathLike) and _is_log(only):
        graded = grade_features(read_dataset(only), judged)
        tick()
        if not graded.n_queries:
            source = os.fspath(qrels) if isinstance(qrels, str | os.PathLike) else "the qrels"
            raise InvalidDataError(f"no query of {os.fspath(only)} is judged in {source}; the ids must be the same")
        return signals_of_features(graded)
    runs = {}
    for name, run in files.items():
        runs[name] = as_run(run)
        tick()
    return signals_of_runs(runs, judged)


def read_signals_with_machine(
    systems: Sequence[str] | Mapping[str, Any],
    qrels: Any,
    machine_qrels: Any,
    metric: Metric,
    *,
    tick: Callable[[], None] = lambda: None,
) -> tuple[Signals, list[str]]:
    """Read runs with qrels by people and by a machine; return warnings of a biased machine, too.

    Parameters
    ----------
    systems, qrels, tick
        As in :func:`read_signals`.
    machine_qrels : path or object
        As `qrels`.
    metric : Metric
        Metric to weigh the machine by.
    """
    if qrels is None:
        raise IncompatibleError("machine judgments are corrected by human ones: give the qrels by people as well")
    runs = {}
    for name, run in (systems if isinstance(systems, Mapping) else dict(named_files(systems))).items():
        if isinstance(run, str | os.PathLike) and _is_log(run):
            raise IncompatibleError(f"{os.fspath(run)} is a log of features; machine judgments are for runs")
        runs[name] = as_run(run)
        tick()
    return signals_with_machine(runs, as_qrels(qrels), as_qrels(machine_qrels), metric)


def column_of(signals: Signals, topics: str | os.PathLike[str] | Mapping[str, str], column: str) -> QueryColumn:
    """Read the property that weights shall depend on, for the signals' queries.

    Parameters
    ----------
    signals : Signals
    topics : path, or mapping of str to str
        As :func:`~rankmax.formats.topic_columns.read_query_column` takes it; or the column's value for each query.
    column : str
    """
    from_file = isinstance(topics, str | os.PathLike)
    values = read_query_column(topics, column) if isinstance(topics, str | os.PathLike) else topics
    missing = [query for query in signals.data.query_ids if query not in values]
    if missing:
        lacking = counted(len(missing), "judged query", "judged queries")
        raise InvalidDataError(f"{topics if from_file else 'topics'} lacks {lacking}, such as {missing[0]!r}")
    return QueryColumn.of(column, [str(values[query]) for query in signals.data.query_ids])


def query_weights_of(signals: Signals, topics: Any, metrics: Sequence[Metric], terms: Any = None) -> QueryWeights:
    """Return the learner of weights that fit the query, with all query features that are known.

    Parameters
    ----------
    signals : Signals
    topics : path, mapping of str to str or to mapping, or None
        Text and columns of the queries; without them, the lists alone tell queries apart.
    metrics : sequence of Metric
    terms : Index, path, or mapping of str to int, optional
        Index or document frequencies, by which to find the queries' rare terms.
    """
    rows = rows_of(topics)
    if rows is not None:
        missing = [query for query in signals.data.query_ids if query not in rows]
        if missing:
            where = topics if isinstance(topics, str | os.PathLike) else "topics"
            lacking = counted(len(missing), "judged query", "judged queries")
            raise InvalidDataError(f"{where} lacks {lacking}, such as {missing[0]!r}")
        rows = {query: rows[query] for query in signals.data.query_ids}
    if terms is not None:
        if rows is None:
            raise IncompatibleError("rare terms are those of the queries' texts: give the topics as well")
        rows = dict(with_rare_terms(rows, terms))
    features = usual_features(signals.names, rows)
    return QueryWeights(features, query_feature_values(features, signals.data, signals.names, rows), metrics)


def _is_log(path: str | os.PathLike[str]) -> bool:
    name = os.fspath(path).lower().removesuffix(".gz")
    return name.endswith(_LOGS)
